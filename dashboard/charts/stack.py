"""Stacked bars as Plotly traces: the grey track, then one trace for each team, never one for each share."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from dashboard.charts.segments import WHOLE, Bar, Segment

_PATTERNS = {"hatch": "/", "dots": "."}
_OTHER_LAST = 9


class Row(NamedTuple):
    """A bar; `y` is its middle, in pixels. `free` says what is left, `href` is where a click leads.

    `longest` is the first form of its labels that is wanted.
    """

    y: float
    height: float
    bar: Bar
    free: str
    href: str
    longest: int = 0


def traces(rows: Sequence[Row]) -> list[dict[str, Any]]:
    by_colour: defaultdict[int, list[tuple[Row, Segment]]] = defaultdict(list)
    for row in rows:
        for segment in row.bar.segments:
            by_colour[segment.colour].append((row, segment))
    colours = sorted(by_colour, key=lambda colour: colour or _OTHER_LAST)
    return [_free(rows), *(_team(colour, by_colour[colour]) for colour in colours)]


def _free(rows: Sequence[Row]) -> dict[str, Any]:
    return {
        **_bars((row, Decimal(0), WHOLE) for row in rows),
        "hovertext": [row.free for row in rows],
        "customdata": [row.href for row in rows],
        "marker": {
            "color": "var(--free)",
            "line": {"width": 0},
            "pattern": {
                "shape": [_PATTERNS[row.bar.patterns[0].name] if row.bar.patterns else "" for row in rows],
                "fgcolor": "var(--hatch)",
                "bgcolor": "var(--free)",
                "size": 6,
                "solidity": 0.25,
                "fillmode": "overlay",
            },
        },
    }


def _team(colour: int, segments: Sequence[tuple[Row, Segment]]) -> dict[str, Any]:
    return {
        **_bars((row, segment.start, segment.width) for row, segment in segments),
        "text": [""] * len(segments),
        "textposition": "inside",
        "insidetextanchor": "start",
        "textangle": 0,
        "constraintext": "none",
        "textfont": {"size": 11, "color": f"var(--team-{colour}-ink)"},
        "marker": {"color": f"var(--team-{colour})", "line": {"width": 1, "color": "var(--surface)"}},
        "hovertext": [segment.hover for _, segment in segments],
        "customdata": [row.href for row, _ in segments],
        "meta": {
            "forms": [list(segment.forms[row.longest :]) for row, segment in segments],
        },
    }


def _bars(spans: Iterable[tuple[Row, Decimal, Decimal]]) -> dict[str, Any]:
    found = list(spans)
    return {
        "type": "bar",
        "orientation": "h",
        "hoverinfo": "text",
        "y": [row.y for row, _, _ in found],
        "width": [row.height for row, _, _ in found],
        "base": [place(start) for _, start, _ in found],
        "x": [place(width) for _, _, width in found],
    }


def place(per_cent: Decimal) -> float:
    """A place on the screen, a hundredth of a per cent apart: JSON has no other number for it."""
    return float(round(per_cent, 2))
