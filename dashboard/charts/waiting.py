"""How long claims waited: how many so long, and how long beside how busy the cards were."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard.charts import times
from dashboard.charts.figure import Figure, layout
from dashboard.charts.text import bold, lines, plain
from dashboard.words import ages, amounts, spans
from inventory.history.instants import SECOND, Span, moment
from inventory.queries.history.pending import BORDERS
from inventory.queries.history.waiting import Waiting, WaitingStep
from inventory.queries.usage.rows import Period

_HEIGHT, _SMALL = 200, 120
_WIDE = 0.4
_MARGIN = {"l": 52, "r": 8, "t": 8, "b": 40, "pad": 0}


def bars() -> list[str]:
    """What each bar of the distribution stands for: `under 1 s`, `1 s to 2 s` …"""
    ends = [spans.duration(border * SECOND) for border in BORDERS]
    between = [
        _("%(least)s to %(most)s") % {"least": least, "most": most}
        for least, most in zip(ends, ends[1:], strict=False)
    ]
    return [_("under %(most)s") % {"most": ends[0]}, *between, _("%(least)s and more") % {"least": ends[-1]}]


def distribution_figure(found: Waiting) -> Figure:
    """Allocated and still waiting, side by side; the scale of time is that of a logarithm."""
    words = bars()
    ticks = ["0", *(spans.duration(border * SECOND) for border in BORDERS)]
    return {
        "data": [
            _counted(found.counts, words, -_WIDE / 2, "var(--team-1)", _("allocated")),
            _counted(found.pending.counts, words, _WIDE / 2, "var(--team-2)", _("still waiting")),
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
    """Half of the claims waited no longer than the line says, nine of ten no longer than the dots."""
    half = [(one, one.waited.half) for one in found.steps if one.waited.half is not None]
    most = [(one, one.waited.nine_of_ten) for one in found.steps if one.waited.nine_of_ten is not None]
    return {
        "data": [
            _gaps(found, _LOWEST, _HIGHEST),
            _marks(half, found.period, "circle", 7, "var(--team-1)"),
            _marks(most, found.period, "circle-open", 7, "var(--team-1)"),
        ],
        "layout": layout(
            height=_HEIGHT,
            margin={**_MARGIN, "b": 8},
            xaxis=times.axis(found.period, showticklabels=False),
            yaxis={
                "type": "log",
                "range": _decades(half, most),
                "tickmode": "array",
                "tickvals": [border for border in _TICKS],
                "ticktext": [spans.duration(border * SECOND) for border in _TICKS],
            },
        ),
        "narrow": {"xaxis": times.fewer(found.period)},
    }
