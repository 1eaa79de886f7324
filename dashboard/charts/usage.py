"""What teams held over time."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from dashboard.charts.figure import Figure, layout
from dashboard.charts.text import bold, plain
from dashboard.words import hours, periods
from dashboard.words.periods import Zone
from inventory.history.buckets import Step as Length
from inventory.queries.usage.rows import Period
from inventory.queries.usage.sums import NOTHING, Gaps, Part, Step

OTHERS = 0
_HEIGHT, _NARROW = 280, 220
_TICKS = {
    Length.HOUR: "%m-%d\n%H:%M",
    Length.DAY: "%m-%d",
    Length.WEEK: "%m-%d",
    Length.MONTH: "%Y-%m",
}
# Narrower, the words over a gap would not fit.
_ROOM_FOR_WORDS = Fraction(1, 12)


class Band(NamedTuple):
    """What is drawn in one colour: a team, or all that have no colour of their own."""

    colour: int
    slug: str
    name: str


def bands(steps: Sequence[Step]) -> list[Band]:
    """From below; those without a colour are one, on top."""
    found = {_band(part) for step in steps for part in step.parts if part.card_equivalents}
    return sorted(found, key=lambda one: (one.colour or 9, one.slug))


def area_figure(steps: Sequence[Step], length: Length, zone: Zone, gaps: Gaps) -> Figure:
    """In steps; where nothing was read it breaks off, and the time is grey."""
    drawn = bands(steps)
    traces = [_trace(run, band, number, zone) for number, run in enumerate(_runs(steps)) for band in drawn]
    whole = Period(steps[0].period.start, steps[-1].period.end)
    return {
        "data": traces,
        "layout": layout(
            height=_HEIGHT,
            hovermode="x unified",
            dragmode="zoom",
            shapes=[*_shapes(gaps.nothing, zone), *_shapes(gaps.some, zone, partly=True)],
            annotations=_words(gaps.nothing, whole, zone),
            xaxis={
                "type": "date",
                "range": [_place(whole.start, zone), _place(whole.end, zone)],
                "tickformat": _TICKS[length],
                "hoverformat": "%Y-%m-%d %H:%M",
                "showgrid": False,
                "fixedrange": False,
            },
            yaxis={"rangemode": "tozero", "tickformat": ",~r", "ticksuffix": " h", "nticks": 6},
            margin={"l": 64, "r": 8, "t": 8, "b": 36, "pad": 0},
        ),
        "narrow": {"height": _NARROW, "xaxis": {"nticks": 4}},
    }


def _band(part: Part) -> Band:
    one = part.whose
    if not one.colour:
        return Band(OTHERS, "", _("other"))
    return Band(one.colour, one.slug, hours.whose(one))


def _runs(steps: Sequence[Step]) -> Iterator[list[Step]]:
    """Steps of which something was read, as long as they follow each other."""
    for read, run in groupby(steps, key=lambda one: bool(one.read)):
        if read:
            yield list(run)


def _trace(run: Sequence[Step], band: Band, number: int, zone: Zone) -> dict[str, Any]:
    """Each step is as wide as it is long: the last value once more, at its end."""
    values = [_held(step, band) for step in run]
    texts = [f"{bold(band.name)} {plain(_told(step, band))}" for step in run]
    return {
        "type": "scatter",
        "mode": "lines",
        "stackgroup": f"run-{number}",
        "x": [*(_place(step.period.start, zone) for step in run), _place(run[-1].period.end, zone)],
        "y": [*map(height_of, values), height_of(values[-1])],
        "line": {"shape": "hv", "width": 1, "color": "var(--surface)"},
        "fillcolor": f"var(--team-{band.colour})",
        "text": [*texts, texts[-1]],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _held(step: Step, band: Band) -> Fraction:
    return sum((part.card_equivalents for part in step.parts if _band(part) == band), NOTHING)


def _told(step: Step, band: Band) -> str:
    """What is not known is beside the number, and no zero."""
    held = _held(step, band)
    not_known = sum((part.unknown for part in step.parts if _band(part) == band), NOTHING)
    if not not_known:
        return hours.hours(held)
    lasting = {"hours": hours.hours(not_known)}
    if not held:
        return f"{_('not known')} {_('for %(hours)s') % lasting}"
    return f"{hours.hours(held)} {_('and %(hours)s of unknown size') % lasting}"


def _shapes(spans: Iterable[Period], zone: Zone, *, partly: bool = False) -> list[dict[str, Any]]:
    """What was read in part has a dotted edge: told apart by more than a shade."""
    edge = {"width": 1.5, "dash": "dot", "color": "var(--ink-3)"} if partly else {"width": 0}
    return [
        {
            "type": "rect",
            "yref": "paper",
            "x0": _place(span.start, zone),
            "x1": _place(span.end, zone),
            "y0": 0,
            "y1": 1,
            "fillcolor": "var(--hatch)",
            "opacity": 0.16 if partly else 0.3,
            "line": edge,
            "layer": "below",
        }
        for span in spans
    ]


def _words(spans: Iterable[Period], whole: Period, zone: Zone) -> list[dict[str, Any]]:
    return [
        {
            "x": _place(span.start + (span.end - span.start) / 2, zone),
            "y": 1,
            "yref": "paper",
            "yanchor": "top",
            "showarrow": False,
            "text": plain(_("not read")),
            "font": {"size": 11, "color": "var(--ink-3)"},
        }
        for span in spans
        if (span.end - span.start) >= (whole.end - whole.start) * float(_ROOM_FOR_WORDS)
    ]


def height_of(seconds: Fraction) -> float:
    """A place on the screen: JSON has no other number for it."""
    return round(float(seconds / hours.HOUR), 3)


def _place(moment: datetime, zone: Zone) -> str:
    """By the clocks of the zone; a picture knows none of its own."""
    return periods.local(moment, zone)
