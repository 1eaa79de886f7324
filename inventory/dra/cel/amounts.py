"""Quantities as the CEL library of Kubernetes computes with them.

Besides its value, resource.Quantity keeps how it is held: as an int64 with a power of ten, or as a decimal of
any length. `asInteger` and `isInteger` ask that form and not the value: "1000m" and "100Ti" are no integers.
"""

import re

import msgspec

from inventory.dra.cel.errors import UnsupportedError
from inventory.kube.quantity import NANO, QuantityError
from inventory.kube.quantity import parse as parse_quantity

_LEAST, _LARGEST = -(2**63), 2**63 - 1
_DIGITS = 18
_NANO_SCALE = -9
_PARTS = re.compile(r"[+-]?0*([0-9]*)(?:\.([0-9]*))?(.*)", re.DOTALL)
_EXPONENTS = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_POWERS = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
# Forms on which upstream reads a number that is not there, or one that is longer than we read.
_DOUBTFUL = re.compile(
    r"[+-]?\.?(?:[numkMGTPE]|[KMGTPE]i)?|[+-]?[0-9.]+[eE][+-]?[0-9]+|[+-]?[0-9.]{50,}[A-Za-z]*"
)


class Amount(msgspec.Struct, frozen=True):
    """`scale` is the power of ten that an int64 counts, or None for a decimal."""

    nanos: int
    scale: int | None = 0

    @classmethod
    def of(cls, whole: int) -> "Amount":
        return cls(whole * NANO, 0)

    def as_integer(self) -> int | None:
        """None where upstream finds none, whatever the value is."""
        if self.scale is None or self.scale < 0:
            return None
        whole = self.nanos // NANO
        return whole if _LEAST <= whole <= _LARGEST else None

    def added(self, other: "Amount") -> "Amount":
        return Amount(self.nanos + other.nanos, _scale_of_sum(self, other))

    def negated(self) -> "Amount":
        return Amount(-self.nanos, self.scale)

    def count(self, scale: int) -> int:
        """How many of 10^scale it is; exact down to its own scale."""
        return self.nanos // int(10 ** (scale - _NANO_SCALE))


def parse(text: str) -> Amount:
    """Raises QuantityError, or UnsupportedError where it is doubtful what upstream reads."""
    try:
        nanos = parse_quantity(text).nanos
    except QuantityError:
        if text and _DOUBTFUL.fullmatch(text):
            raise UnsupportedError(f"the quantity {text[:80]!r} is not read here") from None
        raise
    return Amount(nanos, _scale(text, nanos))


def _scale(text: str, nanos: int) -> int | None:
    match = _PARTS.fullmatch(text)
    if match is None or text == "0":
        return 0
    whole, fraction, suffix = match[1] or "0", match[2] or "", match[3]
    if suffix in _POWERS:
        # Upstream's guess at how many digits the power of two takes.
        room = 14 - len(whole) - _POWERS[suffix] * 3 // 10
        return 0 if not fraction and room >= 0 and _fits(nanos // NANO) else None
    scale = (_EXPONENTS[suffix] if suffix in _EXPONENTS else int(suffix[1:])) - len(fraction)
    return scale if len(whole) + len(fraction) <= _DIGITS and scale >= _NANO_SCALE else None


def _scale_of_sum(one: Amount, other: Amount) -> int | None:
    if one.scale is None or other.scale is None:
        return None
    if other.nanos == 0:
        return one.scale
    if one.nanos == 0:
        return other.scale
    scale = min(one.scale, other.scale)
    counts = one.count(scale), other.count(scale)
    return scale if all(map(_fits, (*counts, sum(counts)))) else None


def _fits(whole: int) -> bool:
    return _LEAST <= whole <= _LARGEST
