"""What each team holds of memory and cores, product by product."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import groupby

from django.utils.translation import gettext as _

from dashboard.charts.figure import Figure, layout, note
from dashboard.charts.segments import WHOLE, Bar, Segment
from dashboard.charts.stack import Row, traces
from dashboard.charts.text import bold, lines, plain
from dashboard.words import amounts, kinds, quotas
from inventory.queries.by_team import ProductSum, TeamPart

_HEAD = 24
_BAR = 18
_BETWEEN = 2
_GAP = 14
_NOTHING = Decimal(0)


def drawn(sums: Sequence[ProductSum]) -> list[ProductSum]:
    """Those with a length; the others stand in the table only."""
    return [one for one in sums if one.total]


def teams_figure(sums: Sequence[ProductSum]) -> Figure:
    rows, names, sides, y = [], [], [], 0.0
    for (_driver, product), group in groupby(drawn(sums), key=lambda one: (one.driver, one.product)):
        members = list(group)
        names.append(note(bold(kinds.product(product)), 0, y + _HEAD - 4))
        sides.append(note(plain(", ".join(map(_held, members))), 100, y + _HEAD - 4, xanchor="right"))
        y += _HEAD
        for one in members:
            rows.append(Row(y + _BAR / 2, _BAR, sum_bar(one), plain(free(one)), ""))
            y += _BAR + _BETWEEN
        y += _GAP
    return {
        "data": traces(rows),
        "layout": layout(
            height=int(y) + 2,
            margin={"l": 1, "r": 1, "t": 0, "b": 2, "pad": 0},
            annotations=[*names, *sides],
            xaxis={"range": [0, 100], "visible": False},
            yaxis={"range": [int(y), 0], "visible": False},
        ),
        # Beside the name there is no place on a phone; the table has the amounts too.
        "narrow": {"annotations": names},
    }


def sum_bar(one: ProductSum) -> Bar:
    """The scale ends at the total, or past it where more is held."""
    scale = WHOLE / max(Decimal(1), sum((part.ratio or _NOTHING for part in one.parts), _NOTHING))
    segments: list[Segment] = []
    start = _NOTHING
    for part in one.parts:
        if part.ratio:
            segments.append(_segment(part, one, start, part.ratio * scale))
            start += part.ratio * scale
    return Bar(f"{kinds.product(one.product)} {_held(one)}", segments)


def free(one: ProductSum) -> str:
    if one.remaining is None:
        return amounts.not_known()
    return _("%(left)s %(dimension)s left") % {
        "left": amounts.amount(one.remaining, one.unit),
        "dimension": amounts.dimension_label(one.dimension),
    }


def _held(one: ProductSum) -> str:
    """`245 of 1,280 GiB memory`."""
    dimension = amounts.dimension_label(one.dimension)
    if one.allocated is None or one.total is None:
        return f"{dimension} {amounts.not_known()}"
    return f"{amounts.amount_of(one.allocated, one.total, one.unit)} {dimension}"


def _segment(part: TeamPart, one: ProductSum, start: Decimal, width: Decimal) -> Segment:
    name = quotas.whose(part.team.name if part.team else None, withheld=part.withheld)
    held = amounts.amount(part.held, one.unit) if part.held is not None else amounts.not_known()
    text = f"{name} · {held}"
    dimension = amounts.dimension_label(one.dimension)
    return Segment(
        colour=part.team.colour if part.team else 0,
        start=start,
        width=width,
        title=text,
        forms=(text, name),
        hover=lines(bold(name), plain(f"{held} {dimension}")),
    )
