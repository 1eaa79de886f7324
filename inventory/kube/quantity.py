"""Kubernetes quantities, exactly.

The syntax, the rounding and the canonical form are those of
k8s.io/apimachinery/pkg/api/resource (ParseQuantity, CanonicalizeBytes): nothing finer than one
billionth exists, so a whole number of billionths holds every quantity without loss.
"""

import re
from collections.abc import Iterable
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache

import msgspec

NANO = 10**9
_LARGEST_BINARY = (2**63 - 1) * NANO
_LARGEST_TEXT = 64
_LARGEST_EXPONENT = 27

_SYNTAX = re.compile(r"([+-]?)(\d+\.?\d*|\.\d+)([a-zA-Z]{0,2}|[eE][+-]?\d{1,3})", re.ASCII)
_DECIMAL_SUFFIXES = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY_SUFFIXES = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_PRINTED = {exponent: suffix for suffix, exponent in _DECIMAL_SUFFIXES.items()}
_BINARY_PRINTED = {0: "", **{power: suffix for suffix, power in _BINARY_SUFFIXES.items()}}


class QuantityError(ValueError):
    """The text is no quantity; the message quotes it and names the accepted form."""


class Notation(StrEnum):
    """How Kubernetes prints a quantity (`Format` in apimachinery)."""

    DECIMAL = "DecimalSI"
    BINARY = "BinarySI"
    EXPONENT = "DecimalExponent"


class Quantity(msgspec.Struct, frozen=True, eq=False):
    """An exact amount in the base unit of its dimension: bytes for memory, the driver's unit elsewhere."""

    nanos: int
    notation: Notation = Notation.DECIMAL

    @classmethod
    def of(cls, whole: int, notation: Notation = Notation.DECIMAL) -> "Quantity":
        return cls(whole * NANO, notation)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self.nanos == other.nanos

    # Spelled out: functools.total_ordering takes the comparisons of msgspec's base for given ones.
    def __lt__(self, other: "Quantity") -> bool:
        return self.nanos < other.nanos

    def __le__(self, other: "Quantity") -> bool:
        return self.nanos <= other.nanos

    def __gt__(self, other: "Quantity") -> bool:
        return self.nanos > other.nanos

    def __ge__(self, other: "Quantity") -> bool:
        return self.nanos >= other.nanos

    def __hash__(self) -> int:
        return hash(self.nanos)

    def __add__(self, other: "Quantity") -> "Quantity":
        return Quantity(self.nanos + other.nanos, self.notation)

    def __neg__(self) -> "Quantity":
        return Quantity(-self.nanos, self.notation)

    def __sub__(self, other: "Quantity") -> "Quantity":
        return Quantity(self.nanos - other.nanos, self.notation)

    def __bool__(self) -> bool:
        return self.nanos != 0

    def rounded_up(self) -> int:
        """The least whole number that is not below it (`Quantity.Value()` upstream)."""
        return -(-self.nanos // NANO)

    def as_decimal(self) -> Decimal:
        """The plain number, for JSON: an integer prints as one, a fraction without trailing zeros."""
        whole, rest = divmod(abs(self.nanos), NANO)
        text = f"{whole}.{rest:09d}".rstrip("0").rstrip(".")
        return Decimal(f"-{text}" if self.nanos < 0 else text)

    def __str__(self) -> str:
        if self.notation is Notation.BINARY and abs(self.nanos) >= 1024 * NANO and self.nanos % NANO == 0:
            return _binary_text(self.nanos // NANO)
        return _decimal_text(self.nanos, self.notation)


def total(quantities: Iterable[Quantity], notation: Notation = Notation.DECIMAL) -> Quantity:
    """The exact sum, printed in the given notation."""
    return Quantity(sum(quantity.nanos for quantity in quantities), notation)


@lru_cache(maxsize=65_536)
def parse(text: str) -> Quantity:
    """Read a quantity as the API server does.

    Finer than a billionth rounds away from zero; a binary quantity is capped at 2^63 − 1.
    Raises QuantityError.
    """
    match = _SYNTAX.fullmatch(text) if len(text) <= _LARGEST_TEXT else None
    if match is None:
        raise QuantityError(_refusal(text))
    sign, number, suffix = match.groups()
    digits, scale = _digits(number)
    if suffix in _BINARY_SUFFIXES:
        nanos, notation = _binary(digits, scale, _BINARY_SUFFIXES[suffix])
    else:
        exponent, notation = _decimal_exponent(text, suffix)
        nanos = _scaled(digits, scale + exponent)
    return Quantity(-nanos if sign == "-" else nanos, notation)


def _refusal(text: str) -> str:
    shown = text if len(text) <= _LARGEST_TEXT else text[:_LARGEST_TEXT] + "…"
    return f"{shown!r} is not a Kubernetes quantity; expected a number, with a suffix or not: 8Gi, 500m, 1e3"


def _digits(number: str) -> tuple[int, int]:
    """`12.50` → (1250, −2)."""
    whole, _, fraction = number.partition(".")
    return int(whole + fraction or "0"), -len(fraction)


def _decimal_exponent(text: str, suffix: str) -> tuple[int, Notation]:
    if suffix in _DECIMAL_SUFFIXES:
        return _DECIMAL_SUFFIXES[suffix], Notation.DECIMAL
    try:
        exponent = int(suffix[1:]) if suffix[0] in "eE" else None
    except ValueError:
        exponent = None
    if exponent is None or abs(exponent) > _LARGEST_EXPONENT:
        raise QuantityError(_refusal(text))
    return exponent, Notation.EXPONENT


def _scaled(digits: int, exponent: int) -> int:
    """digits × 10^exponent in billionths, rounded up to a whole one."""
    shift = exponent + 9
    return digits * int(10**shift) if shift >= 0 else -(-digits // int(10**-shift))


def _binary(digits: int, scale: int, power: int) -> tuple[int, Notation]:
    nanos = min(_scaled(digits << power, scale), _LARGEST_BINARY)
    # Upstream: below one, the decimal form avoids confusion.
    return nanos, Notation.DECIMAL if 0 < nanos < NANO else Notation.BINARY


def _binary_text(whole: int) -> str:
    power = 0
    while power < 60 and whole % 1024 == 0:
        whole, power = whole // 1024, power + 10
    return f"{whole}{_BINARY_PRINTED[power]}"


def _decimal_text(nanos: int, notation: Notation) -> str:
    if nanos == 0:
        return "0"
    exponent = -9
    while exponent < 18 and nanos % 1000 == 0:
        nanos, exponent = nanos // 1000, exponent + 3
    if notation is Notation.EXPONENT:
        return f"{nanos}e{exponent}" if exponent else str(nanos)
    return f"{nanos}{_DECIMAL_PRINTED[exponent]}"
