"""What a share holds, and what a card offers, in each moment of a time in which nothing of it changes."""

from collections.abc import Mapping
from fractions import Fraction

import msgspec

from inventory.dra.quotas import equivalents
from inventory.dra.quotas.equivalents import Part
from inventory.history.measures import Cell, Measure
from inventory.kube.quantity import Quantity

# A part of a card is kept as a numerator of so many at most.
_FINEST_PART = 2**63 - 1


class Amounts(msgspec.Struct, frozen=True, eq=False):
    """By dimension; None is not known. The same object where the same is said, so that it is known again."""

    by_dimension: Mapping[str, Quantity | None]


class Offer(msgspec.Struct, frozen=True, eq=False):
    """What a device publishes, and its card; `whole`: it is all of its card. One object, as `Amounts`."""

    capacity: Amounts
    card_capacity: Amounts
    whole: bool


class Rates(msgspec.Struct, frozen=True, eq=False):
    """What is added up in each microsecond, by cell."""

    cells: tuple[tuple[Cell, int], ...]


def of_share(consumed: Amounts, offer: Offer, *, dedicated: bool, published: bool) -> Rates:
    """A share that has its device to itself holds what that publishes; one of a part says what it holds."""
    held = consumed.by_dimension
    if dedicated:
        capacity = offer.capacity.by_dimension
        held = capacity if published else dict.fromkeys(capacity)
    cells = [(Cell(Measure.SHARES), 1), *_amounts(held, Measure.HELD, Measure.UNKNOWN)]
    offered = offer.card_capacity.by_dimension if published else {}
    parts = {dimension: Part(amount, offered.get(dimension)) for dimension, amount in held.items()}
    part = equivalents.of_card(parts, whole=dedicated and offer.whole)
    if isinstance(part, Fraction) and part.denominator <= _FINEST_PART:
        cells.append((Cell(Measure.CARD_PARTS, per=part.denominator), part.numerator))
    else:
        cells.append((Cell(Measure.CARD_PARTS_UNKNOWN), 1))
    return Rates(tuple(cells))


def of_card(offer: Offer) -> Rates:
    capacity = offer.card_capacity.by_dimension
    return Rates(((Cell(Measure.THERE_CARDS), 1), *_amounts(capacity, Measure.THERE, Measure.THERE_UNKNOWN)))


def _amounts(
    amounts: Mapping[str, Quantity | None], known: Measure, unknown: Measure
) -> list[tuple[Cell, int]]:
    return [
        (Cell(unknown, dimension), 1)
        if amount is None
        else (Cell(known, dimension, amount.notation), amount.nanos)
        for dimension, amount in amounts.items()
    ]
