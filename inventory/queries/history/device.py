"""Who held which slice of a device when: share by share, or, where there are very many, team by team."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import msgspec
from django.db.models import Q

from inventory.history.axis import common, united
from inventory.history.instants import Span, micros
from inventory.kube.quantity import Quantity
from inventory.models import Claim, Device, InstantSource, PodInterval, ShareInterval
from inventory.queries.history.published import Published, absent, changes, published, quantity
from inventory.queries.history.read import Read, read_in, span_of, time_in
from inventory.queries.slices import OTHERS, TeamBrief, teams
from inventory.queries.usage.rows import Period
from inventory.viewer import Viewer

# So many shares are drawn each by itself.
MOST_SHARES = 150
# Where they are not, what lies closer together than this part of the period is one bar.
_CLOSER = 400
_AT_ONCE = 5_000
_PODS_NAMED = 3


class Held(msgspec.Struct, frozen=True):
    """A time in which something of the device was held, as far as it lies in the period.

    It is one share with its claim; or `shares` of one team, or of all others, that are told as one. `team` is
    None where it was nobody's. `time`: microseconds of it that were read, with gaps between shares left out.
    `going_on`: held when it was last read.
    """

    span: Span
    time: int
    going_on: bool
    team: TeamBrief | None
    shares: int
    admin_access: bool
    share: "OneShare | None" = None


class OneShare(msgspec.Struct, frozen=True):
    """What of a single share may be told. `claim_id` is None where the claim is gone.

    `since` and `until` are its ends, also outside of the period; `since_not_before` where it was only seen.
    """

    namespace: str
    claim: str
    claim_id: int | None
    pods: tuple[str, ...]
    more_pods: int
    dedicated: bool
    amounts: Mapping[str, Quantity | None]
    since: datetime
    since_source: InstantSource
    since_not_before: datetime | None
    until: datetime | None
    until_not_before: datetime | None


class Timeline(msgspec.Struct, frozen=True):
    """`held` has a bar for each of `shares`, or, where `merged`, for each team the times close to each other.

    `totals` add up each team's time. `absent` is when the device was not published.
    """

    period: Period
    read: Read
    shares: int
    merged: bool
    held: tuple[Held, ...]
    totals: tuple[Held, ...]
    absent: tuple[Span, ...]
    changes: tuple[Published, ...]

    @property
    def anything_read(self) -> bool:
        return bool(self.read.spans)

    @property
    def watched(self) -> bool:
        """Somebody had admin access, who holds nothing by it."""
        return any(one.admin_access for one in self.totals)


class _Row(msgspec.Struct, frozen=True):
    pk: int
    slug: str
    admin_access: bool
    start: int
    end: int | None


class _Whose(msgspec.Struct, frozen=True):
    """Whose rows are told together; of what is withheld nothing but that it is."""

    slug: str
    withheld: bool
    admin_access: bool


def timeline(device: Device, period: Period, *, viewer: Viewer) -> Timeline:
    """A fixed number of queries, and a bounded number of bars."""
    read, asked = read_in(period, [device.cluster_id])[device.cluster_id], span_of(period)
    known = teams(viewer=viewer)
    by_whose = _by_whose(_rows(device, period), known, viewer)
    named = [row for whose, rows in by_whose.items() if not whose.withheld for row in rows]
    merged = len(named) > MOST_SHARES
    totals = [_total(whose, rows, asked, read, known) for whose, rows in by_whose.items()]
    apart = {} if merged else _shares(device, named, period, viewer)
    bars = [
        bar
        for whose, rows in by_whose.items()
        for bar in (
            _merged(whose, rows, asked, read, known)
            if merged or whose.withheld
            else _each(whose, rows, asked, read, known, apart)
        )
    ]
    intervals = published(device, period)
    return Timeline(
        period=period,
        read=read,
        shares=sum(map(len, by_whose.values())),
        merged=merged,
        held=tuple(sorted(bars, key=lambda bar: (bar.span, bar.admin_access))),
        totals=tuple(sorted((one for one in totals if one), key=lambda one: (one.admin_access, -one.time))),
        absent=tuple(absent(intervals, read)),
        changes=tuple(changes(intervals, read, asked)),
    )


def _rows(device: Device, period: Period) -> Iterable[_Row]:
    columns = ("pk", "team_slug", "admin_access", "started_at", "ended_at")
    found = ShareInterval.objects.filter(_is(device), _overlaps(period)).order_by("started_at", "pk")
    for pk, slug, admin_access, start, end in found.values_list(*columns).iterator(_AT_ONCE):
        yield _Row(pk, slug, admin_access, micros(start), None if end is None else micros(end))


def _by_whose(
    rows: Iterable[_Row], known: Mapping[str, TeamBrief], viewer: Viewer
) -> dict[_Whose, list[_Row]]:
    found: defaultdict[_Whose, list[_Row]] = defaultdict(list)
    for row in rows:
        withheld = viewer.teams is not None and row.slug not in known
        found[_Whose("" if withheld else row.slug, withheld, row.admin_access)].append(row)
    return dict(found)


def _span(row: _Row, asked: Span, read: Read) -> Span:
    """What was not seen to end lasted until the last reading, and nobody knows of later."""
    last = micros(read.until) if read.until else row.start
    end = max(row.start, last) if row.end is None else row.end
    return Span(max(row.start, asked.start), min(end, asked.end))


def _team(whose: _Whose, known: Mapping[str, TeamBrief]) -> TeamBrief | None:
    """A team that is no more is still called by its short name."""
    if whose.withheld:
        return OTHERS
    return known.get(whose.slug) or (TeamBrief(whose.slug, whose.slug, 0) if whose.slug else None)


def _time(spans: Sequence[Span], read: Read) -> int:
    return sum(end - start for start, end in common(spans, read.spans))


def _total(
    whose: _Whose, rows: Sequence[_Row], asked: Span, read: Read, known: Mapping[str, TeamBrief]
) -> Held | None:
    spans = united(_span(row, asked, read) for row in rows)
    if not spans:
        return None
    return Held(
        span=Span(spans[0].start, spans[-1].end),
        time=_time(spans, read),
        going_on=any(row.end is None for row in rows),
        team=_team(whose, known),
        shares=len(rows),
        admin_access=whose.admin_access,
    )


def _each(
    whose: _Whose,
    rows: Sequence[_Row],
    asked: Span,
    read: Read,
    known: Mapping[str, TeamBrief],
    apart: Mapping[int, OneShare],
) -> Iterable[Held]:
    for row in rows:
        span = _span(row, asked, read)
        yield Held(
            span=span,
            time=time_in(span, read.spans),
            going_on=row.end is None,
            team=_team(whose, known),
            shares=1,
            admin_access=whose.admin_access,
            share=apart.get(row.pk),
        )


def _merged(
    whose: _Whose, rows: Sequence[_Row], asked: Span, read: Read, known: Mapping[str, TeamBrief]
) -> Iterable[Held]:
    """Bars of several shares each; what is closer together than could be seen is one."""
    closer = (asked.end - asked.start) // _CLOSER
    group: list[tuple[Span, bool]] = []
    end = 0
    for row in rows:
        span = _span(row, asked, read)
        if group and span.start - end > closer:
            yield _bar(whose, group, read, known)
            group = []
        end = max(end, span.end) if group else span.end
        group.append((span, row.end is None))
    if group:
        yield _bar(whose, group, read, known)


def _bar(
    whose: _Whose, group: Sequence[tuple[Span, bool]], read: Read, known: Mapping[str, TeamBrief]
) -> Held:
    return Held(
        span=Span(group[0][0].start, max(span.end for span, _ in group)),
        time=_time(united(span for span, _ in group), read),
        going_on=any(going_on for _, going_on in group),
        team=_team(whose, known),
        shares=len(group),
        admin_access=whose.admin_access,
    )


def _shares(device: Device, rows: Sequence[_Row], period: Period, viewer: Viewer) -> dict[int, OneShare]:
    intervals = ShareInterval.objects.visible_to(viewer).in_bulk([row.pk for row in rows])
    uids = {one.claim_uid for one in intervals.values()}
    pods = _pods(device.cluster_id, uids, period, viewer)
    claims = Claim.objects.visible_to(viewer).filter(cluster=device.cluster_id, uid__in=uids)
    ids = dict(claims.values_list("uid", "pk"))
    return {
        pk: _share(one, pods.get(one.claim_uid, []), ids.get(one.claim_uid)) for pk, one in intervals.items()
    }


def _share(one: ShareInterval, pods: Sequence[str], claim_id: int | None) -> OneShare:
    return OneShare(
        namespace=one.namespace,
        claim=one.claim_name,
        claim_id=claim_id,
        pods=tuple(pods[:_PODS_NAMED]),
        more_pods=max(0, len(pods) - _PODS_NAMED),
        dedicated=one.dedicated,
        amounts={name: quantity(text) for name, text in one.consumed.items()},
        since=one.given_at or one.started_at,
        since_source=InstantSource(one.given_source or one.started_source),
        since_not_before=None if one.given_at else one.started_not_before,
        until=one.ended_at,
        until_not_before=one.ended_not_before,
    )


def _pods(cluster: int, uids: Iterable[str], period: Period, viewer: Viewer) -> dict[str, list[str]]:
    """The Pods that used each claim in the period, in the order in which they came."""
    rows = PodInterval.objects.visible_to(viewer).filter(_overlaps(period))
    used = rows.filter(cluster=cluster, claim_uid__in=list(uids), resource="pods").order_by(
        "started_at", "pk"
    )
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for uid, name in used.values_list("claim_uid", "pod_name"):
        found[uid][name] = None
    return {uid: list(names) for uid, names in found.items()}


def _overlaps(period: Period) -> Q:
    return Q(Q(ended_at=None) | Q(ended_at__gt=period.start), started_at__lt=period.end)


def _is(device: Device) -> Q:
    return Q(cluster=device.cluster_id, driver=device.pool.driver, pool=device.pool.name, device=device.name)
