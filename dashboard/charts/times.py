"""A time axis in seconds from the beginning of a period, in UTC, with its own words.

Plotly would count in the time of the browser, and knows our languages not.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from inventory.history.buckets import Step, borders
from inventory.history.instants import SECOND, Span, micros
from inventory.queries.history.read import span_of
from inventory.queries.usage.rows import Period

_DAY = timedelta(days=1)
# The distance of ticks for periods up to so long.
_HOURS = ((timedelta(hours=8), 1), (_DAY, 4), (timedelta(days=2), 6))
_DAYS = ((timedelta(days=8), 1), (timedelta(days=31), 5), (timedelta(days=120), 15))
# The 31st would stand too close to the 1st.
_LAST_DAY = 28
# Nothing that is shown is narrower than this part of a period: about a pixel and a half.
_NARROWEST = 700


def seconds(instant: int, period: Period) -> int:
    """Where an instant lies on the axis."""
    return (instant - micros(period.start)) // SECOND


def width(span: Span, period: Period) -> int:
    """How long a bar is drawn; what is very short is still seen."""
    asked = span_of(period)
    return max((span.end - span.start) // SECOND, (asked.end - asked.start) // SECOND // _NARROWEST)


def axis(period: Period, **own: Any) -> dict[str, Any]:
    ticks = list(_ticks(period))
    return {
        "range": [0, (micros(period.end) - micros(period.start)) // SECOND],
        "showgrid": True,
        "tickmode": "array",
        **places(ticks, period),
        **own,
    }


def fewer(period: Period) -> dict[str, Any]:
    """Every second tick, where there is less room."""
    return places(list(_ticks(period))[::2], period)


def places(ticks: Sequence[datetime], period: Period) -> dict[str, Any]:
    return {
        "tickvals": [seconds(micros(tick), period) for tick in ticks],
        "ticktext": [_word(tick, period) for tick in ticks],
    }


def spans_trace(spans: Iterable[Span], period: Period, top: float, **own: Any) -> dict[str, Any]:
    """Times as upright bars from 0 to `top`, behind all that is drawn."""
    found = list(spans)
    widths = [width(span, period) for span in found]
    return {
        "type": "bar",
        "hoverinfo": "text",
        "x": [seconds(span.start, period) + wide / 2 for span, wide in zip(found, widths, strict=True)],
        "width": widths,
        "y": [top] * len(found),
        "base": [0] * len(found),
        **own,
    }


def _ticks(period: Period) -> Iterator[datetime]:
    lasts = period.end - period.start
    hours = next((every for longest, every in _HOURS if lasts <= longest), None)
    days = next((every for longest, every in _DAYS if lasts <= longest), None)
    for border in borders(period.start, period.end, _step(hours, days), UTC)[1:-1]:
        if hours:
            wanted = border.hour % hours == 0
        elif days:
            wanted = days == 1 or (border.day % days == 1 and border.day <= _LAST_DAY)
        else:
            wanted = border.month % 2 == 1
        if wanted:
            yield border


def _step(hours: int | None, days: int | None) -> Step:
    return Step.HOUR if hours else Step.DAY if days else Step.MONTH


def _word(tick: datetime, period: Period) -> str:
    if tick.hour:
        return tick.strftime("%H:%M")
    return tick.strftime("%Y-%m" if period.end - period.start > _DAYS[-1][0] else "%m-%d")
