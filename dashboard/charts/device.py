"""One device: a stacked bar for each dimension, one segment for each share."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from dashboard.charts.figure import Figure, layout, note
from dashboard.charts.segments import track_bar
from dashboard.charts.stack import Row, traces
from dashboard.charts.text import bold, plain
from dashboard.words import amounts
from inventory.queries.slices import Track

_HEAD = 24
_BAR = 24
_GAP = 16
_AXIS = 24


def drawn(tracks: Sequence[Track]) -> list[Track]:
    """Those with a length: what is not known, or nothing, stands in the table only."""
    return [track for track in tracks if track.total and track.allocated is not None]


def dimensions_figure(name: str, tracks: Sequence[Track], *, barred: bool = False) -> Figure:
    shown = drawn(tracks)
    height = len(shown) * (_HEAD + _BAR + _GAP) - _GAP
    rows, notes = [], []
    for place, track in enumerate(shown):
        top = place * (_HEAD + _BAR + _GAP)
        bar = track_bar(name, track, barred=barred)
        rows.append(Row(top + _HEAD + _BAR / 2, _BAR, bar, plain(free(track)), ""))
        notes += _heads(track, top + _HEAD - 2)
    return {
        "data": traces(rows),
        "layout": layout(
            height=height + _AXIS,
            margin={"l": 1, "r": 1, "t": 0, "b": _AXIS, "pad": 0},
            annotations=[*notes, *_ends(height)],
            xaxis=_axis((25, 50, 75)),
            yaxis={"range": [height, 0], "visible": False},
        ),
        "narrow": {"xaxis": _axis((25, 50))},
    }


def free(track: Track) -> str:
    """What is left, and why it may be of no use."""
    words = {
        "left": amounts.amount(track.remaining, track.unit)
        if track.remaining is not None
        else amounts.not_known(),
        "dimension": amounts.dimension_label(track.name),
    }
    if track.stranded:
        return _("%(left)s %(dimension)s left, but another dimension is used up") % words
    return _("%(left)s %(dimension)s left") % words


def _heads(track: Track, y: float) -> list[dict[str, Any]]:
    allocated = _("%(allocated)s of %(total)s allocated") % {
        "allocated": _amount(track, track.allocated),
        "total": _amount(track, track.total),
    }
    left = plain(_("%(amount)s left")) % {"amount": bold(_amount(track, track.remaining))}
    return [
        note(f"{bold(amounts.dimension_title(track.name))}  {plain(allocated)}", 0, y),
        note(left, 100, y, xanchor="right"),
    ]


def _amount(track: Track, quantity: Any) -> str:
    return amounts.not_known() if quantity is None else amounts.amount(quantity, track.unit)


def _ends(height: float) -> list[dict[str, Any]]:
    small = {"yanchor": "top", "yshift": -2, "font": {"size": 11, "color": "var(--ink-3)"}}
    return [
        note("0", 0, height, **small),
        # xgettext:no-python-format
        note(plain(_("100 % of the device")), 100, height, xanchor="right", **small),
    ]


def _axis(ticks: Sequence[int]) -> dict[str, Any]:
    return {
        "range": [0, 100],
        "showgrid": False,
        "tickmode": "array",
        "tickvals": list(ticks),
        "ticktext": [f"{tick} %" for tick in ticks],
    }
