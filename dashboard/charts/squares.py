"""Cards as squares, a row for each node: the small form of the wall, for pages that show other things too."""

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from dashboard.words import states
from inventory.queries.wall import Cell, Column, Group


class Square(NamedTuple):
    """`use` in whole per cent, None where it is not known."""

    href: str
    title: str
    use: int | None
    tainted: bool


class Strip(NamedTuple):
    """The cards of one place; `href` is its page."""

    cluster: str
    place: str
    href: str
    squares: list[Square]


def strips(groups: Iterable[Group]) -> list[Strip]:
    """Cards of different kinds on one node stand in one row."""
    found: dict[tuple[str, str], Strip] = {}
    for group in groups:
        for column in group.columns:
            at = (group.cluster, column.place)
            strip = found.setdefault(at, Strip(*at, column_href(column), []))
            strip.squares.extend(_square(cell) for cell in column.cells)
    return [found[key] for key in sorted(found)]


def column_href(column: Column) -> str:
    """The page of the node, or the list of the pool's cards."""
    if column.node:
        return reverse("node", args=[column.node])
    return f"{reverse('devices')}?{urlencode({'pool': column.place})}"


def use_words(cell: Cell) -> str:
    if cell.use is None:
        return _("use not known")
    used = _("%(use)d %% used") % {"use": cell.use}
    return f"{used}, {states.TAINTED.word}" if cell.tainted else used


def _square(cell: Cell) -> Square:
    return Square(
        reverse("device", args=[cell.device]), f"{cell.key}: {use_words(cell)}", cell.use, cell.tainted
    )
