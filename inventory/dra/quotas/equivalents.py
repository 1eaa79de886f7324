"""Card-equivalents: how many cards a team takes from all others, when it holds parts of them.

Of each card the larger share of any dimension counts: whoever holds all memory of a card leaves nobody room
on it, however few of its cores are taken. The numbers are exact fractions of a card.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction

import msgspec

from inventory.kube.quantity import Quantity

WHOLE = Fraction(1)


class Part(msgspec.Struct, frozen=True):
    """One dimension of a card: how much a team holds of how much there is. None is not known."""

    held: Quantity | None
    total: Quantity | None


class Equivalents(msgspec.Struct, frozen=True):
    """`known` leaves out the `unknown` cards; `reasons` say what is missing there."""

    known: Fraction = Fraction(0)
    unknown: int = 0
    reasons: tuple[str, ...] = ()

    @property
    def exact(self) -> Fraction | None:
        return None if self.unknown else self.known


NOTHING_COUNTED = "its shares name no capacity"
UNREADABLE = "a share of it says nothing of how much it holds"


def of_card(parts: Mapping[str, Part], *, whole: bool, unreadable: bool = False) -> Fraction | str:
    """A card counts once at most, also where it is over-allocated. A text says why it is not known.

    `unreadable`: a share of it is in no part, since it says nothing of how much it holds.
    """
    if whole:
        return WHOLE
    known = [_fraction(part) for part in parts.values()]
    largest = min(WHOLE, max((one for one in known if one is not None), default=Fraction(0)))
    if largest == WHOLE:
        return largest
    if None in known:
        return ", ".join(sorted(name for name, part in parts.items() if _fraction(part) is None))
    if unreadable:
        return UNREADABLE
    return largest if parts else NOTHING_COUNTED


def summed(cards: Iterable[tuple[str, Fraction | str]]) -> Equivalents:
    """Over cards, each with its name for the case that its part is not known."""
    known, reasons = Fraction(0), []
    for name, one in cards:
        if isinstance(one, str):
            reasons.append(f"{name}: {one}")
        else:
            known += one
    return Equivalents(known, len(reasons), tuple(reasons))


def _fraction(part: Part) -> Fraction | None:
    if part.held is None or part.total is None:
        return None
    if not part.total:
        # Where there is nothing, a share that holds some of it holds an unknown part of the card.
        return None if part.held else Fraction(0)
    return Fraction(part.held.nanos, part.total.nanos)
