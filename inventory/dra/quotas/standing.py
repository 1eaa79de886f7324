"""A limit against what is used and what waits: exact, and unknown where a part is not known."""

from enum import StrEnum
from fractions import Fraction

import msgspec

from inventory.kube.quantity import NANO, Notation, Quantity

NOTHING = Fraction(0)


class State(StrEnum):
    WITHIN = "within"
    # Exactly at the limit: no breach, and no room.
    USED_UP = "used_up"
    # What waits would go past the limit, if all of it were allocated.
    PENDING_OVER = "pending_over"
    OVER = "over"
    UNKNOWN = "unknown"


class Measured(msgspec.Struct, frozen=True):
    """A sum in base units that leaves out `unknown` parts; `reasons` say what is missing there."""

    known: Fraction = NOTHING
    unknown: int = 0
    reasons: tuple[str, ...] = ()

    @property
    def exact(self) -> Fraction | None:
        return None if self.unknown else self.known

    def __add__(self, other: "Measured") -> "Measured":
        reasons = tuple(dict.fromkeys((*self.reasons, *other.reasons)))
        return Measured(self.known + other.known, self.unknown + other.unknown, reasons)


class Standing(msgspec.Struct, frozen=True):
    limit: Fraction
    used: Measured
    pending: Measured = Measured()

    @property
    def headroom(self) -> Fraction | None:
        """What may still be taken; zero past the limit."""
        if self.used.known >= self.limit:
            return NOTHING
        return None if self.used.unknown else self.limit - self.used.known

    @property
    def over(self) -> Fraction | None:
        """How much more is used than may be; what is not known can only add to it."""
        if self.used.unknown:
            return None
        return max(NOTHING, self.used.known - self.limit)

    @property
    def state(self) -> State:
        if self.used.known > self.limit:
            return State.OVER
        if self.used.unknown:
            return State.UNKNOWN
        if self.used.known + self.pending.known > self.limit:
            return State.PENDING_OVER
        return State.USED_UP if self.used.known == self.limit else State.WITHIN


def measured(quantity: Quantity) -> Fraction:
    return Fraction(quantity.nanos, NANO)


def at_least(amount: Fraction, notation: Notation = Notation.DECIMAL) -> Quantity:
    """The next billionth that is not below it, as the API server rounds: a use is never told as less."""
    return Quantity(-(-amount.numerator * NANO // amount.denominator), notation)


def at_most(amount: Fraction, notation: Notation = Notation.DECIMAL) -> Quantity:
    """The next billionth that is not above it: room is never told as more."""
    return Quantity(amount.numerator * NANO // amount.denominator, notation)
