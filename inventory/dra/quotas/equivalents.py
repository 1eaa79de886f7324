"""Card-equivalents: how many cards a team takes from all others, when it holds parts of them.

Of each card the larger share of any dimension counts: whoever holds all memory of a card leaves nobody room
on it, however few of its cores are taken. The numbers are exact fractions of a card.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache

import msgspec

from inventory.kube.quantity import Quantity
from inventory.reasons import Reason

WHOLE = Fraction(1)


class Part(msgspec.Struct, frozen=True):
    """One dimension of a card: how much a team holds of how much there is. None is not known."""

    held: Quantity | None
    total: Quantity | None


class Equivalents(msgspec.Struct, frozen=True):
    """`known` leaves out the `unknown` cards; `reasons` say what is missing there, each once."""

    known: Fraction = Fraction(0)
    unknown: int = 0
    reasons: tuple[str, ...] = ()

    @property
    def exact(self) -> Fraction | None:
        return None if self.unknown else self.known


def of_card(parts: Mapping[str, Part], *, whole: bool, unreadable: bool = False) -> Fraction | str:
    """A card counts once at most, also where it is over-allocated. A text says why it is not known.

    `unreadable`: a share of it is in no part, since it says nothing of how much it holds.
    """
    if whole:
        return WHOLE
    held, of, unknown = 0, 1, []
    for name, part in parts.items():
        share = _share(part)
        if share is None:
            unknown.append(name)
        elif share[0] * of > held * share[1]:
            held, of = share
    if held >= of:
        return WHOLE
    if unknown:
        return Reason.AMOUNTS_UNKNOWN.format(names=", ".join(sorted(unknown)))
    if unreadable:
        return Reason.PART_UNREADABLE.value
    return _fraction(held, of) if parts else Reason.NOTHING_COUNTED.value


def summed(cards: Iterable[tuple[str, Fraction | str]]) -> Equivalents:
    """Over cards, each with its name for the case that its part is not known."""
    counted: Counter[tuple[int, int]] = Counter()
    unknown: dict[str, Told] = {}
    for name, one in cards:
        if isinstance(one, str):
            unknown[one] = unknown.get(one, Told(name)).and_more()
        else:
            counted[one.numerator, one.denominator] += 1
    # Many cards are held alike, and fractions are slow to add, and to hash.
    known = sum((Fraction(part * number, of) for (part, of), number in counted.items()), Fraction(0))
    return Equivalents(
        known,
        sum(told.number for told in unknown.values()),
        tuple(told.of(reason) for reason, told in unknown.items()),
    )


class Told(msgspec.Struct, frozen=True):
    """Of whom a reason is told, which is once, however many there are: `gpu-0 and 12 more`."""

    first: str
    number: int = 0

    def and_more(self, number: int = 1) -> "Told":
        return Told(self.first, self.number + number)

    def of(self, reason: str) -> str:
        if self.number == 1:
            return Reason.OF_DEVICE.format(name=self.first, reason=reason)
        return Reason.OF_SEVERAL.format(name=self.first, number=self.number - 1, reason=reason)


def total(found: Iterable[Equivalents]) -> Equivalents:
    """Over different cards."""
    sums = list(found)
    reasons = tuple(reason for one in sums for reason in one.reasons)
    known = sum((one.known for one in sums), Fraction(0))
    return Equivalents(known, sum(one.unknown for one in sums), reasons)


def _share(part: Part) -> tuple[int, int] | None:
    """So much of so much: whole numbers are faster to compare than fractions."""
    if part.held is None or part.total is None:
        return None
    if not part.total:
        # Where there is nothing, a share that holds some of it holds an unknown part of the card.
        return None if part.held else (0, 1)
    return part.held.nanos, part.total.nanos


@lru_cache(maxsize=10_000)
def _fraction(held: int, of: int) -> Fraction:
    return Fraction(held, of)
