"""Kinds of cards: what is counted together on a page, with what each team holds of it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal

import msgspec
from django.db.models import Count, Q, QuerySet

from inventory.dra.units import Unit, reading_order, short_name, unit_of
from inventory.kube.quantity import Notation, Quantity
from inventory.models import Card, Share
from inventory.queries import holders, totals
from inventory.queries.dimensions import ratio
from inventory.queries.holders import HeldAmount
from inventory.queries.slices import TeamBrief
from inventory.queries.totals import TotalRow
from inventory.viewer import Viewer

NOTHING = Quantity(0, Notation.BINARY)


class Kind(msgspec.Struct, frozen=True, order=True):
    """Cards of one driver and product; `sharing` is `shared`, `whole` or `partitions`."""

    driver: str
    product: str
    sharing: str


class Part(msgspec.Struct, frozen=True):
    """What one team (None: namespaces of no team) holds of a sum."""

    team: TeamBrief | None
    amount: Quantity
    ratio: Decimal | None


class DimensionSum(msgspec.Struct, frozen=True):
    """One dimension over all cards of a kind; of `remaining`, `stranded` and `unavailable` are of no use.

    `allocated` is all that is known to be held, the sum of `parts`. `total`, `remaining` and `ratio`
    leave out the `unknown` cards, of which a number is not known; `counted` is what the others have
    allocated.
    """

    name: str
    unit: Unit
    cards: int
    unknown: int
    total: Quantity
    allocated: Quantity
    counted: Quantity
    remaining: Quantity
    stranded: Quantity
    unavailable: Quantity
    parts: tuple[Part, ...]

    @property
    def ratio(self) -> Decimal | None:
        return ratio(self.counted, self.total)

    @property
    def stranded_ratio(self) -> Decimal | None:
        return ratio(self.stranded, self.total)

    @property
    def unavailable_ratio(self) -> Decimal | None:
        return ratio(self.unavailable, self.total)

    @property
    def left_ratio(self) -> Decimal | None:
        return ratio(self.remaining, self.total)


class KindSum(msgspec.Struct, frozen=True):
    kind: Kind
    cards: int
    dimensions: tuple[DimensionSum, ...]


# Whether they are partitioned, their driver and product.
KindKey = tuple[bool, str, str]
Held = defaultdict[KindKey, list[tuple[TeamBrief | None, HeldAmount]]]


def by_kind(
    cards: QuerySet[Card], shares: QuerySet[Share], known: Mapping[int, TeamBrief], *, viewer: Viewer
) -> list[KindSum]:
    """Of cards, and of shares of these cards. A fixed number of queries; the kinds with most cards first.

    `known`: the teams that the viewer may know, by their ids.
    """
    found = added_up(cards, _counted(cards), _held(shares, known, viewer))
    return sorted(found.values(), key=lambda one: (-one.cards, one.kind))


def added_up(
    cards: QuerySet[Card], counted: Mapping[KindKey, tuple[int, int]], held: Held | None = None
) -> dict[KindKey, KindSum]:
    """`counted`: how many cards, and how many shareable ones. One query; without `held` nobody has a part."""
    sums, held = totals.grouped(cards, "partitioned"), held or defaultdict(list)
    found: dict[KindKey, KindSum] = {}
    for (partitioned, driver, product), (number, shareable) in counted.items():
        rows = [
            row for row in sums.get(partitioned, ()) if (row.driver, row.product or "") == (driver, product)
        ]
        kind = Kind(driver, product, sharing(partitioned=partitioned, shareable=bool(shareable)))
        dimensions = _dimensions(rows, held[partitioned, driver, product])
        found[partitioned, driver, product] = KindSum(kind, number, dimensions)
    return found


def over(kinds: Iterable[KindSum], name: str, unit: Unit) -> DimensionSum:
    """The same dimension over several kinds; the parts of a team are added up."""
    found = [
        one for kind in kinds for one in kind.dimensions if short_name(one.name) == name and one.unit is unit
    ]
    held: defaultdict[TeamBrief | None, Quantity] = defaultdict(lambda: NOTHING)
    for one in found:
        for part in one.parts:
            held[part.team] += part.amount
    total = added(one.total for one in found)
    return DimensionSum(
        name=name,
        unit=unit,
        cards=sum(one.cards for one in found),
        unknown=sum(one.unknown for one in found),
        total=total,
        allocated=added(one.allocated for one in found),
        counted=added(one.counted for one in found),
        remaining=added(one.remaining for one in found),
        stranded=added(one.stranded for one in found),
        unavailable=added(one.unavailable for one in found),
        parts=_parts(held, total),
    )


def sharing(*, partitioned: bool, shareable: bool) -> str:
    return "partitions" if partitioned else "shared" if shareable else "whole"


def added(quantities: Iterable[Quantity]) -> Quantity:
    return sum(quantities, start=NOTHING)


def _counted(cards: QuerySet[Card]) -> dict[KindKey, tuple[int, int]]:
    """Cards and shareable cards."""
    counted = cards.order_by().values_list("partitioned", "pool__driver", "product")
    return {
        (partitioned, driver, product): (numbers[0], numbers[1])
        for partitioned, driver, product, *numbers in counted.annotate(
            number=Count("pk"), shared=Count("pk", filter=Q(shareable=True))
        )
    }


def _held(shares: QuerySet[Share], known: Mapping[int, TeamBrief], viewer: Viewer) -> Held:
    on_cards = shares.filter(device__card__isnull=False)
    found: Held = defaultdict(list)
    for (team, partitioned), amounts in holders.amounts_by_kind(on_cards, known, viewer=viewer).items():
        for amount in amounts:
            found[partitioned, amount.driver, amount.product or ""].append((team, amount))
    return found


def _dimensions(
    rows: list[TotalRow], held: list[tuple[TeamBrief | None, HeldAmount]]
) -> tuple[DimensionSum, ...]:
    """Memory and cores; of a kind that has neither, its first dimension."""
    ordered = sorted(rows, key=lambda row: reading_order(row.dimension))
    shown = [row for row in ordered if short_name(row.dimension) in ("memory", "cores")] or ordered[:1]
    return tuple(_dimension(row, held) for row in shown)


def _dimension(row: TotalRow, held: Iterable[tuple[TeamBrief | None, HeldAmount]]) -> DimensionSum:
    amounts = {team: one.held for team, one in held if one.dimension == row.dimension and one.held}
    total = row.total or NOTHING
    model = row.total or next(iter(amounts.values()), Quantity(0))
    return DimensionSum(
        name=row.dimension,
        unit=unit_of(row.driver, row.dimension, model.notation),
        cards=row.cards,
        unknown=row.cards_unknown,
        total=total,
        allocated=added(amounts.values()),
        counted=row.allocated or NOTHING,
        remaining=row.remaining or NOTHING,
        stranded=row.stranded or NOTHING,
        unavailable=row.unavailable or NOTHING,
        parts=_parts(amounts, total),
    )


def _parts(held: Mapping[TeamBrief | None, Quantity], total: Quantity) -> tuple[Part, ...]:
    parts = (Part(team, amount, ratio(amount, total)) for team, amount in held.items())
    return tuple(sorted(parts, key=lambda part: bar_order(part.team)))


def bar_order(team: TeamBrief | None) -> tuple[int, str]:
    """By the team's colour; those without one of their own come last."""
    return (team.colour or 9, team.slug) if team else (10, "")
