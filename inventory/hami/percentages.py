"""A share of a card's memory in percent, which only a model of card turns into an amount.

HAMi resolves `gpumem-percentage` on the card that it places the Pod on; a claim has to say an amount
beforehand. The webhook leaves the name where it is. This is ours: one amount for each model, by HAMi's own
arithmetic (whole mebibytes, rounded down).
"""

from typing import Any

import msgspec

from inventory.hami.asked import quantity
from inventory.hami.surroundings import Alike, Card, Cards, mebibytes
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


def resolved(percent: int, cards: Cards | None) -> tuple[Resolved, ...]:
    """For each model and size of card; a card that publishes no memory has no share of it."""
    return tuple(
        _resolved(percent, one, one.card.memory)
        for one in (cards.alike if cards else ())
        if one.card.memory is not None
    )


def _resolved(percent: int, alike: Alike, whole: Quantity) -> Resolved:
    share = mebibytes(whole) * percent // WHOLE
    return Resolved(alike.card.model, alike.card, alike.cards, whole, share)
