"""What was held over a period: by team over time, by group, and in which hours."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from dashboard.access.viewer import viewer_of
from dashboard.charts import heat as heat_charts
from dashboard.charts import usage as charts
from dashboard.pages.paging import paged
from dashboard.pages.shell import page, show
from dashboard.pages.source import Source, chosen_clusters
from dashboard.pages.usage_question import (
    Link,
    Month,
    Nothing,
    Question,
    filters_of,
    form_of,
    kept,
    nothing,
    presets,
    question_of,
    so_far,
)
from dashboard.words import hours, periods
from dashboard.words.periods import Zone
from inventory.queries.slices import TeamBrief, teams
from inventory.queries.usage import sums
from inventory.queries.usage.filters import UsageFilter
from inventory.queries.usage.reach import reach
from inventory.queries.usage.report import heat, report, series
from inventory.queries.usage.rows import HeatCell, Period, UsageGroup, UsageHeat, UsageReport, UsageRow
from inventory.queries.usage.sums import Part, Step, Whose
from inventory.snapshot import snapshot
from inventory.viewer import Viewer

KINDS = ("resourceslices", "resourceclaims")
_LONGEST_HEAT = timedelta(days=62)


class Line(NamedTuple):
    """Of the table. `name` is that of the group, `under` what that belongs to."""

    row: UsageRow
    whose: Whose | None
    name: str
    under: str = ""


class StepLine(NamedTuple):
    """`parts` are in the order of the columns."""

    starts: str
    parts: Sequence[Part | None]
    step: Step


@page
def usage(request: HttpRequest) -> HttpResponse:
    now, viewer = timezone.now(), viewer_of(request.user)
    question = question_of(request.GET, now)
    filters = filters_of(request.GET, viewer)
    with snapshot():
        named = teams(viewer=viewer)
        known = reach(chosen_clusters(request.GET))
        why = nothing(question.period, known, now)
        over = so_far(question.period, known, now)
        asked = question._replace(period=over)
        found = (
            {} if why else kept(lambda: _read(request, asked, filters, viewer, named), "gone", question.zone)
        )
    return show(
        request,
        "usage/page.html",
        {
            "form": form_of(request, question, named),
            "question": question,
            "zone": question.zone,
            "span": periods.span(question.period, question.zone),
            "so_far": periods.local(over.end, question.zone) if over.end < question.period.end else "",
            "presets": presets(request, now, question),
            "nothing": Nothing.DETAIL if "gone" in found else why,
            "first": periods.local(known.first, question.zone) if known.first else "",
            "month": _month(request.GET, over, question.zone),
            "series": _series(request.GET, question),
            **found,
        },
        active="usage",
        source=source("usage/report/", request.GET, question.period),
    )


def _month(query: QueryDict, period: Period, zone: Zone) -> Link:
    """The report of the month in which the period ends."""
    last = (period.end - timedelta(microseconds=1)).astimezone(zone.info)
    return Month(last.year, last.month).link(query)


def _series(query: QueryDict, question: Question) -> str:
    """What the area draws, as a table."""
    more = (("step", question.step), ("group_by", UsageGroup.TEAM))
    return source("usage/", query, question.period, *more).csv(query)


def source(path: str, query: QueryDict, period: Period, *more: tuple[str, str]) -> Source:
    """The API is asked for the very period that the page shows."""
    return Source(
        path,
        table=True,
        more=[("from", _instant(period.start)), ("to", _instant(period.end)), *more],
        dropped=["from", "to", "step", "ordering"],
        clusters=chosen_clusters(query),
        kinds=KINDS,
    )


def _read(
    request: HttpRequest,
    question: Question,
    filters: UsageFilter,
    viewer: Viewer,
    known: Mapping[str, TeamBrief],
) -> dict[str, Any]:
    period = question.period
    zone = question.zone
    by_product = report(period, [UsageGroup.PRODUCT], filters, viewer=viewer)
    return {
        "total": sums.total(by_product),
        "products": by_product.rows,
        "readings": by_product.readings,
        **kept(lambda: _by_group(request, question, by_product, filters, viewer, known), "groups_gone", zone),
        **kept(lambda: _over_time(question, filters, viewer, known), "area_gone", zone),
        **kept(lambda: _by_hour(period, zone, filters, viewer), "heat_gone", zone),
    }


def _by_group(
    request: HttpRequest,
    question: Question,
    by_product: UsageReport,
    filters: UsageFilter,
    viewer: Viewer,
    known: Mapping[str, TeamBrief],
) -> dict[str, Any]:
    is_known = question.group is UsageGroup.PRODUCT
    found = by_product if is_known else report(question.period, [question.group], filters, viewer=viewer)
    rows = _ordered(found.rows, question.ordering)
    lines = [_line(row, question.group, sums.whose(row, known)) for row in rows]
    return {"paged": paged(request, lines), "withheld": any(row.withheld for row in rows)}


def _ordered(rows: Sequence[UsageRow], ordering: str) -> Sequence[UsageRow]:
    """By names, unless it is asked for by a number."""
    if not ordering:
        return rows
    name = ordering.removeprefix("-")
    return sorted(rows, key=lambda row: getattr(row.use, name), reverse=ordering.startswith("-"))


def _over_time(
    question: Question, filters: UsageFilter, viewer: Viewer, known: Mapping[str, TeamBrief]
) -> dict[str, Any]:
    period, zone = question.period, question.zone
    found = series(period, question.step, [UsageGroup.TEAM], filters, zone=zone.info, viewer=viewer).steps
    steps = [sums.step(one, known) for one in found]
    gaps = sums.gaps(reading for one in found for reading in one.readings)
    columns = sorted({part.whose for step in steps for part in step.parts}, key=sums.order)
    return {
        "gaps": gaps,
        "bands": charts.bands(steps),
        "columns": columns,
        "steps": [_step_line(step, columns, zone) for step in steps],
        "area": charts.area_figure(steps, question.step, zone, gaps) if charts.bands(steps) else None,
    }


def _step_line(step: Step, columns: Sequence[Whose], zone: Zone) -> StepLine:
    parts = {part.whose: part for part in step.parts}
    return StepLine(periods.local(step.period.start, zone), [parts.get(one) for one in columns], step)


def _by_hour(period: Period, zone: Zone, filters: UsageFilter, viewer: Viewer) -> dict[str, Any]:
    shown = Period(max(period.start, period.end - _LONGEST_HEAT), period.end)
    found = heat(shown, filters, zone=zone.info, viewer=viewer)
    table = heat_charts.by_day(found)
    most = heat_charts.largest(found)
    not_known = any(map(heat_charts.is_unknown, found.cells))
    return {
        "heat": heat_charts.heat_figure(found) if most or not_known else None,
        "heat_cut": periods.span(shown, zone) if shown != period else "",
        "heat_most": most,
        "heat_not_known": not_known,
        "heat_days": list(table),
        "heat_rows": [
            (f"{hour:02d}:00", [_heat_cell(table[day].get(hour), found) for day in table])
            for hour in range(24)
        ],
    }


def _heat_cell(cell: HeatCell | None, found: UsageHeat) -> tuple[HeatCell | None, Fraction]:
    """With how long it was not read."""
    return cell, heat_charts.missing(cell, found) if cell else sums.NOTHING


def _line(row: UsageRow, group: UsageGroup, whose: Whose) -> Line:
    if row.withheld or group is UsageGroup.TEAM:
        return Line(row, whose, hours.whose(whose))
    match group:
        case UsageGroup.NAMESPACE:
            return Line(row, whose, row.namespace or "", row.cluster or "")
        case UsageGroup.WORKLOAD:
            kind = f"{row.workload_kind} · {row.namespace}" if row.workload_kind else row.namespace or ""
            return Line(row, whose, row.workload_name or _("no Pod"), kind)
        case UsageGroup.NODE:
            return Line(row, None, row.node or _("no node"), row.cluster or "")
        case UsageGroup.CLUSTER:
            return Line(row, None, row.cluster or "")
    return Line(row, None, "")


def _instant(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
