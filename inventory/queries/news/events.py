"""What happened to shares since a mark, in the order in which it did.

A share is told of by the generation of its cluster in which that was written. Within one generation the order
is that of the intervals, so that a reader who stops in the middle of it goes on there.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from django.db.models import prefetch_related_objects

from inventory.models import Claim, Device, Share, ShareInterval
from inventory.queries import shares as share_queries
from inventory.queries.results import PREFETCHED

# By which a share is the same one, besides its cluster.
_KEY = ("claim_uid", "request", "driver", "pool", "device", "share_id")
Key = tuple[int | str, ...]


class Step(StrEnum):
    """What happens to an interval, in this order."""

    BEGAN = "began"
    CHANGED = "changed"
    ENDED = "ended"


_STEPS = tuple(Step)


class Mark(NamedTuple):
    """Up to where a cluster has been told of: all of a generation, if no interval in it is named."""

    generation: int
    interval: int = sys.maxsize
    step: int = len(_STEPS)

    @property
    def is_whole(self) -> bool:
        return self.interval == sys.maxsize


class ShareEvent(NamedTuple):
    """`share` is the row as it is now, where it is still held; `claim` and `device`, where they are there.

    A share that was passed on to another team ends and begins in one generation: all that happened to it
    before names what it became, and its new beginning what it was.
    """

    mark: Mark
    interval: ShareInterval
    share: Share | None
    claim: Claim | None
    device: Device | None
    passed_from: ShareInterval | None
    passed_to: ShareInterval | None

    @property
    def step(self) -> Step:
        return _STEPS[self.mark.step]


def since(marks: Mapping[int, Mark], generations: Mapping[int, int], most: int) -> list[ShareEvent] | None:
    """Of these clusters, up to the generations given; None where it is more than `most`."""
    intervals: list[ShareInterval] = []
    for cluster, mark in marks.items():
        intervals += _told(cluster, mark, generations[cluster], most + 1 - len(intervals))
        if len(intervals) > most:
            return None
    steps = sorted(_steps(intervals, marks, generations), key=lambda step: (step[1].cluster_id, step[0]))
    return list(_events(steps))


def _told(cluster: int, mark: Mark, generation: int, most: int) -> Iterable[ShareInterval]:
    first = mark.generation + mark.is_whole
    if first > generation:
        return ()
    rows = ShareInterval.objects.filter(cluster=cluster, told_in__range=(first, generation))
    return rows.select_related("cluster").order_by("told_in", "pk")[:most]


def _steps(
    intervals: Iterable[ShareInterval], marks: Mapping[int, Mark], generations: Mapping[int, int]
) -> Iterator[tuple[Mark, ShareInterval]]:
    for row in intervals:
        for mark in _marks(row):
            if marks[row.cluster_id] < mark and mark.generation <= generations[row.cluster_id]:
                yield mark, row


def _marks(row: ShareInterval) -> Iterator[Mark]:
    yield Mark(row.began_in, row.pk, _STEPS.index(Step.BEGAN))
    if row.told_in not in (row.began_in, row.ended_in):
        yield Mark(row.told_in, row.pk, _STEPS.index(Step.CHANGED))
    if row.ended_in is not None:
        yield Mark(row.ended_in, row.pk, _STEPS.index(Step.ENDED))


def _events(steps: Sequence[tuple[Mark, ShareInterval]]) -> Iterator[ShareEvent]:
    intervals = [row for _, row in steps]
    shares, claims, devices = _held(intervals), _claims(intervals), _devices(intervals)
    passed_from, passed_to = _passed_on(steps)
    for mark, row in steps:
        yield ShareEvent(
            mark=mark,
            interval=row,
            share=shares.get(_key(row)) if row.ended_in is None else None,
            claim=claims.get((row.cluster_id, row.claim_uid)),
            device=devices.get((row.cluster_id, row.driver, row.pool, row.device)),
            passed_from=passed_from.get(mark),
            passed_to=passed_to.get(row.pk),
        )


def _passed_on(
    steps: Sequence[tuple[Mark, ShareInterval]],
) -> tuple[dict[Mark, ShareInterval], dict[int, ShareInterval]]:
    """By the mark of the beginning the interval before it, and by the id of an interval the one after it."""
    ended = {
        (_key(row), mark.generation, row.ended_at): row
        for mark, row in steps
        if _STEPS[mark.step] is Step.ENDED
    }
    before, after = {}, {}
    for mark, row in steps:
        place = (_key(row), mark.generation, row.started_at)
        # What is given again by its claim has no `given_at` of before.
        if _STEPS[mark.step] is Step.BEGAN and row.given_at is not None and place in ended:
            earlier = ended[place]
            if earlier.team_slug != row.team_slug:
                before[mark], after[earlier.pk] = earlier, row
    return before, after


def _held(intervals: Iterable[ShareInterval]) -> dict[Key, Share]:
    uids = {row.claim_uid for row in intervals if row.ended_in is None}
    clusters = {row.cluster_id for row in intervals}
    shares = list(share_queries.everyones().filter(cluster__in=clusters, claim__uid__in=uids))
    prefetch_related_objects(shares, *PREFETCHED, share_queries.users_of("claim"))
    return {
        (
            share.cluster_id,
            share.claim.uid,
            share.request,
            share.device.pool.driver,
            share.device.pool.name,
            share.device.name,
            share.share_id,
        ): share
        for share in shares
    }


def _claims(intervals: Iterable[ShareInterval]) -> dict[tuple[int, str], Claim]:
    uids, clusters = {row.claim_uid for row in intervals}, {row.cluster_id for row in intervals}
    rows = Claim.objects.filter(cluster__in=clusters, uid__in=uids).select_related("namespace")
    return {(row.cluster_id, row.uid): row for row in rows}


def _devices(intervals: Iterable[ShareInterval]) -> dict[tuple[int, str, str, str], Device]:
    gone = [row for row in intervals if row.ended_in is not None]
    rows = Device.objects.filter(
        cluster__in={row.cluster_id for row in gone},
        pool__name__in={row.pool for row in gone},
        name__in={row.device for row in gone},
    ).select_related("pool", "node")
    return {(row.cluster_id, row.pool.driver, row.pool.name, row.name): row for row in rows}


def _key(row: ShareInterval) -> Key:
    return (row.cluster_id, *(getattr(row, column) for column in _KEY))
