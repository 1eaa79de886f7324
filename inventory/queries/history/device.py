"""Who held which slice of a device when: share by share, or, where there are very many, team by team."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec
from django.db.models import Q

from inventory.history.axis import common
from inventory.history.instants import Span, micros
from inventory.kube.quantity import Quantity
from inventory.models import Claim, Device, InstantSource, PodInterval, ShareInterval
from inventory.queries.history.microseconds import Micros
from inventory.queries.history.published import Published, absent, changes, published, quantity
from inventory.queries.history.read import Read, read_in, span_of
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


class _Whose(NamedTuple):
    """Whose rows are told together; of what is withheld nothing but that it is."""

    slug: str
    withheld: bool
    admin_access: bool


class _Row(NamedTuple):
    """A share from `start` to `end` in the period; `going_on`: it was not seen to end."""

    start: int
    end: int
    pk: int
    going_on: bool


def timeline(
    device: Device, period: Period, *, viewer: Viewer, known: Mapping[str, TeamBrief] | None = None
) -> Timeline:
    """A fixed number of queries, and a bounded number of bars.

    `known`: the teams that the viewer may know, where they have been asked for.
    """
    read, asked = read_in(period, [device.cluster_id])[device.cluster_id], span_of(period)
    known = teams(viewer=viewer) if known is None else known
    by_whose = _by_whose(device, period, read, known, viewer)
    named = [row for whose, rows in by_whose.items() if not whose.withheld for row in rows]
    merged = len(named) > MOST_SHARES
    apart = {} if merged else _shares(device, [row.pk for row in named], period, viewer)
    intervals = published(device, period)
    return Timeline(
        period=period,
        read=read,
        shares=sum(map(len, by_whose.values())),
        merged=merged,
        held=tuple(sorted(_bars(by_whose, asked, read, known, apart), key=lambda bar: bar.span)),
        totals=tuple(sorted(_totals(by_whose, read, known), key=lambda one: (one.admin_access, -one.time))),
        absent=tuple(absent(intervals, read)),
        changes=tuple(changes(intervals, read, asked)),
    )


def _by_whose(
    device: Device, period: Period, read: Read, known: Mapping[str, TeamBrief], viewer: Viewer
) -> dict[_Whose, list[_Row]]:
    """In the order of time. What was not seen to end lasted until the last reading; nobody knows of later."""
    asked = span_of(period)
    last = min(micros(read.until), asked.end) if read.until else asked.start
    columns = ("team_slug", "admin_access", "pk", Micros("started_at"), Micros("ended_at"))
    rows = ShareInterval.objects.filter(_is(device), _overlaps(period)).order_by("started_at", "pk")
    found: defaultdict[tuple[str, bool], list[_Row]] = defaultdict(list)
    for slug, admin_access, pk, start, end in rows.values_list(*columns).iterator(_AT_ONCE):
        begins = max(start, asked.start)
        ends = max(begins, last) if end is None else min(end, asked.end)
        found[slug, admin_access].append(_Row(begins, ends, pk, end is None))
    return _together(found, known, viewer)


def _together(
    found: Mapping[tuple[str, bool], list[_Row]], known: Mapping[str, TeamBrief], viewer: Viewer
) -> dict[_Whose, list[_Row]]:
    """All that is withheld as one."""
    together: defaultdict[_Whose, list[_Row]] = defaultdict(list)
    for (slug, admin_access), rows in found.items():
        withheld = viewer.teams is not None and slug not in known
        together[_Whose("" if withheld else slug, withheld, admin_access)] += rows
    return {whose: sorted(rows) if whose.withheld else rows for whose, rows in together.items()}


def _team(whose: _Whose, known: Mapping[str, TeamBrief]) -> TeamBrief | None:
    """A team that is no more is still called by its short name."""
    if whose.withheld:
        return OTHERS
    return known.get(whose.slug) or (TeamBrief(whose.slug, whose.slug, 0) if whose.slug else None)


def _totals(
    by_whose: Mapping[_Whose, Sequence[_Row]], read: Read, known: Mapping[str, TeamBrief]
) -> Iterable[Held]:
    for whose, rows in by_whose.items():
        yield _bar(whose, rows, read, known)


def _bars(
    by_whose: Mapping[_Whose, Sequence[_Row]],
    asked: Span,
    read: Read,
    known: Mapping[str, TeamBrief],
    apart: Mapping[int, OneShare],
) -> Iterable[Held]:
    """Of those that may be named each by itself, where that is known of them; all others merged."""
    closer = (asked.end - asked.start) // _CLOSER
    for whose, rows in by_whose.items():
        if apart and not whose.withheld:
            for row in rows:
                yield _bar(whose, [row], read, known, apart.get(row.pk))
        else:
            for near in _near(rows, closer):
                yield _bar(whose, near, read, known)


def _near(rows: Sequence[_Row], closer: int) -> Iterable[Sequence[_Row]]:
    """Those that are closer together than could be seen."""
    first, end = 0, 0
    for place, row in enumerate(rows):
        if place > first and row.start - end > closer:
            yield rows[first:place]
            first, end = place, row.end
        else:
            end = max(end, row.end)
    if rows:
        yield rows[first:]


def _bar(
    whose: _Whose,
    rows: Sequence[_Row],
    read: Read,
    known: Mapping[str, TeamBrief],
    share: OneShare | None = None,
) -> Held:
    spans = _united(rows)
    return Held(
        span=Span(rows[0].start, max(row.end for row in rows)),
        time=sum(end - start for start, end in common(spans, read.spans)),
        going_on=any(row.going_on for row in rows),
        team=_team(whose, known),
        shares=len(rows),
        admin_access=whose.admin_access,
        share=share,
    )


def _united(rows: Sequence[_Row]) -> list[Span]:
    """Of rows in order; without overlap."""
    found, begins, ends = [], rows[0].start, rows[0].end
    for start, end, _pk, _going_on in rows:
        if start > ends:
            found.append(Span(begins, ends))
            begins, ends = start, end
        elif end > ends:
            ends = end
    return [*found, Span(begins, ends)]


def _shares(device: Device, ids: Sequence[int], period: Period, viewer: Viewer) -> dict[int, OneShare]:
    intervals = ShareInterval.objects.visible_to(viewer).in_bulk(ids)
    uids = {one.claim_uid for one in intervals.values()}
    pods = _pods(device.cluster_id, uids, period, viewer)
    claims = Claim.objects.visible_to(viewer).filter(cluster=device.cluster_id, uid__in=uids)
    claim_ids = dict(claims.values_list("uid", "pk"))
    return {
        pk: _share(one, pods.get(one.claim_uid, []), claim_ids.get(one.claim_uid))
        for pk, one in intervals.items()
    }


def _share(one: ShareInterval, pods: Sequence[str], claim_id: int | None) -> OneShare:
    # Another clock may say that it was given after it was seen.
    given_at = one.given_at if one.given_at and one.given_at <= one.started_at else None
    return OneShare(
        namespace=one.namespace,
        claim=one.claim_name,
        claim_id=claim_id,
        pods=tuple(pods[:_PODS_NAMED]),
        more_pods=max(0, len(pods) - _PODS_NAMED),
        dedicated=one.dedicated,
        amounts={name: quantity(text) for name, text in one.consumed.items()},
        since=given_at or one.started_at,
        since_source=InstantSource(one.given_source if given_at else one.started_source),
        since_not_before=None if given_at else one.started_not_before,
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
