"""Quantities with everything that k8s.io/apimachinery (1.36) does to them, overflow and print included.

`inventory.kube.quantity` holds what a quantity is; this is what a program sees that reads one with `Value()`
and writes it again. A number of up to 18 digits is held as int64 and a power of ten, any other as a big
decimal, and the two overflow and round in different ways.
"""

import re
from decimal import Decimal
from typing import Any

import msgspec

from inventory.hami.webhook.go import int64, quotient, trimmed_in_json
from inventory.kube.quantity import Notation

# To the letter.
_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_NUMERIC = "unable to parse numeric part of quantity"
_SUFFIX = "unable to parse quantity's suffix"

_SYNTAX = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)")
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)")
_DECIMAL_PRINTED = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_PRINTED = {0: "", **{power: suffix for suffix, power in _BINARY.items()}}

_LARGEST = 2**63 - 1
_DIGITS_OF_INT64 = 18
_DIGITS_OF_BINARY = 15
_NANO, _MILLI = -9, -3
# Powers of ten for which upstream multiplies once, and hands on what overflowed.
_SCALED_AT_ONCE = (0, 1, 2, 3, 6, 9)
# Beyond, upstream works for minutes and nobody can mean it.
_LONGEST, _LARGEST_EXPONENT = 1_000, 1_000


class AmountError(ValueError):
    """No quantity; the message is that of k8s.io/apimachinery, `field` where it stands, if that is known."""

    field = ""


class Amount(msgspec.Struct, frozen=True):
    """`unscaled` × 10^`scale`."""

    unscaled: int
    scale: int = 0
    notation: Notation = Notation.DECIMAL
    # Held as int64 and not as a big decimal.
    is_int64: bool = True
    # The text that is printed instead of the canonical form: as it was read, where that is no worse.
    written: str = ""

    def value(self) -> int:
        """`Value()`: rounded away from zero, an int64."""
        return self._scaled(0)

    def milli_value(self) -> int:
        """`MilliValue()`"""
        return self._scaled(_MILLI)

    def rounded_to_milli(self) -> "Amount":
        """What the API server makes of it in the resources of a Pod: nothing finer than a thousandth."""
        if self.is_int64 and self.scale >= _MILLI:
            return self
        unscaled = _raised(self.unscaled, self.scale, _MILLI)
        return msgspec.structs.replace(self, unscaled=unscaled, scale=_MILLI, written="")

    def billionths(self) -> int:
        """To compare two of them exactly."""
        return self.unscaled * int(10 ** (self.scale - _NANO))

    def __str__(self) -> str:
        if self.written:
            return self.written
        if self.unscaled == 0:
            return "0"
        return self._binary() if self._prints_as_binary() else self._decimal()

    def _scaled(self, scale: int) -> int:
        shift = self.scale - scale
        if self.unscaled == 0:
            return 0
        if not self.is_int64:
            return _divided(self.unscaled, int(10**-shift))
        if shift < 0:
            return _raised(self.unscaled, self.scale, scale)
        return _multiplied(self.unscaled, shift)

    def _prints_as_binary(self) -> bool:
        if self.notation is not Notation.BINARY:
            return False
        return abs(self.billionths()) >= 1024 * 10**9 and self.billionths() % 10**9 == 0

    def _binary(self) -> str:
        whole, power = self.billionths() // 10**9, 0
        while whole % 1024 == 0:
            whole, power = whole // 1024, power + 10
        return f"{whole}{_BINARY_PRINTED[power]}"

    def _decimal(self) -> str:
        digits, exponent = self.unscaled, self.scale
        while digits % 10 == 0:
            digits, exponent = digits // 10, exponent + 1
        digits, exponent = digits * 10 ** (exponent % 3), exponent - exponent % 3
        if self.notation is Notation.EXPONENT:
            return f"{digits}e{exponent}" if exponent else str(digits)
        # Above the largest suffix upstream prints none.
        return f"{digits}{_DECIMAL_PRINTED.get(exponent, '')}"


def from_json(value: Any) -> Amount:
    """A value of a list of resources. Raises AmountError.

    Upstream takes the JSON text between the quotes, so a number will do, and a character that JSON writes as
    an escape will not.
    """
    if value is None:
        return Amount(0)
    if isinstance(value, str):
        return parsed(trimmed_in_json(value))
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return parsed(str(value))
    raise AmountError(_FORMAT)


def parsed(text: str) -> Amount:
    """`ParseQuantity`. Raises AmountError."""
    if text == "0":
        return Amount(0, written=text)
    match = _SYNTAX.fullmatch(text) if 0 < len(text) <= _LONGEST else None
    if match is None:
        raise AmountError(_FORMAT)
    sign, whole, fraction = match[1], match[2].lstrip("0") or "0", match[3] or ""
    exponent, notation = _interpreted(match[4])
    small = _small(text, whole, fraction, exponent, notation)
    if small is None:
        if not match[2] and not fraction:
            raise AmountError(_NUMERIC)
        small = _big(int(whole + fraction), -len(fraction), exponent, notation)
    return _negative(small) if sign == "-" else small


def _interpreted(suffix: str) -> tuple[int, Notation]:
    if suffix in _DECIMAL:
        return _DECIMAL[suffix], Notation.DECIMAL
    if suffix in _BINARY:
        return _BINARY[suffix], Notation.BINARY
    match = _EXPONENT.fullmatch(suffix)
    if match is None or abs(int(match[1])) > _LARGEST_EXPONENT:
        raise AmountError(_SUFFIX)
    return int(match[1]), Notation.EXPONENT


def _small(text: str, whole: str, fraction: str, exponent: int, notation: Notation) -> Amount | None:
    """As int64, without its sign; None if it has to be a big decimal."""
    digits = whole + fraction
    if notation is Notation.BINARY:
        if fraction or len(whole) + exponent * 3 // 10 + 1 > _DIGITS_OF_BINARY:
            return None
        number = int(whole)
        return Amount(number << exponent, 0, notation, written=text if number % 8 else "")
    scale = exponent - len(fraction)
    if len(digits) > _DIGITS_OF_INT64 or scale < _NANO:
        return None
    is_canonical = scale % 3 == 0 and not digits.endswith("000") and not digits.startswith("0")
    return Amount(int(digits), scale, notation, written=text if is_canonical else "")


def _big(digits: int, scale: int, exponent: int, notation: Notation) -> Amount:
    """As a big decimal: whole billionths, rounded up, of which a binary one has a largest."""
    if digits == 0:
        return Amount(0, 0, notation, is_int64=False)
    if notation is not Notation.BINARY:
        return Amount(_raised(digits, scale + exponent, _NANO), _NANO, notation, is_int64=False)
    nanos = min(_raised(digits << exponent, scale, _NANO), _LARGEST * 10**9)
    return Amount(nanos, _NANO, Notation.DECIMAL if nanos < 10**9 else notation, is_int64=False)


def _negative(amount: Amount) -> Amount:
    return msgspec.structs.replace(amount, unscaled=-amount.unscaled)


def _raised(unscaled: int, scale: int, wanted: int) -> int:
    """With another power of ten, rounded away from zero where it is a higher one."""
    if scale >= wanted:
        return unscaled * int(10 ** (scale - wanted))
    up = -(-abs(unscaled) // int(10 ** (wanted - scale)))
    return -up if unscaled < 0 else up


def _multiplied(number: int, shift: int) -> int:
    """number × 10^shift as an int64; what does not fit wraps around or is 0, as upstream has it."""
    product = number * int(10**shift)
    if product == int64(product) or shift in _SCALED_AT_ONCE:
        return int64(product)
    return 0


def _divided(unscaled: int, divisor: int) -> int:
    """A big decimal as an int64: one more than the quotient if there is a rest, even below zero."""
    whole = quotient(unscaled, divisor) if abs(unscaled) < _LARGEST else unscaled // divisor
    return int64(whole + (unscaled % divisor != 0))
