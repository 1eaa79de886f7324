"""In which hours of which days how much was held."""

from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from dashboard.charts.figure import Figure, layout
from dashboard.charts.text import bold, lines, plain
from dashboard.charts.usage import height_of
from dashboard.words import hours
from inventory.queries.usage.rows import HeatCell, UsageHeat
from inventory.queries.usage.sums import NOTHING


def heat_figure(heat: UsageHeat) -> Figure:
    """A column a day, a row an hour; what was not read is a dash, what is not known a ring, and zero its own
    grey."""
    table = by_day(heat)
    unread = [cell for cell in heat.cells if not cell.read and missing(cell, heat)]
    not_known = [cell for cell in heat.cells if is_unknown(cell)]
    return {
        "data": [_heat(table, heat), _marks(unread, "line-ew-open"), _marks(not_known, "circle-open")],
        "layout": layout(
            height=24 * 13 + 40,
            xaxis={
                "type": "category",
                "range": [-0.5, len(table) - 0.5],
                "showgrid": False,
                "nticks": 12,
                "tickangle": 0,
            },
            yaxis={
                "range": [23.5, -0.5],
                "showgrid": False,
                "tickvals": [0, 6, 12, 18],
                "ticktext": ["00:00", "06:00", "12:00", "18:00"],
            },
        ),
        "narrow": {"height": 24 * 10 + 40, "xaxis": {"nticks": 4}},
    }


def by_day(heat: UsageHeat) -> dict[date, dict[int, HeatCell]]:
    """By day and hour; an hour that the clocks left out is not there."""
    found: dict[date, dict[int, HeatCell]] = {}
    for cell in heat.cells:
        found.setdefault(cell.day, {})[cell.hour] = cell
    return found


def missing(cell: HeatCell, heat: UsageHeat) -> Fraction:
    """For how long clusters were not read in it, added up."""
    return max(cell.seconds * len(heat.readings) - cell.read, NOTHING)


def largest(heat: UsageHeat) -> Fraction:
    return max((cell.card_equivalents for cell in heat.cells), default=NOTHING)


def _heat(table: dict[date, dict[int, HeatCell]], heat: UsageHeat) -> dict[str, Any]:
    rows = [[(day, hour, table[day].get(hour)) for day in table] for hour in range(24)]
    return {
        "type": "heatmap",
        "x": list(map(_column, table)),
        "y": list(range(24)),
        "z": [[_use(cell) for *_at, cell in row] for row in rows],
        "text": [[_of_cell(day, hour, cell, heat) for day, hour, cell in row] for row in rows],
        "hoverinfo": "text",
        "hoverongaps": True,
        "zmin": 0,
        "zmax": height_of(largest(heat)) or 1,
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "colorscale": _scale(),
    }


def _marks(cells: Sequence[HeatCell], symbol: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "hoverinfo": "skip",
        "x": [_column(cell.day) for cell in cells],
        "y": [cell.hour for cell in cells],
        "marker": {
            "symbol": symbol,
            "size": 5,
            "color": "var(--ink-3)",
            "line": {"width": 1.5, "color": "var(--ink-3)"},
        },
    }


def _column(day: date) -> str:
    """Less than a year is drawn."""
    return day.strftime("%m-%d")


def _use(cell: HeatCell | None) -> float | None:
    """Where nothing was read, nothing is known; nor where all that was held is of unknown size."""
    if cell is None or not cell.read or is_unknown(cell):
        return None
    return height_of(cell.card_equivalents)


def is_unknown(cell: HeatCell) -> bool:
    """Something was held, and of none of it is known how much."""
    return bool(cell.card_equivalents_unknown) and not cell.card_equivalents


def _of_cell(day: date, hour: int, cell: HeatCell | None, heat: UsageHeat) -> str:
    head = bold(f"{day.isoformat()} {hour:02d}:00")
    if cell is None:
        return lines(head, plain(_("not in the period")))
    unread = missing(cell, heat)
    if not cell.read:
        return lines(head, plain(_("not read")))
    told = [
        *_held(cell),
        _("%(hours)s not read, of all clusters") % {"hours": hours.hours(unread)} if unread else "",
    ]
    return lines(head, *map(plain, told))


def _held(cell: HeatCell) -> list[str]:
    not_known = {"hours": hours.hours(cell.card_equivalents_unknown)}
    if is_unknown(cell):
        return [_("not known"), _("for %(hours)s") % not_known]
    held = _("%(hours)s of card-equivalents") % {"hours": hours.hours(cell.card_equivalents)}
    return [held, _("and %(hours)s of unknown size") % not_known if cell.card_equivalents_unknown else ""]


def _scale() -> list[list[Any]]:
    steps = [[0.005 + 0.995 * step / 9, f"var(--seq-{step})"] for step in range(10)]
    return [[0, "var(--seq-free)"], [0.0049, "var(--seq-free)"], *steps]
