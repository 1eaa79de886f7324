"""The part of a team's page that looks back: what it held over time beside its limits."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.http import HttpRequest
from django.utils.translation import gettext as _

from dashboard.charts import trend as charts
from dashboard.pages import spans
from dashboard.pages.spans import Looked
from dashboard.words import quotas
from dashboard.words import spans as words
from inventory.history.instants import Span
from inventory.history.steps import Step
from inventory.models import Team, TeamQuota
from inventory.queries.history import trend as queries
from inventory.queries.history.trend import TrendRow
from inventory.viewer import Viewer


class StepLine(NamedTuple):
    step: Step
    peak: str
    peak_exactly: str
    mean: str


class TrendLine(NamedTuple):
    """`name` is the id of its figure in the page."""

    name: str
    trend: TrendRow
    title: str
    devices: str
    axis_unit: str
    say: str
    label: str
    figure: dict[str, Any]
    steps: Sequence[StepLine]


class TrendPart(NamedTuple):
    """`unread` is told once, where it is the same for all."""

    looked: Looked
    lines: Sequence[TrendLine]
    more: int
    unread: Sequence[Span] | None

    @property
    def drawn(self) -> bool:
        return any(line.trend.peak is not None for line in self.lines)


def part(
    request: HttpRequest, team: Team, limits: Sequence[TeamQuota], now: datetime, viewer: Viewer
) -> TrendPart:
    """With all limits of the team, whenever they hold. Raises Refused."""
    looked = spans.looked_back(request, now, otherwise="month", anchor="#trend")
    found = queries.trends(team, looked.period, viewer=viewer, limits=limits)
    lines = [_line(number, row, looked, team.colour) for number, row in enumerate(found.rows)]
    gaps = {row.unread for row in found.rows}
    return TrendPart(looked, lines, found.more, gaps.pop() if len(gaps) == 1 else None)


def _line(number: int, row: TrendRow, looked: Looked, colour: int) -> TrendLine:
    return TrendLine(
        name=f"trend-{number}",
        trend=row,
        title=quotas.dimension_title(row.dimension),
        devices=", ".join(row.devices) or _("any card"),
        axis_unit=charts.axis_unit(row),
        say=say(row),
        label=charts.label(row, looked.period),
        figure=charts.trend_figure(row, looked.period, colour),
        steps=[_step(one, row) for one in reversed(row.steps)],
    )


def _step(one: Step, row: TrendRow) -> StepLine:
    if one.peak is None or one.mean is None:
        return StepLine(one, "", "", "")
    return StepLine(
        one,
        charts.amount(one.peak, row.unit),
        charts.exact(one.peak, row.unit),
        charts.amount(one.mean, row.unit),
    )


def say(row: TrendRow) -> str:
    """What the picture shows, in one sentence."""
    if row.peak is None:
        return _("nothing was read in this time, so nothing is known of it")
    at_most = {"peak": charts.amount(row.peak, row.unit)}
    if not row.limits:
        return _("at most %(peak)s held at once") % at_most
    if row.over:
        return _("at most %(peak)s held at once; over the limit for %(time)s") % {
            **at_most,
            "time": words.duration(row.over),
        }
    return _("at most %(peak)s held at once; never over the limit") % at_most
