"""What a monitoring system asks for: how reading goes, and the numbers of cards, devices and shares."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

import msgspec
from django.db.models import Count

from inventory.dra.units import Unit, unit_of
from inventory.kube.quantity import Notation
from inventory.models import (
    Balance,
    Card,
    Cluster,
    ConsumedCapacity,
    Device,
    KindState,
    Share,
    ShareInterval,
)
from inventory.models.devices import DeviceState
from inventory.models.visibility import visible
from inventory.queries import totals
from inventory.queries.clusters import parts_followed
from inventory.queries.totals import TotalRow
from inventory.viewer import Viewer

_AT_ONCE = 2000
_DEVICE = ("cluster__name", "pool__driver", "pool__name", "name")


class KindFigures(msgspec.Struct, frozen=True):
    """One kind of a cluster. What is null is not known."""

    kind: str
    state: KindState.State
    succeeded_at: datetime | None
    age: timedelta | None
    objects: int | None
    objects_skipped: int | None
    listed_at: datetime | None
    list_seconds: Decimal | None
    lists: int
    events: int
    bytes: int
    failures_in_all: int
    failures: int
    error_reason: str


class ClusterFigures(msgspec.Struct, frozen=True):
    """One cluster. `up`: its last attempt went well; null before the first one that ended."""

    name: str
    queue: str
    up: bool | None
    enabled: bool
    attempted_at: datetime | None
    observed_at: datetime | None
    observed_age: timedelta | None
    full_reading_seconds: Decimal | None
    failures: int
    retry_at: datetime | None
    error_reason: str
    compared_at: datetime | None
    differences: int | None
    parts_followed: int
    shares_held: int
    kinds: tuple[KindFigures, ...]


class CardCount(NamedTuple):
    """How many cards of a product are in a state; states in which none is are told too."""

    cluster: str
    driver: str
    product: str
    state: str
    cards: int


class DeviceFigures(NamedTuple):
    cluster: str
    driver: str
    pool: str
    device: str
    node: str
    product: str
    uuid: str
    state: str
    shares: int


class DeviceAmount(NamedTuple):
    """A number of one dimension of a device, in its unit."""

    cluster: str
    driver: str
    pool: str
    device: str
    dimension: str
    unit: Unit
    amount: int | Decimal


class ShareKey(NamedTuple):
    """A share; `result` is its place among the results of its claim, which makes it unique."""

    cluster: str
    driver: str
    pool: str
    device: str
    namespace: str
    claim: str
    claim_uid: str
    request: str
    result: int
    share_id: str


class ShareStart(NamedTuple):
    share: ShareKey
    started_at: datetime


class ShareAmount(NamedTuple):
    """What a share consumes of one dimension, in its unit."""

    share: ShareKey
    dimension: str
    unit: Unit
    amount: int | Decimal


def clusters(now: datetime) -> list[ClusterFigures]:
    found = list(Cluster.objects.prefetch_related("kinds"))
    followed, held = parts_followed(found, now), _shares_held()
    return [_cluster(one, now, followed.get(one.pk, 0), held.get(one.pk, 0)) for one in found]


def card_counts() -> list[CardCount]:
    counted = Card.objects.order_by().values_list("cluster__name", "pool__driver", "product", "state")
    states: defaultdict[tuple[str, str, str], dict[str, int]] = defaultdict(dict)
    for cluster, driver, product, state, count in counted.annotate(Count("pk")):
        states[cluster, driver, product][state] = count
    return [
        CardCount(*key, state.value, found.get(state, 0))
        for key, found in sorted(states.items())
        for state in DeviceState
    ]


def card_totals() -> Mapping[str, list[TotalRow]]:
    """The sums over cards by the name of their cluster."""
    return totals.grouped(Card.objects.all(), "cluster__name")


def devices() -> Iterator[DeviceFigures]:
    rows = Device.objects.order_by().values_list(*_DEVICE, "node__name", "product", "uuid", "state", "shares")
    for cluster, driver, pool, name, node, *told in rows.iterator(_AT_ONCE):
        yield DeviceFigures(cluster, driver, pool, name, node or "", *told)


def device_totals() -> Iterator[DeviceAmount]:
    return _device_amounts("total")


def device_allocated() -> Iterator[DeviceAmount]:
    return _device_amounts("allocated")


def share_starts(*, viewer: Viewer) -> Iterator[ShareStart]:
    rows = Share.objects.visible_to(viewer).order_by().values_list(*_share_columns(""), "started_at")
    for *key, started_at in rows.iterator(_AT_ONCE):
        yield ShareStart(ShareKey(*key), started_at)


def share_amounts(*, viewer: Viewer) -> Iterator[ShareAmount]:
    seen = visible(Share, viewer, "share")
    rows = ConsumedCapacity.objects.filter(seen, amount__isnull=False).order_by()
    columns = (*_share_columns("share__"), "dimension", "notation", "amount", "exponent")
    for *key, dimension, notation, amount, exponent in rows.values_list(*columns).iterator(_AT_ONCE):
        share = ShareKey(*key)
        unit = unit_of(share.driver, dimension, Notation(notation))
        yield ShareAmount(share, dimension, unit, _exact(amount, exponent))


def _shares_held() -> Mapping[int, int]:
    rows = ShareInterval.objects.filter(ended_at=None).order_by().values_list("cluster_id")
    return dict(rows.annotate(Count("pk")))


def _cluster(cluster: Cluster, now: datetime, followed: int, held: int) -> ClusterFigures:
    return ClusterFigures(
        name=cluster.name,
        queue=cluster.queue,
        up=_went_well(cluster),
        enabled=cluster.enabled,
        attempted_at=cluster.attempted_at,
        observed_at=cluster.observed_at,
        observed_age=_age(cluster.observed_at, now),
        full_reading_seconds=cluster.poll_seconds,
        failures=cluster.failures,
        retry_at=cluster.retry_at,
        error_reason=cluster.error_reason,
        compared_at=cluster.compared_at,
        differences=cluster.differences,
        parts_followed=followed,
        shares_held=held,
        kinds=tuple(_kind(state, now) for state in cluster.kinds.all()),
    )


def _kind(state: KindState, now: datetime) -> KindFigures:
    return KindFigures(
        kind=state.kind,
        state=KindState.State(state.state),
        succeeded_at=state.succeeded_at,
        age=_age(state.succeeded_at, now),
        objects=state.objects_read,
        objects_skipped=state.objects_skipped,
        listed_at=state.listed_at,
        list_seconds=state.seconds,
        lists=state.lists_total,
        events=state.events_total,
        bytes=state.bytes_total,
        failures_in_all=state.failures_total,
        failures=state.failures,
        error_reason=state.error_reason,
    )


def _went_well(cluster: Cluster) -> bool | None:
    if cluster.error_reason:
        return False
    return None if cluster.observed_at is None else True


def _age(moment: datetime | None, now: datetime) -> timedelta | None:
    return None if moment is None else max(timedelta(), now - moment)


def _device_amounts(column: str) -> Iterator[DeviceAmount]:
    rows = Balance.objects.filter(device__isnull=False, **{f"{column}__isnull": False}).order_by()
    columns = (*(f"device__{name}" for name in _DEVICE), "dimension", "notation", column, "exponent")
    for cluster, driver, pool, name, dimension, notation, amount, exponent in rows.values_list(
        *columns
    ).iterator(_AT_ONCE):
        unit = unit_of(driver, dimension, Notation(notation))
        yield DeviceAmount(cluster, driver, pool, name, dimension, unit, _exact(amount, exponent))


def _share_columns(prefix: str) -> tuple[str, ...]:
    """In the order of ShareKey."""
    device = (f"{prefix}device__{name}" for name in _DEVICE)
    claim = (f"{prefix}claim__{name}" for name in ("namespace__name", "name", "uid"))
    return (*device, *claim, *(f"{prefix}{name}" for name in ("request", "position", "share_id")))


def _exact(amount: int, exponent: int) -> int | Decimal:
    return amount if exponent == 0 else Decimal(amount).scaleb(exponent)
