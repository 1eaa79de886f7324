"""Devices that came, went, or were published in another way; those that did the same together are one row."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

import msgspec
from django.db.models import F, Q

from inventory.models import DeviceInterval
from inventory.queries.history.published import Offer, offer
from inventory.queries.history.read import Read, gap_before
from inventory.queries.usage.rows import Period

MOST_ROWS = 60
_NAMED = 4
_AT_ONCE = 5_000


class Kind(StrEnum):
    CAME = "came"
    WENT = "went"
    CHANGED = "changed"


class DeviceChange(msgspec.Struct, frozen=True):
    """What so many devices of a node did, or of a pool where they are on no single node.

    `first` and `last`: when; `not_read_since`, where that was found only after a break. `before` and `after`
    are as their driver said, which is the same of all of them but for their UUIDs. `names` are the first.
    """

    kind: Kind
    cluster: str
    driver: str
    pool: str
    first: datetime
    last: datetime
    not_read_since: datetime | None
    before: Offer | None
    after: Offer | None
    number: int
    names: tuple[str, ...]

    @property
    def offer(self) -> Offer | None:
        return self.after or self.before


class DeviceChanges(msgspec.Struct, frozen=True):
    """`numbers` count devices, in all rows and in `more` of them that are not told."""

    rows: tuple[DeviceChange, ...]
    more: int
    numbers: Mapping[Kind, int]


class _One(NamedTuple):
    kind: Kind
    at: datetime
    cluster: int
    driver: str
    pool: str
    device: str
    before: Offer | None
    after: Offer | None


def device_changes(period: Period, reads: Mapping[int, Read]) -> DeviceChanges:
    """One query. What was found at the first reading of a cluster is not told: it had come before."""
    together: defaultdict[tuple[object, ...], list[_One]] = defaultdict(list)
    numbers = dict.fromkeys(Kind, 0)
    for one in _changes(period, reads):
        numbers[one.kind] += 1
        together[_same(one)].append(one)
    rows = sorted((_row(ones, reads) for ones in together.values()), key=lambda row: row.last, reverse=True)
    return DeviceChanges(tuple(rows[:MOST_ROWS]), max(0, len(rows) - MOST_ROWS), numbers)


def _changes(period: Period, reads: Mapping[int, Read]) -> Iterator[_One]:
    for _key, intervals in groupby(_intervals(period), key=_key_of):
        yield from _of_device(list(intervals), period, reads)


def _intervals(period: Period) -> Iterable[DeviceInterval]:
    began = Q(started_at__gte=period.start, started_at__lt=period.end)
    ended = Q(ended_at__gte=period.start, ended_at__lt=period.end)
    rows = DeviceInterval.objects.filter(began | ended).exclude(ended_at=F("started_at"))
    return rows.order_by("cluster_id", "driver", "pool", "device", "started_at", "pk").iterator(_AT_ONCE)


def _key_of(one: DeviceInterval) -> tuple[int, str, str, str]:
    return one.cluster_id, one.driver, one.pool, one.device


def _of_device(
    intervals: Sequence[DeviceInterval], period: Period, reads: Mapping[int, Read]
) -> Iterator[_One]:
    before: DeviceInterval | None = None
    for one in intervals:
        joined = before is not None and before.ended_at == one.started_at
        if before is not None and before.ended_at is not None and not joined:
            yield _one(Kind.WENT, before.ended_at, before, None)
        if one.started_at >= period.start:
            if before is not None and joined:
                yield _one(Kind.CHANGED, one.started_at, before, one)
            elif not _at_first(one, reads):
                yield _one(Kind.CAME, one.started_at, None, one)
        before = one
    if before is not None and before.ended_at is not None and before.ended_at < period.end:
        yield _one(Kind.WENT, before.ended_at, before, None)


def _at_first(one: DeviceInterval, reads: Mapping[int, Read]) -> bool:
    read = reads.get(one.cluster_id)
    return read is None or read.first is None or one.started_at <= read.first


def _one(kind: Kind, at: datetime, before: DeviceInterval | None, after: DeviceInterval | None) -> _One:
    of = after or before
    assert of is not None  # noqa: S101 (it came or it went)
    return _One(kind, at, *_key_of(of), offer(before) if before else None, offer(after) if after else None)


def _same(one: _One) -> tuple[object, ...]:
    """Names differ, and UUIDs."""
    said = [
        None if each is None else (each.node, each.product, tuple(sorted(each.capacity.items(), key=_name)))
        for each in (one.before, one.after)
    ]
    return one.kind, one.cluster, one.driver, _pool(one), *said


def _name(item: tuple[str, object]) -> str:
    return item[0]


def _pool(one: _One) -> str:
    offer = one.after or one.before
    return "" if offer and offer.node else one.pool


def _row(ones: Sequence[_One], reads: Mapping[int, Read]) -> DeviceChange:
    one = ones[0]
    times = [each.at for each in ones]
    return DeviceChange(
        kind=one.kind,
        cluster=reads[one.cluster].cluster,
        driver=one.driver,
        pool=one.pool,
        first=min(times),
        last=max(times),
        not_read_since=gap_before(reads[one.cluster], min(times)),
        before=one.before,
        after=one.after,
        number=len(ones),
        names=tuple(sorted(each.device for each in ones)[:_NAMED]),
    )
