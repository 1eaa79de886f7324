"""The report of one month: what each team held of each product."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from dashboard.access.viewer import viewer_of
from dashboard.pages import filtering
from dashboard.pages.around import cluster_names
from dashboard.pages.filtering import choose, write
from dashboard.pages.refusal import Refused
from dashboard.pages.shell import page, show
from dashboard.pages.source import chosen_clusters
from dashboard.pages.usage import source
from dashboard.pages.usage_question import Link, Month, Nothing, filters_of, kept, nothing, so_far
from dashboard.words import periods
from dashboard.words.periods import PeriodError, Zone
from inventory.queries import options
from inventory.queries.slices import TeamBrief, teams
from inventory.queries.usage import sums
from inventory.queries.usage.filters import UsageFilter
from inventory.queries.usage.reach import reach
from inventory.queries.usage.report import report
from inventory.queries.usage.rows import Period, UsageGroup, UsageRow
from inventory.queries.usage.sums import Whose
from inventory.snapshot import snapshot
from inventory.viewer import Viewer


class TeamRows(NamedTuple):
    """Of one team, a row for each product; `part` is what these come to."""

    whose: Whose
    part: sums.Part
    rows: Sequence[UsageRow]


@page
def usage_month(request: HttpRequest, asked: Month) -> HttpResponse:
    now, viewer = timezone.now(), viewer_of(request.user)
    zone = _zone(request.GET)
    period = _period(asked, zone)
    filters = filters_of(request.GET, viewer)
    with snapshot():
        named = teams(viewer=viewer)
        known = reach(chosen_clusters(request.GET))
        why = nothing(period, known, now)
        over = so_far(period, known, now)
        found = {} if why else kept(lambda: _read(over, filters, viewer, named), "gone", zone)
    return show(
        request,
        "usage/month.html",
        {
            "asked": asked,
            "zone": zone,
            "before": _beside(request.GET, asked, -1),
            "after": _beside(request.GET, asked, 1) if period.end < now else None,
            "form": _form(request, named),
            "span": periods.span(period, zone),
            "so_far": periods.local(over.end, zone) if over.end < period.end else "",
            "nothing": Nothing.DETAIL if "gone" in found else why,
            "first": periods.local(known.first, zone) if known.first else "",
            "made_at": now,
            **found,
        },
        active="usage",
        source=source("usage/report/", request.GET, period, ("group_by", "team,product")),
    )


def _read(
    period: Period, filters: UsageFilter, viewer: Viewer, known: Mapping[str, TeamBrief]
) -> dict[str, Any]:
    by_team = report(period, [UsageGroup.TEAM, UsageGroup.PRODUCT], filters, viewer=viewer)
    by_product = report(period, [UsageGroup.PRODUCT], filters, viewer=viewer)
    return {
        "teams": list(_teams(by_team.rows, known)),
        "withheld": any(row.withheld for row in by_team.rows),
        "total": sums.total(by_product),
        "products": by_product.rows,
        "readings": by_product.readings,
    }


def _beside(query: QueryDict, asked: Month, months: int) -> Link | None:
    month = asked.later(months)
    return month.link(query) if month else None


def _teams(rows: Iterable[UsageRow], known: Mapping[str, TeamBrief]) -> Iterable[TeamRows]:
    def of(row: UsageRow) -> Whose:
        return sums.whose(row, known)

    ordered = sorted(rows, key=lambda row: sums.order(of(row)))
    for whose, found in groupby(ordered, key=of):
        own = list(found)
        yield TeamRows(whose, sums.part(whose, own), own)


def _zone(query: QueryDict) -> Zone:
    """Raises Refused."""
    try:
        return periods.zone(query.get("tz"))
    except PeriodError as error:
        raise Refused(error.faults) from error


def _period(asked: Month, zone: Zone) -> Period:
    """Raises Http404 for a month that no calendar has."""
    try:
        return periods.month(asked.year, asked.month, zone)
    except (ValueError, OverflowError):
        raise Http404(_("There is no such month.")) from None


def _form(request: HttpRequest, known: Mapping[str, TeamBrief]) -> filtering.Form:
    fields = [
        write(request, "tz", _("Time zone"), periods.UTC_NAME),
        choose(request, "team", _("Team"), options.teams(known.values())),
        choose(request, "product", _("Product"), options.products()),
        choose(request, "cluster", _("Cluster"), cluster_names(request)),
    ]
    return filtering.form(request, fields)
