"""What a team held over time: the most of each step as a line, the average below it, and the limits."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import zip_longest
from typing import Any

from django.utils.translation import gettext as _

from dashboard.charts import times
from dashboard.charts.figure import Figure, layout
from dashboard.charts.text import bold, lines, plain
from dashboard.words import amounts, quotas, spans
from inventory.dra.quotas.standing import at_least
from inventory.dra.units import Unit
from inventory.history.instants import SECOND, Span
from inventory.history.steps import Limit, Step
from inventory.kube.quantity import Notation
from inventory.queries.history.read import span_of
from inventory.queries.history.trend import TrendRow
from inventory.queries.usage.rows import Period

_HEIGHT = 172
# The scale ends past the larger of limit and use.
_PAST = Fraction(11, 10)
_GIB = 2**30
_LARGE = 10


def trend_figure(row: TrendRow, period: Period, colour: int) -> Figure:
    top = _top(row)
    team = f"var(--team-{colour})"
    return {
        "data": [
            _unread(row.unread, period, top),
            _area(row, period, team),
            _line(row, period, team),
            *(_limit(one, row.unit, period) for one in row.limits),
        ],
        "layout": layout(
            height=_HEIGHT,
            margin={"l": 52, "r": 8, "t": 8, "b": 26, "pad": 0},
            hovermode="closest",
            xaxis=times.axis(period, showgrid=False),
            yaxis={"range": [0, top], "nticks": 4, "ticksuffix": "", "tickformat": _tick_format(top)},
        ),
        "narrow": {"xaxis": times.fewer(period)},
    }


def amount(value: Fraction, unit: Unit) -> str:
    """Never told as less than it is."""
    return amounts.amount(at_least(value, Notation.BINARY if unit is Unit.BYTES else Notation.DECIMAL), unit)


def exact(value: Fraction, unit: Unit) -> str:
    return amounts.exact(at_least(value, Notation.BINARY if unit is Unit.BYTES else Notation.DECIMAL), unit)


def label(row: TrendRow, period: Period) -> str:
    """For those who do not see it."""
    words = {"dimension": quotas.dimension_title(row.dimension), "between": spans.of_period(period)}
    if row.peak is None:
        return _("%(dimension)s over time, %(between)s: nothing was read.") % words
    told = _("%(dimension)s over time, %(between)s: at most %(peak)s.") % {
        **words,
        "peak": amount(row.peak, row.unit),
    }
    limits = ", ".join(amount(one.amount, row.unit) for one in row.limits)
    return f"{told} {_('Limit: %(limits)s.') % {'limits': limits}}" if limits else told


def axis_unit(row: TrendRow) -> str:
    """In what the axis counts."""
    if row.unit is Unit.BYTES:
        return "GiB"
    if row.unit is Unit.PERCENT:
        # xgettext:no-python-format
        return _("% of a card")
    return ""


def _top(row: TrendRow) -> float:
    largest = max((row.peak or Fraction(0), *(one.amount for one in row.limits)))
    return _place(largest * _PAST, row.unit) or 1


def _place(value: Fraction, unit: Unit) -> float:
    """A place on the screen: JSON has no other number for it."""
    return round(float(value / _GIB if unit is Unit.BYTES else value), 4)


def _tick_format(top: float) -> str:
    return ",.0f" if top >= _LARGE else ",.2~f"


def _unread(gaps: Iterable[Span], period: Period, top: float) -> dict[str, Any]:
    found = list(gaps)
    return times.spans_trace(
        found,
        period,
        top,
        hovertext=[lines(bold(_("not read")), plain(spans.between(one))) for one in found],
        marker={"color": "var(--free)", "line": {"width": 0}},
    )


def _line(row: TrendRow, period: Period, team: str) -> dict[str, Any]:
    points = list(_points(row))
    return {
        "type": "scatter",
        "mode": "lines",
        "connectgaps": False,
        "x": [times.seconds(at, period) for at, _height, _step in points],
        "y": [height for _at, height, _step in points],
        "hoverinfo": "text",
        "hovertext": [_hover(one, row) for _at, _height, one in points],
        "line": {"shape": "hv", "width": 1.5, "color": team},
    }


def _area(row: TrendRow, period: Period, team: str) -> dict[str, Any]:
    """Of bars: an area would be filled across what was not read."""
    read = [(one.span, one.mean) for one in row.steps if one.mean is not None]
    widths = [(span.end - span.start) // SECOND for span, _mean in read]
    starts = [times.seconds(span.start, period) for span, _mean in read]
    return {
        "type": "bar",
        "hoverinfo": "skip",
        "x": [start + wide / 2 for start, wide in zip(starts, widths, strict=True)],
        "width": widths,
        "y": [_place(mean, row.unit) for _span, mean in read],
        "opacity": 0.24,
        "marker": {"color": team, "line": {"width": 0}},
    }


def _points(row: TrendRow) -> Iterator[tuple[int, float | None, Step]]:
    """The last value before a break once more, where its step ends: a step lasts. What was not read breaks
    the line."""
    for one, after in zip_longest(row.steps, row.steps[1:]):
        height = None if one.peak is None else _place(one.peak, row.unit)
        yield one.span.start, height, one
        if height is not None and (after is None or after.peak is None):
            yield one.span.end, height, one


def _limit(one: Limit, unit: Unit, period: Period) -> dict[str, Any]:
    kind = _("hard limit %(amount)s") if one.hard else _("soft limit %(amount)s")
    asked = span_of(period)
    start, end = (times.seconds(min(max(at, asked.start), asked.end), period) for at in one.span)
    height = _place(one.amount, unit)
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [start, end],
        "y": [height, height],
        "hoverinfo": "text",
        "hovertext": [bold(kind % {"amount": amount(one.amount, unit)})] * 2,
        "line": {"dash": "dash" if one.hard else "dot", "width": 1.5, "color": "var(--ink-2)"},
    }


def _hover(one: Step, row: TrendRow) -> str:
    if one.peak is None or one.mean is None:
        return lines(bold(_("not read")), plain(spans.between(one.span)))
    told = _("at most %(peak)s, on average %(mean)s") % {
        "peak": amount(one.peak, row.unit),
        "mean": amount(one.mean, row.unit),
    }
    over = _("over the limit for %(time)s") % {"time": spans.duration(one.over)} if one.over else ""
    missing = _("a part of it is not known") if one.unknown else ""
    return lines(bold(told), plain(spans.between(one.span)), plain(over), plain(missing))
