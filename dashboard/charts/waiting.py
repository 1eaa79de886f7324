"""How long claims waited: how many so long, and how long beside how busy the cards were."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import log10
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard.charts import times
from dashboard.charts.figure import Figure, layout
from dashboard.charts.text import bold, lines, plain
from dashboard.words import amounts, spans
from inventory.history.instants import SECOND
from inventory.queries.history.pending import BORDERS
from inventory.queries.history.waiting import Waiting, WaitingStep
from inventory.queries.usage.rows import Period

_HEIGHT, _SMALL = 200, 120
_WIDE = 0.4
_TITLE = {"standoff": 8, "font": {"size": 11, "color": "var(--ink-3)"}}
# Marks of the axis of waiting times, in seconds.
_TICKS = (1, 2, 5, 10, 20, 60, 120, 300, 600, 1800, 3600, 10_800, 21_600, 86_400, 259_200, 604_800)
_MOST_TICKS = 6
_MARGIN = {"l": 52, "r": 8, "t": 8, "b": 40, "pad": 0}


def bars() -> list[str]:
    """What each bar of the distribution stands for: `under 1 s`, `1 s to 2 s` …"""
    ends = [spans.duration(border * SECOND) for border in BORDERS]
    between = [_("%(least)s to %(most)s") % {"least": least, "most": most} for least, most in pairwise(ends)]
    return [_("under %(most)s") % {"most": ends[0]}, *between, _("%(least)s and more") % {"least": ends[-1]}]


def distribution_figure(found: Waiting) -> Figure:
    """Allocated and still waiting, side by side; the scale of time is that of a logarithm."""
    words = bars()
    ticks = ["0", *(spans.duration(border * SECOND) for border in BORDERS)]
    return {
        "data": [
            _counted(found.counts, words, -_WIDE / 2, "var(--accent)", _("allocated")),
            _counted(found.pending.counts, words, _WIDE / 2, "var(--warn)", _("still waiting")),
        ],
        "layout": layout(
            height=_HEIGHT,
            margin=_MARGIN,
            xaxis={
                "range": [-0.6, len(words) - 0.4],
                "showgrid": False,
                "tickmode": "array",
                "tickvals": [place - 0.5 for place in range(len(ticks))],
                "ticktext": ticks,
            },
            yaxis={"rangemode": "tozero", "nticks": 4, "tickformat": ",d"},
        ),
        "narrow": {
            "xaxis": {
                "tickvals": [place - 0.5 for place in range(0, len(ticks), 3)],
                "ticktext": ticks[::3],
            }
        },
    }


def over_time_figure(found: Waiting) -> Figure:
    """Of each step a dot for the half that waited least, and a ring for nine of ten."""
    half = [(one, one.waited.half) for one in found.steps if one.waited.half is not None]
    most = [(one, one.waited.nine_of_ten) for one in found.steps if one.waited.nine_of_ten is not None]
    lowest, highest = _range([value for _one, value in (*half, *most)])
    return {
        "data": [
            _gaps(found, lowest, highest),
            _marks(most, found, "circle-open"),
            _marks(half, found, "circle"),
        ],
        "layout": layout(
            height=_HEIGHT,
            margin={**_MARGIN, "b": 8},
            xaxis=times.axis(found.period, showticklabels=False),
            yaxis=_of_waits(lowest, highest),
        ),
        "narrow": {"xaxis": times.fewer(found.period)},
    }


def in_use_figure(found: Waiting) -> Figure:
    """Which part of the cards was in use in the same steps."""
    read = [(one, one.in_use) for one in found.steps if one.in_use is not None]
    return {
        "data": [
            _gaps(found, 0, 100),
            {
                "type": "bar",
                "hoverinfo": "text",
                "x": [_middle(one, found.period) for one, _in_use in read],
                "width": [times.width(one.span, found.period) for one, _in_use in read],
                "y": [_per_cent(in_use) for _one, in_use in read],
                "hovertext": [_hover(one) for one, _in_use in read],
                "marker": {"color": "var(--team-0)", "line": {"width": 0}},
            },
        ],
        "layout": layout(
            height=_SMALL,
            margin={**_MARGIN, "b": 26},
            xaxis=times.axis(found.period),
            yaxis={"range": [0, 100], "tickvals": [0, 50, 100], "ticktext": ["0 %", "50 %", "100 %"]},
        ),
        "narrow": {"xaxis": times.fewer(found.period)},
    }


def busy_figure(found: Waiting) -> Figure:
    """A dot for each step: how busy the cards were, and how long half of the claims waited."""
    both = [
        (one, one.waited.half, one.in_use)
        for one in found.steps
        if one.waited.half is not None and one.in_use is not None
    ]
    lowest, highest = _range([half for _one, half, _in_use in both])
    return {
        "data": [
            {
                "type": "scatter",
                "mode": "markers",
                "hoverinfo": "text",
                "x": [_per_cent(in_use) for _one, _half, in_use in both],
                "y": [_place(half) for _one, half, _in_use in both],
                "hovertext": [_hover(one) for one, _half, _in_use in both],
                "marker": {"size": 7, "opacity": 0.6, "color": "var(--accent)", "line": {"width": 0}},
            }
        ],
        "layout": layout(
            height=_HEIGHT,
            margin=_MARGIN,
            xaxis={
                "range": [-2, 102],
                "showgrid": False,
                "tickvals": [0, 25, 50, 75, 100],
                "ticktext": [f"{tick} %" for tick in (0, 25, 50, 75, 100)],
                "title": {"text": plain(_("of the cards in use")), **_TITLE},
            },
            yaxis=_of_waits(lowest, highest),
        ),
    }


def _counted(
    counts: Sequence[int], words: Sequence[str], beside: float, tone: str, what: str
) -> dict[str, Any]:
    return {
        "type": "bar",
        "hoverinfo": "text",
        "x": [place + beside for place in range(len(counts))],
        "width": [_WIDE] * len(counts),
        "y": list(counts),
        "hovertext": [
            lines(bold(word), plain(f"{claims(number)}, {what}"))
            for word, number in zip(words, counts, strict=True)
        ],
        "marker": {"color": tone, "line": {"width": 0}},
    }


def claims(number: int) -> str:
    return ngettext("%(n)s claim", "%(n)s claims", number) % {"n": f"{number:,}"}


def _marks(steps: Sequence[tuple[WaitingStep, int]], found: Waiting, symbol: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "hoverinfo": "text",
        "x": [_middle(one, found.period) for one, _waited in steps],
        "y": [_place(waited) for _one, waited in steps],
        "hovertext": [_hover(one) for one, _waited in steps],
        "marker": {"symbol": symbol, "size": 6, "color": "var(--accent)"},
    }


def _gaps(found: Waiting, lowest: float, highest: float) -> dict[str, Any]:
    gaps = [one.span for one in found.steps if one.not_read]
    return times.spans_trace(
        gaps,
        found.period,
        highest - lowest,
        base=[lowest] * len(gaps),
        hovertext=[lines(bold(_("not read")), plain(spans.between(one))) for one in gaps],
        marker={"color": "var(--free)", "line": {"width": 0}},
    )


def _of_waits(lowest: float, highest: float) -> dict[str, Any]:
    inside = [one for one in _TICKS if lowest <= _place(one * SECOND) <= highest]
    ticks = inside[:: -(-len(inside) // _MOST_TICKS)] if inside else inside
    return {
        "range": [lowest, highest],
        "tickvals": [_place(one * SECOND) for one in ticks],
        "ticktext": [spans.duration(one * SECOND) for one in ticks],
    }


def _range(values: Sequence[int]) -> tuple[float, float]:
    places = [_place(one) for one in values]
    return min(places, default=0.0) - 0.2, max(places, default=1.0) + 0.2


def _place(waited: int) -> float:
    """Ten times as long is as far as from a second to ten; what is under half a second lies there."""
    return round(log10(max(waited / SECOND, 0.5)), 4)


def _middle(one: WaitingStep, period: Period) -> float:
    return times.seconds(one.span.start, period) + times.width(one.span, period) / 2


def _per_cent(part: Fraction) -> float:
    return round(float(part * 100), 2)


def _hover(one: WaitingStep) -> str:
    busy = (
        _("%(part)s of the cards in use") % {"part": amounts.share_of(one.in_use)}
        if one.in_use is not None
        else ""
    )
    return lines(bold(spans.between(one.span)), plain(waited(one)), plain(busy))


def waited(one: WaitingStep) -> str:
    known = one.waited
    if known.half is None or known.nine_of_ten is None:
        return _("no claim was allocated") if not known.unknown else _("how long claims waited is not known")
    return _("%(claims)s; half waited up to %(half)s, nine of ten up to %(most)s") % {
        "claims": claims(known.number),
        "half": spans.duration(known.half),
        "most": spans.duration(known.nine_of_ten),
    }
