"""Memory and cores of each product, and which team holds how much of them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

import msgspec

from inventory.dra.units import Unit, short_name, unit_of
from inventory.kube.quantity import Notation, Quantity
from inventory.queries.dimensions import ratio
from inventory.queries.holdings import Held, Key
from inventory.queries.slices import TeamBrief
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


_Place = tuple[str, str, str]


def sums(
    held: Mapping[Key, Mapping[str, Held]],
    products: Iterable[TotalRow],
    known: Mapping[int, TeamBrief],
    *,
    viewer: Viewer,
) -> list[ProductSum]:
    """In the order of drivers and products, memory before cores.

    `held` as `Uses.held` has it of everybody; `products` are the sums over all cards of each; `known` are the
    teams that the viewer may know, by their ids.
    """
    parts = _parts(held, known, viewer)
    found = [
        _sum(row, parts[row.driver, row.product or "", row.dimension])
        for row in products
        if short_name(row.dimension) in _SHOWN
    ]
    return sorted(found, key=_order)


def _parts(
    held: Mapping[Key, Mapping[str, Held]], known: Mapping[int, TeamBrief], viewer: Viewer
) -> defaultdict[_Place, dict[tuple[TeamBrief | None, bool], Held]]:
    """By team, and whether its name is withheld; those of all whose names are, together."""
    found: defaultdict[_Place, dict[tuple[TeamBrief | None, bool], Held]] = defaultdict(dict)
    for (team, _cluster, driver, product, _class), amounts in held.items():
        whose = known.get(team), not viewer.sees(team)
        for name, one in amounts.items():
            of_place = found[driver, product or "", name]
            of_place[whose] = of_place[whose] + one if whose in of_place else one
    return found


def _sum(row: TotalRow, held: Mapping[tuple[TeamBrief | None, bool], Held]) -> ProductSum:
    parts = [
        TeamPart(team, withheld, one.amount, one.unknown, ratio(one.amount, row.total))
        for (team, withheld), one in held.items()
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
