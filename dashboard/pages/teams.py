"""Teams: what each holds and may hold, and who in it holds what."""

from collections.abc import Sequence
from datetime import datetime
from time import monotonic
from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from dashboard.access.viewer import viewer_of
from dashboard.charts.quotas import quota_bar
from dashboard.charts.segments import Bar
from dashboard.charts.teams import drawn, sum_bar, teams_figure
from dashboard.pages import spans, team_trend
from dashboard.pages.paging import paged
from dashboard.pages.pods import HeldAmount, held_amounts
from dashboard.pages.searches import BusyError, Searches, busy
from dashboard.pages.seen import Seen, seen
from dashboard.pages.shell import page, piece, show
from dashboard.pages.source import Source
from dashboard.pages.usage_question import Month
from inventory.models import Card, Cluster, Team, TeamQuota
from inventory.queries import by_team, holdings, native_quotas, options, quotas, team_room, totals
from inventory.queries import largest as largest_queries
from inventory.queries import shares as share_queries
from inventory.queries import teams as team_queries
from inventory.queries.by_team import ProductSum
from inventory.queries.quotas import QuotaRow
from inventory.queries.shares import ShareRow
from inventory.queries.slices import briefs
from inventory.queries.team_room import TeamRoom
from inventory.queries.teams import TeamRow
from inventory.queries.uses import Uses
from inventory.snapshot import snapshot
from inventory.viewer import Viewer

PARAMETER = "largest"
_NOW = "now"
_searches: Searches[TeamRoom] = Searches(32, team_room.is_whole)


class SumLine(NamedTuple):
    sum: ProductSum
    bar: Bar


class QuotaLine(NamedTuple):
    quota: QuotaRow
    bar: Bar


class ShareLine(NamedTuple):
    share: ShareRow
    amounts: list[HeldAmount]


class ClusterRoom(NamedTuple):
    cluster: str
    room: TeamRoom
    seen: Seen


class RoomPart(NamedTuple):
    """Without `rooms` it is still to be asked for."""

    address: str
    limited: bool
    busy: bool = False
    rooms: Sequence[ClusterRoom] | None = None


@page
def teams(request: HttpRequest) -> HttpResponse:
    now, viewer = timezone.now(), viewer_of(request.user)
    with snapshot():
        known = list(team_queries.queryset(viewer=viewer))
        found = paged(request, known)
        # The bars and the last row are of everybody.
        figures = team_queries.Figures()
        limits = quotas.in_force(now, [one.pk for one in known])
        rows = team_queries.rows(
            found.rows, now, viewer=viewer, reader=request.user.pk, figures=figures, limits=limits
        )
        products = totals.by_product(Card.objects.all())
        sums = by_team.sums(figures.uses.held, products, briefs(known), viewer=viewer)
        others = figures.others(viewer=viewer)
        over = quotas.exceeded(limits, figures.uses)
    return show(
        request,
        "teams.html",
        {
            "paged": found,
            "teams": rows,
            "others": others,
            "sums": [SumLine(one, sum_bar(one)) for one in sums],
            "figure": teams_figure(sums) if drawn(sums) else None,
            "legend": by_team.holders(sums),
            "withheld": any(part.withheld for one in sums for part in one.parts),
            "over": over,
            "sees_everything": viewer.teams is None,
        },
        active="teams",
        source=Source("teams/", table=True, kinds=team_queries.KINDS),
    )


@page
def team(request: HttpRequest, slug: str) -> HttpResponse:
    now, viewer = timezone.now(), viewer_of(request.user)
    with snapshot():
        itself = team_queries.queryset(viewer=viewer).filter(slug=slug).first()
        if itself is None:
            raise Http404(_("There is no such team, or it is not yours to see."))
        every_limit = list(quotas.queryset(viewer=viewer).filter(team=itself))
        held = holdings.counted(share_queries.queryset(viewer=viewer)).filter(claim__team=itself)
        figures = team_queries.Figures([itself.pk])
        (row,) = team_queries.rows(
            [itself],
            now,
            viewer=viewer,
            reader=request.user.pk,
            figures=figures,
            limits=[one for one in every_limit if quotas.is_in_force(one, now)],
        )
        limits = [*row.quotas, *_to_come(every_limit, now, figures.uses)]
        shares = paged(request, held.order_by("started_at", "pk"))
        lines = [_share_line(one) for one in share_queries.rows(shares.rows, viewer=viewer)]
        native = native_quotas.of_team(itself.pk, viewer=viewer)
        trend = team_trend.part(request, itself, every_limit, now, viewer)
    return show(
        request,
        "team.html",
        {
            "team": row,
            "month": Month(now.year, now.month),
            "quotas": [QuotaLine(one, quota_bar(one, row.colour)) for one in limits],
            "over": _over([row]),
            "reasons": list(dict.fromkeys(reason for one in limits for reason in one.reasons)),
            "paged": shares,
            "lines": lines,
            "native": native,
            "room": _room_part(request, row),
            "trend": trend,
        },
        active="teams",
        source=Source(f"teams/{slug}/", dropped=[PARAMETER, *spans.PARAMETERS], kinds=team_queries.KINDS),
    )


@never_cache
@piece
def team_largest(request: HttpRequest, slug: str) -> HttpResponse:
    row = get_object_or_404(team_queries.queryset(viewer=viewer_of(request.user)), slug=slug)
    try:
        rooms = _rooms(row, viewer_of(request.user))
    except BusyError:
        return busy()
    part = RoomPart(reverse("team_largest", args=(slug,)), limited=_is_limited(row), rooms=rooms)
    return render(request, "parts/team_room.html", {"part": part})


def _share_line(share: ShareRow) -> ShareLine:
    return ShareLine(share, held_amounts(share.device.driver, share.held))


def _to_come(limits: Sequence[TeamQuota], now: datetime, uses: Uses) -> list[QuotaRow]:
    """In the order in which they begin."""
    later = [(one.starts_at, one.pk, one) for one in limits if one.starts_at and one.starts_at > now]
    return quotas.rows((one for *_, one in sorted(later)), now, uses)


def _is_limited(row: Team) -> bool:
    return TeamQuota.objects.in_force(timezone.now()).filter(team=row).exists()


def _over(rows: Sequence[TeamRow]) -> int:
    return sum(one.state == "over" for row in rows for one in row.quotas)


def _room_part(request: HttpRequest, row: TeamRow) -> RoomPart:
    later = RoomPart(reverse("team_largest", args=(row.slug,)), limited=bool(row.quotas))
    if request.GET.get(PARAMETER) != _NOW:
        return later
    try:
        return later._replace(rooms=_rooms(Team.objects.get(pk=row.id), viewer_of(request.user)))
    except BusyError:
        return later._replace(busy=True)


def _rooms(row: Team, viewer: Viewer) -> list[ClusterRoom]:
    """All clusters together get the time of one search. Raises BusyError."""
    until = monotonic() + largest_queries.SECONDS
    with snapshot():
        clusters = Cluster.objects.filter(name__in=options.clusters()).order_by("name")
        return [_room(row, cluster, until, viewer) for cluster in clusters]


def _room(row: Team, cluster: Cluster, until: float, viewer: Viewer) -> ClusterRoom:
    limits = team_room.limits_of(row, cluster, timezone.now())
    subject = ("team", row.pk, team_room.stamp(limits))
    room = _searches.answer(
        cluster, subject, lambda: team_room.room(row, cluster, limits, seconds=until - monotonic())
    )
    return ClusterRoom(cluster.name, room, seen(cluster.name, team_room.KINDS, viewer=viewer))
