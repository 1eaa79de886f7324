"""Memory and cores of each product, and which team holds how much of them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal

import msgspec
from django.db.models import QuerySet

from inventory.dra.units import Unit, short_name, unit_of
from inventory.kube.quantity import Notation, Quantity
from inventory.models import Card, Share
from inventory.queries import occupancy, totals
from inventory.queries.dimensions import ratio
from inventory.queries.occupancy import Group, OccupancyRow
from inventory.queries.slices import TeamBrief, teams
from inventory.queries.totals import TotalRow
from inventory.viewer import Viewer

_SHOWN = ("memory", "cores")


class TeamPart(msgspec.Struct, frozen=True):
    """`team` is None for namespaces of no team, and, where it is `withheld`, for all that may not be named.

    `ratio` is the part of the total; null where one of the two is not known.
    """

    team: TeamBrief | None
    withheld: bool
    held: Quantity | None
    shares_unknown: int
    ratio: Decimal | None


class ProductSum(msgspec.Struct, frozen=True):
    """One dimension of all cards of a driver and product."""

    driver: str
    product: str | None
    dimension: str
    unit: Unit
    total: Quantity | None
    allocated: Quantity | None
    remaining: Quantity | None
    ratio: Decimal | None
    cards_unknown: int
    parts: tuple[TeamPart, ...]


def sums(shares: QuerySet[Share], cards: QuerySet[Card], *, viewer: Viewer) -> list[ProductSum]:
    """In the order of drivers and products, memory before cores; a fixed number of queries."""
    known = teams(viewer=viewer)
    held: defaultdict[tuple[str, str | None, str | None], list[OccupancyRow]] = defaultdict(list)
    for row in occupancy.rows(shares, cards, [Group.TEAM], viewer=viewer):
        held[row.driver, row.product, row.dimension].append(row)
    found = [
        _sum(row, held[row.driver, row.product, row.dimension], known)
        for row in totals.by_product(cards)
        if short_name(row.dimension) in _SHOWN
    ]
    return sorted(found, key=_order)


def _sum(row: TotalRow, held: Iterable[OccupancyRow], known: dict[str, TeamBrief]) -> ProductSum:
    parts = [
        TeamPart(
            team=known.get(one.team or ""),
            withheld=one.withheld,
            held=one.held,
            shares_unknown=one.shares_unknown,
            ratio=ratio(one.held, row.total),
        )
        for one in held
    ]
    return ProductSum(
        driver=row.driver,
        product=row.product,
        dimension=row.dimension,
        unit=unit_of(row.driver, row.dimension, row.total.notation if row.total else Notation.DECIMAL),
        total=row.total,
        allocated=row.allocated,
        remaining=row.remaining,
        ratio=row.ratio,
        cards_unknown=row.cards_unknown,
        parts=tuple(sorted(parts, key=_bar_order)),
    )


def holders(found: Sequence[ProductSum]) -> list[TeamBrief]:
    """The teams that hold something, in the order of their colours."""
    named = {part.team.slug: part.team for one in found for part in one.parts if part.team and part.held}
    return sorted(named.values(), key=lambda team: (team.colour or 9, team.slug))


def _bar_order(part: TeamPart) -> tuple[bool, int, str]:
    team = part.team
    return part.withheld, (team.colour or 9) if team else 10, team.slug if team else ""


def _order(one: ProductSum) -> tuple[str, str, int]:
    return one.product or "", one.driver, _SHOWN.index(short_name(one.dimension))
