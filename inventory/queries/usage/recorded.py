"""The rows of history as values of `inventory.history`, in the order of time and a few at a time."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias

import msgspec
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import F, Max, Q, QuerySet, Window

from inventory.history.axis import united
from inventory.history.instants import MICROSECOND, Span, micros, moment
from inventory.history.rates import Amounts, Offer
from inventory.history.sweep import ClaimKey, Device, DeviceKey, Share, Use, Workload
from inventory.kube.quantity import Quantity, QuantityError, parse
from inventory.models import Coverage, DeviceInterval, PodInterval, ShareInterval
from inventory.snapshot import by_index

# No condition.
ALL = Q()
# By cluster, the times that are looked at.
Windows: TypeAlias = Mapping[int, Sequence[Span]]
_AT_ONCE = 10_000
# More of them are asked for as the one that has them all.
_MOST_WINDOWS = 8
_DEVICE = ("cluster_id", "driver", "pool", "device")
SHARE = (
    *_DEVICE,
    "claim_uid",
    "team_slug",
    "namespace",
    "dedicated",
    "consumed",
    "started_at",
    "ended_at",
)
_NAIVE_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001
_LASTED = Q(ended_at=None) | Q(ended_at__gt=F("started_at"))


class Known:
    """The same amounts are one object, however many rows say them."""

    def __init__(self) -> None:
        self._amounts: dict[str, Amounts] = {}
        self._offers: dict[tuple[Amounts, Amounts, bool], Offer] = {}

    def amounts(self, given: str | Mapping[str, str | None]) -> Amounts:
        """Of a JSON object, or of its text."""
        text = given if isinstance(given, str) else msgspec.json.encode(given).decode()
        found = self._amounts.get(text)
        if found is None:
            decoded = msgspec.json.decode(text, type=dict[str, str | None])
            found = self._amounts[text] = Amounts({name: _quantity(one) for name, one in decoded.items()})
        return found

    def offer(self, capacity: Amounts, card_capacity: Amounts, *, whole: bool) -> Offer:
        key = (capacity, card_capacity, whole)
        if key not in self._offers:
            self._offers[key] = Offer(capacity, card_capacity, whole)
        return self._offers[key]


def coverage(clusters: Iterable[int]) -> dict[int, list[Span]]:
    """When each cluster was read."""
    found: dict[int, list[Span]] = {cluster: [] for cluster in clusters}
    rows = Coverage.objects.filter(cluster__in=list(found)).order_by()
    for cluster, start, end in rows.values_list("cluster_id", "started_at", "ended_at"):
        found[cluster].append(Span(micros(start), micros(end)))
    return {cluster: united(spans) for cluster, spans in found.items()}


def devices(windows: Windows, narrowed: Q, known: Known) -> list[Device]:
    """As they were published then, and, of those that were not, as they had been before.

    Also what they were between two windows: the later one may begin with a device that is gone.
    """
    windows = {cluster: (_whole(spans),) for cluster, spans in windows.items() if spans}
    rows = DeviceInterval.objects.filter(narrowed, _LASTED).order_by()
    last = Window(Max("started_at"), partition_by=[F(column) for column in _DEVICE])
    gone = rows.filter(_before(windows)).annotate(last=last).filter(started_at=F("last"))
    columns = ("started_at", "ended_at", "node", "product", "accelerator", "card", "partitioned")
    amounts = ("capacity", "card_capacity")
    before, then = (
        some.values_list(*_DEVICE, *columns, *amounts) for some in (gone, rows.filter(_overlapping(windows)))
    )
    found = [_device(row, known) for row in _plain(before.union(then, all=True))]
    return sorted(found, key=lambda device: device.start)


def shares(windows: Windows, narrowed: Q, known: Known) -> Iterator[Share]:
    """Those that hold something: admin access does not."""
    for row in _plain(share_rows(windows, narrowed).order_by("started_at").values_list(*SHARE)):
        yield share(row, known)


def share_rows(windows: Windows, narrowed: Q) -> QuerySet[ShareInterval]:
    return ShareInterval.objects.filter(narrowed, _LASTED, _overlapping(windows), admin_access=False)


def share(row: Sequence[Any], known: Known) -> Share:
    """From the columns of `SHARE`."""
    cluster, driver, pool, device, uid, team, namespace, dedicated, consumed, start, end = row
    return Share(
        _instant(start),
        None if end is None else _instant(end),
        DeviceKey(cluster, driver, pool, device),
        ClaimKey(cluster, uid),
        team,
        namespace,
        bool(dedicated),
        known.amounts(consumed),
    )


def uses(windows: Windows, narrowed: Q) -> Iterator[Use]:
    """Which workloads used claims."""
    rows = use_rows(windows, narrowed).order_by("started_at")
    columns = ("cluster_id", "claim_uid", "workload_kind", "workload_name", "started_at", "ended_at")
    for cluster, uid, kind, name, start, end in _plain(rows.values_list(*columns)):
        ended = None if end is None else _instant(end)
        yield Use(_instant(start), ended, ClaimKey(cluster, uid), Workload(kind, name))


def use_rows(windows: Windows, narrowed: Q) -> QuerySet[PodInterval]:
    return PodInterval.objects.filter(narrowed, _LASTED, _overlapping(windows))


def _device(row: Sequence[Any], known: Known) -> Device:
    *key, start, end, node, product, accelerator, card, partitioned, capacity, card_capacity = row
    name = DeviceKey(*key)
    offer = known.offer(
        known.amounts(capacity),
        known.amounts(card_capacity),
        whole=not partitioned or name.device == card,
    )
    ended = None if end is None else _instant(end)
    return Device(_instant(start), ended, name, node, product, bool(accelerator), card, offer)


def _plain(rows: QuerySet[Any]) -> Iterator[Sequence[Any]]:
    """As the driver gives them. Django would convert every value apart, which takes longer than all else."""
    try:
        statement, values = rows.query.sql_with_params()
    except EmptyResultSet:
        return
    with connection.chunked_cursor() as cursor:
        with by_index():
            cursor.execute(statement, values)
        while some := cursor.fetchmany(_AT_ONCE):
            yield from some


def _instant(value: datetime) -> int:
    """SQLite's driver does not say that it is in UTC."""
    return (value - _NAIVE_EPOCH) // MICROSECOND if value.tzinfo is None else micros(value)


def _overlapping(windows: Windows) -> Q:
    found = Q(pk__in=())
    for cluster, spans in windows.items():
        for span in _few(spans):
            found |= Q(
                Q(ended_at=None) | Q(ended_at__gt=moment(span.start)),
                cluster=cluster,
                started_at__lt=moment(span.end),
            )
    return found


def _before(windows: Windows) -> Q:
    found = Q(pk__in=())
    for cluster, spans in windows.items():
        if spans:
            found |= Q(cluster=cluster, ended_at__lte=moment(spans[0].start))
    return found


def _few(spans: Sequence[Span]) -> Sequence[Span]:
    return spans if len(spans) <= _MOST_WINDOWS else (_whole(spans),)


def _whole(spans: Sequence[Span]) -> Span:
    return Span(spans[0].start, spans[-1].end)


def _quantity(text: str | None) -> Quantity | None:
    try:
        return None if text is None else parse(text)
    except QuantityError:
        return None
