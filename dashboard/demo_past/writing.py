"""The past of the demo, written as if it had been read."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Min

from dashboard.demo_past.fleet import Place, Times, places
from dashboard.demo_past.playing import Use, play
from inventory.models import (
    ClaimEvent,
    Cluster,
    Coverage,
    DeviceInterval,
    InstantSource,
    PodInterval,
    ShareInterval,
)
from inventory.sync import bulk, past
from inventory.sync.device_intervals import Columns
from inventory.sync.poll import poll_cluster

_SEED = 7
_KIND, _SOURCE = ClaimEvent.Kind, ClaimEvent.Source
_SECOND = timedelta(seconds=1)
_MICROSECOND = timedelta(microseconds=1)
_CLAIM = ("cluster_id", "claim_uid", "namespace", "claim_name", "team_slug")
_DEVICE = ("driver", "pool", "device")
_SHARES = (
    *_CLAIM,
    *_DEVICE,
    "request",
    "share_id",
    "device_class",
    "dedicated",
    "admin_access",
    "consumed",
    "started_at",
    "started_source",
    "ended_at",
    "ended_not_before",
)
_PODS = (
    *_CLAIM,
    "resource",
    "pod_name",
    "pod_uid",
    "workload_kind",
    "workload_name",
    "node",
    "started_at",
    "ended_at",
)
_EVENTS = (
    *_CLAIM,
    "kind",
    "at",
    "source",
    "not_before",
    "driver",
    "product",
    "node",
    "waited_microseconds",
)
_DEVICES = ("cluster_id", *_DEVICE, *Columns._fields, "started_at", "ended_at")
Row = tuple[Any, ...]


class _Event(NamedTuple):
    kind: str
    at: datetime
    source: str
    not_before: datetime | None = None
    driver: str = ""
    product: str = ""
    node: str = ""
    waited_microseconds: int | None = None


def give_a_past(cluster: Cluster) -> bool:
    """Read a cluster for the first time, and write what was before; whether it has been done.

    Nothing is done to one that has a history, and nothing is written of one that cannot be read.
    """
    if _has_history(cluster) or poll_cluster(cluster.pk).ended != "applied":
        return False
    with transaction.atomic():
        # The lock under which polls write.
        Cluster.objects.select_for_update().get(pk=cluster.pk)
        write(cluster, Times.before(_first_known(cluster)), Random(_SEED))  # noqa: S311 (the same each time)
    bulk.analyze("inventory")
    return True


def write(cluster: Cluster, times: Times, chance: Random) -> None:
    """What is open now has begun where the past says so; whatever else is in it has ended before it does."""
    fleet = places(cluster, times, chance)
    uses = play(fleet, times, chance)
    Coverage.objects.filter(cluster=cluster).update(started_at=times.read_again)
    Coverage.objects.create(cluster=cluster, started_at=times.start, ended_at=times.unread)
    bulk.update(DeviceInterval, ("started_at",), [(one.interval.pk, one.phases[-1].start) for one in fleet])
    _insert(DeviceInterval, _DEVICES, [row for one in fleet for row in _phases(one)])
    _insert(ShareInterval, _SHARES, [row for use in uses for row in _shares(cluster, use)])
    _insert(PodInterval, _PODS, [_pod(cluster, use) for use in uses])
    _insert(ClaimEvent, _EVENTS, _in_order(cluster, uses))
    past.set_back(cluster, past.Past(times.start))


def _has_history(cluster: Cluster) -> bool:
    models: tuple[type[Any], ...] = (Coverage, ShareInterval, DeviceInterval)
    return any(model.objects.filter(cluster=cluster).exists() for model in models)


def _first_known(cluster: Cluster) -> datetime:
    """The earliest that was told or seen of it, in whole seconds."""
    first_read: datetime = Coverage.objects.get(cluster=cluster).started_at
    earlier = (
        ShareInterval.objects.filter(cluster=cluster).aggregate(first=Min("started_at"))["first"],
        ClaimEvent.objects.filter(cluster=cluster).aggregate(first=Min("at"))["first"],
    )
    first: datetime = min([first_read, *(moment for moment in earlier if moment is not None)])
    return first.replace(microsecond=0)


def _insert(model: type[Any], columns: Sequence[str], rows: Sequence[Row]) -> None:
    ids = bulk.reserve(model, len(rows))
    bulk.insert(model, ("id", *columns), ((pk, *row) for pk, row in zip(ids, rows, strict=True)))


def _phases(place: Place) -> Iterator[Row]:
    """Those that are over."""
    interval = place.interval
    for phase in place.phases[:-1]:
        columns = {
            **{column: getattr(interval, column) for column in Columns._fields},
            "capacity": phase.capacity,
            "card_capacity": phase.card_capacity,
        }
        yield (interval.cluster_id, *_key(place), *columns.values(), phase.start, phase.end)


def _key(place: Place) -> tuple[str, str, str]:
    return place.interval.driver, place.interval.pool, place.interval.device


def _claim(cluster: Cluster, use: Use) -> Row:
    wish, workload = use.wish, use.wish.workload
    return cluster.pk, use.claim_uid, workload.namespace, f"{wish.pod}-{workload.request}", workload.team


def _shares(cluster: Cluster, use: Use) -> Iterator[Row]:
    workload, claim = use.wish.workload, _claim(cluster, use)
    for place, share_id in zip(use.places, use.share_ids, strict=True):
        yield (
            *claim,
            *_key(place),
            workload.request,
            share_id,
            workload.device_class,
            not place.shareable,
            False,
            dict(workload.consumed),
            use.allocated,
            InstantSource.ALLOCATION.value,
            use.ended,
            use.seen_before,
        )


def _pod(cluster: Cluster, use: Use) -> Row:
    wish, node = use.wish, use.places[0].interval.node
    consumer = ("pods", wish.pod, use.pod_uid, wish.workload.kind, wish.owner, node)
    return (*_claim(cluster, use), *consumer, use.allocated, use.ended)


def _in_order(cluster: Cluster, uses: Sequence[Use]) -> list[Row]:
    events = sorted(((event, use) for use in uses for event in _events(use)), key=lambda one: one[0].at)
    return [(*_claim(cluster, use), *event) for event, use in events]


def _events(use: Use) -> Iterator[_Event]:
    first = use.places[0].interval
    waited = (use.allocated - use.wish.created) // _MICROSECOND
    server, observed = _SOURCE.SERVER.value, _SOURCE.OBSERVED.value
    yield _Event(_KIND.CREATED.value, use.wish.created, server)
    given = (first.driver, first.product, first.node, waited)
    yield _Event(_KIND.ALLOCATED.value, use.allocated, server, None, *given)
    yield _Event(_KIND.RESERVED.value, use.allocated + _SECOND, observed, use.allocated)
    yield _Event(_KIND.DEALLOCATED.value, use.ended, observed, use.seen_before)
    yield _Event(_KIND.DELETED.value, use.ended, observed, use.seen_before)
