"""A share of a card's memory in percent, which only a model of card turns into an amount.

HAMi resolves `gpumem-percentage` on the card that it places the Pod on; a claim has to say an amount
beforehand. The webhook leaves the name where it is. This is ours: one amount for each model, by HAMi's own
arithmetic (whole mebibytes, rounded down).
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from inventory.hami.asked import quantity
from inventory.hami.surroundings import Card, mebibytes
from inventory.kube.quantity import NANO, Quantity

WHOLE = 100


class PercentageError(ValueError):
    """No percentage that HAMi takes; the message quotes it."""


class Resolved(msgspec.Struct, frozen=True):
    """What a percentage is on the cards of one model and size."""

    model: str
    # One of them, whose published memory was taken, and how many there are of the same.
    card: Card
    cards: int
    whole: Quantity
    mebibytes: int

    @property
    def memory(self) -> Quantity:
        return Quantity.of(self.mebibytes * 1024 * 1024)


def percentage(amount: Any) -> int:
    """As HAMi checks it: a whole number from 0 to 100. Raises PercentageError."""
    found = quantity(amount)
    if found is None or found.nanos % NANO or not 0 <= found.nanos <= WHOLE * NANO:
        raise PercentageError(f"{str(amount)[:64]!r} is no percentage; expected a whole number from 0 to 100")
    return found.nanos // NANO


def resolved(percent: int, cards: Iterable[Card]) -> tuple[Resolved, ...]:
    """For each model and size of card, in their order; a card that publishes no memory has no share of it."""
    found: dict[tuple[str, int], Resolved] = {}
    for card in cards:
        if card.memory is None or card.memory.nanos <= 0:
            continue
        alike = card.model, card.memory.nanos
        first = found.get(alike) or _resolved(percent, card, card.memory)
        found[alike] = msgspec.structs.replace(first, cards=first.cards + 1)
    return tuple(found.values())


def _resolved(percent: int, card: Card, whole: Quantity) -> Resolved:
    return Resolved(card.model, card, 0, whole, mebibytes(whole) * percent // WHOLE)
