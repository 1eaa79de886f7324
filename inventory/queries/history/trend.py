"""What a team held over time, in the measure of each of its quotas, beside the limits of those times."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import timedelta
from fractions import Fraction
from typing import Any

import msgspec
from django.db.models import Q

from inventory.dra.quotas.pending import CARD_EQUIVALENTS, CARDS
from inventory.dra.quotas.standing import measured
from inventory.dra.units import Unit, unit_of
from inventory.history.axis import common, within, without
from inventory.history.instants import MICROSECOND, Span, micros
from inventory.history.steps import Limit, Step, steps
from inventory.history.sweep import ClaimKey, Device, DeviceKey, Share
from inventory.history.trend import Trend
from inventory.kube.quantity import Notation
from inventory.models import ShareInterval, Team, TeamQuota
from inventory.models.visibility import visible
from inventory.queries.history.read import Read, known_together, read_in, span_of
from inventory.queries.usage import recorded
from inventory.queries.usage.recorded import Known
from inventory.queries.usage.rows import Period
from inventory.snapshot import by_index
from inventory.viewer import Viewer

MOST_TRENDS = 6
# Periods up to so long have steps of this length, which begin at its multiples.
_STEPS = (
    (timedelta(days=1), timedelta(minutes=10)),
    (timedelta(days=7), timedelta(hours=1)),
    (timedelta(days=31), timedelta(hours=6)),
    (timedelta(days=366), timedelta(days=1)),
)
_AT_ONCE = 5_000


class DeviceSet(msgspec.Struct, frozen=True):
    """On which devices a quota is; empty, or None, is any."""

    cluster: int | None
    driver: str
    product: str
    device_class: str

    def has(self, device: Device) -> bool:
        return (
            self.cluster in (None, device.key.cluster)
            and self.driver in ("", device.key.driver)
            and self.product in ("", device.product)
        )


class TrendRow(msgspec.Struct, frozen=True):
    """One measure of one set of devices. `limits` are those of the period, the hard ones first.

    `unread` is when not all of its clusters were read: then nothing is told, for it would be too little.
    `reasons` say what is not in the sums where a part was not known.
    """

    dimension: str
    devices: tuple[str, ...]
    unit: Unit
    limits: tuple[Limit, ...]
    steps: tuple[Step, ...]
    unread: tuple[Span, ...]
    reasons: tuple[str, ...]

    @property
    def peak(self) -> Fraction | None:
        return max((one.peak for one in self.steps if one.peak is not None), default=None)

    @property
    def over(self) -> int:
        return sum(one.over for one in self.steps)

    @property
    def unknown(self) -> int:
        return sum(one.unknown for one in self.steps)

    @property
    def read(self) -> int:
        return sum(one.read for one in self.steps)


class Trends(msgspec.Struct, frozen=True):
    """`more` quotas measure other things, which are not told."""

    period: Period
    rows: tuple[TrendRow, ...]
    more: int


class _Asked(msgspec.Struct, frozen=True):
    dimension: str
    on: DeviceSet


def trends(
    team: Team, period: Period, *, viewer: Viewer, limits: Iterable[TeamQuota] | None = None
) -> Trends:
    """A fixed number of queries. Without a quota in the period it is card-equivalents, with no limit.

    `limits`: all of the team, whenever they hold, where they have been asked for.
    """
    if limits is None:
        limits = TeamQuota.objects.filter(team=team).select_related("cluster")
    quotas = _by_measure(limits, period)
    shown = dict(list(quotas.items())[:MOST_TRENDS]) or {
        _Asked(CARD_EQUIVALENTS, DeviceSet(None, "", "", "")): []
    }
    reads, asked = read_in(period), span_of(period)
    windows = {pk: one.spans for pk, one in reads.items() if one.spans}
    shares = _shares(team, period, windows, viewer)
    devices = _devices(windows, {share.device for _class, share in shares})
    rows = tuple(_row(one, of_it, reads, asked, devices, shares) for one, of_it in shown.items())
    return Trends(period, rows, max(0, len(quotas) - MOST_TRENDS))


def borders(asked: Span) -> list[int]:
    """Both ends, and every multiple of the step between them."""
    lasts = (asked.end - asked.start) * MICROSECOND
    length = next((step for longest, step in _STEPS if lasts <= longest), _STEPS[-1][1]) // MICROSECOND
    first = -(-asked.start // length) * length
    between = range(first, asked.end, length)
    return [asked.start, *(one for one in between if one > asked.start), asked.end]


def _by_measure(limits: Iterable[TeamQuota], period: Period) -> dict[_Asked, list[TeamQuota]]:
    """Those that held at some time of it, by what they measure."""
    found: defaultdict[_Asked, list[TeamQuota]] = defaultdict(list)
    for one in sorted(limits, key=lambda one: (one.dimension, not one.hard, one.pk)):
        begun = one.starts_at is None or one.starts_at < period.end
        if begun and (one.ends_at is None or one.ends_at > period.start):
            on = DeviceSet(one.cluster_id, one.driver, one.product, one.device_class)
            found[_Asked(one.dimension, on)].append(one)
    return dict(found)


def _devices(windows: Mapping[int, Sequence[Span]], held: Set[DeviceKey]) -> list[Device]:
    """Chosen from all of them here: there are far more shares than devices for a database to look through."""
    if not held:
        return []
    return [one for one in recorded.devices(windows, recorded.ALL, Known()) if one.key in held]


def _shares(
    team: Team, period: Period, windows: Mapping[int, Sequence[Span]], viewer: Viewer
) -> list[tuple[str, Share]]:
    """With the device class by which each was asked for, in the order of time."""
    if not windows:
        return []
    rows = ShareInterval.objects.filter(
        Q(ended_at=None) | Q(ended_at__gt=period.start),
        visible(ShareInterval, viewer),
        cluster__in=list(windows),
        team_slug=team.slug,
        started_at__lt=period.end,
        admin_access=False,
    )
    columns = ("cluster_id", "driver", "pool", "device", "claim_uid", "namespace", "dedicated", "consumed")
    more = ("device_class", "started_at", "ended_at")
    known = Known()
    with by_index():
        found = list(rows.order_by("started_at", "pk").values_list(*columns, *more).iterator(_AT_ONCE))
    return [_share(team, row, known) for row in found]


def _share(team: Team, row: Sequence[Any], known: Known) -> tuple[str, Share]:
    *key, uid, namespace, dedicated, consumed, device_class, start, end = row
    share = Share(
        micros(start),
        None if end is None else micros(end),
        DeviceKey(*key),
        ClaimKey(key[0], uid),
        team.slug,
        namespace,
        dedicated,
        known.amounts(consumed),
    )
    return device_class, share


def _row(
    asked: _Asked,
    quotas: Sequence[TeamQuota],
    reads: Mapping[int, Read],
    span: Span,
    devices: Iterable[Device],
    shares: Sequence[tuple[str, Share]],
) -> TrendRow:
    on, limits = asked.on, _limits(quotas, span)
    read = known_together({pk: one for pk, one in reads.items() if on.cluster in (None, pk)}, span)
    trend = Trend(asked.dimension, lambda _share, device: on.has(device))
    of_class = [one for name, one in shares if on.device_class in ("", name)]
    pieces = list(trend.over(span, devices, of_class))
    read_pieces = [one for one in pieces if one.used.reasons and within(read, one.span)]
    return TrendRow(
        dimension=asked.dimension,
        devices=_named(quotas),
        unit=_unit(asked, trend.units, quotas),
        limits=limits,
        steps=tuple(steps(pieces, read, borders(span), limits)),
        unread=_unread(reads, on, span, read),
        reasons=tuple(dict.fromkeys(reason for one in read_pieces for reason in one.used.reasons)),
    )


def _limits(quotas: Sequence[TeamQuota], span: Span) -> tuple[Limit, ...]:
    return tuple(
        Limit(
            Span(
                micros(one.starts_at) if one.starts_at else span.start,
                micros(one.ends_at) if one.ends_at else span.end,
            ),
            measured(one.limit),
            one.hard,
        )
        for one in quotas
    )


def _named(quotas: Sequence[TeamQuota]) -> tuple[str, ...]:
    """By what the devices are chosen; none: any of them."""
    for one in quotas:
        chosen = (one.product, one.driver, one.device_class, one.cluster.name if one.cluster else "")
        return tuple(name for name in chosen if name)
    return ()


def _unread(reads: Mapping[int, Read], on: DeviceSet, span: Span, read: Sequence[Span]) -> tuple[Span, ...]:
    """The moments since the last reading are not: until they are long, it is as new as it can be."""
    gaps = [gap for pk, one in reads.items() if on.cluster in (None, pk) for gap in one.unread]
    return tuple(common(without([span], read), gaps)) if reads else (span,)


def _unit(asked: _Asked, units: Iterable[Unit], quotas: Sequence[TeamQuota]) -> Unit:
    """As the amounts that were held, else as the dimension is usually read."""
    if asked.dimension in (CARDS, CARD_EQUIVALENTS):
        return Unit.COUNT
    found = list(units)
    if len(found) == 1:
        return found[0]
    notation = Notation(quotas[0].notation) if quotas else Notation.DECIMAL
    return unit_of(asked.on.driver or "*.project-hami.io", asked.dimension, notation)
