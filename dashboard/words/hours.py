"""Amounts over time as people read them: hours of cards, GiB-hours of memory, %-hours of cores."""

from fractions import Fraction

from django.utils.translation import gettext as _

from dashboard.words import amounts
from dashboard.words.states import NO_TEAM
from inventory.dra.units import Unit
from inventory.queries.usage.rows import Integral
from inventory.queries.usage.sums import Whose

HOUR = 3600
_GIB = 2**30
_LEAST = Fraction(1, 10)
_DIGITS = 10**9


def hours(seconds: Fraction) -> str:
    """`1,375 h`, `21.0 h` where rounded; what is less than a tenth is said to be less."""
    return f"{number(seconds / HOUR)} h"


def exactly(seconds: Fraction) -> str:
    """The same without rounding; a fraction where no short decimal is that."""
    return f"{_plain(seconds / HOUR)} h"


def amount(one: Integral) -> str:
    """`1,375 GiB·h`, `885 %·h`; a plain number of anything else."""
    value = one.total / HOUR
    if one.unit is Unit.BYTES:
        return f"{number(value / _GIB)} GiB·h"
    return f"{number(value)} %·h" if one.unit is Unit.PERCENT else f"{number(value)} h"


def exact_amount(one: Integral) -> str:
    value = one.total / HOUR
    if one.unit is Unit.BYTES:
        return f"{_plain(value / _GIB)} GiB·h"
    return f"{_plain(value)} %·h" if one.unit is Unit.PERCENT else f"{_plain(value)} h"


def number(value: Fraction) -> str:
    return f"<{float(_LEAST)}" if 0 < value < _LEAST else amounts.number(value)


def whose(one: Whose) -> str:
    """A team by its name now, or, where it is gone, by the one of the time."""
    if one.withheld:
        return _("all others")
    return one.team.name if one.team else one.slug or str(NO_TEAM)


def _plain(value: Fraction) -> str:
    billionths = value * _DIGITS
    if billionths.denominator != 1:
        return str(value)
    whole, rest = divmod(billionths.numerator, _DIGITS)
    return f"{whole:,}.{rest:09d}".rstrip("0").rstrip(".")
