"""Quantities as fractions, for the reader of the drills: nothing of it is shared with what it checks."""

import re
from fractions import Fraction
from typing import Any

_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {unit: 1024**power for power, unit in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), start=1)}
_FORM = re.compile(r"(?P<number>[+-]?(?:\d+\.?\d*|\.\d+))(?P<unit>[A-Za-z]{0,2}|[eE][+-]?\d+)", re.ASCII)
_NANO = Fraction(1, 10**9)
_MOST = 2**63 - 1


def amount(text: Any) -> Fraction | None:
    """What a quantity comes to; None for what is none, or is below zero, or does not fit into a row."""
    match = _FORM.fullmatch(str(text)) if isinstance(text, str | int) else None
    if match is None:
        return None
    factor = _factor(match["unit"])
    if factor is None:
        return None
    exact = Fraction(match["number"]) * factor
    if match["unit"] in _BINARY:
        exact = min(exact, Fraction(_MOST))
    # Nothing finer than a billionth exists; it rounds up.
    rounded = -(-exact // _NANO) * _NANO
    return rounded if rounded >= 0 and fit_one_row(rounded) else None


def of_row(number: int | None, exponent: int) -> Fraction | None:
    return None if number is None else Fraction(number) * Fraction(10) ** exponent


def fit_one_row(*amounts: Fraction | None) -> bool:
    """Whether one power of ten makes whole 64-bit numbers of all of them."""
    known = [each for each in amounts if each is not None]
    return any(
        all((each / unit).denominator == 1 and each / unit <= _MOST for each in known)
        for unit in (Fraction(10) ** exponent for exponent in range(-9, 19, 3))
    )


def _factor(unit: str) -> Fraction | None:
    if unit in _BINARY:
        return Fraction(_BINARY[unit])
    if unit in _DECIMAL:
        return Fraction(10) ** _DECIMAL[unit]
    exponent = unit[1:]
    return Fraction(10) ** int(exponent) if exponent.lstrip("+-").isdecimal() else None
