"""Exact integrals over time as they go over the wire: in hours, printed from fractions."""

from decimal import Decimal
from fractions import Fraction

import msgspec

from inventory.kube.quantity import NANO, Quantity

SECONDS = 3600
DIGITS = 9


class Hours(msgspec.Struct, frozen=True):
    """An amount × hours, in the base unit of the amount, to nine places, halves to the even one.

    `exact` is the same as a fraction in lowest terms, where `value` had to be rounded; else null. `value` is
    null where nothing of it is known.
    """

    value: Decimal | None
    exact: str | None


def hours(seconds: Fraction) -> Hours:
    exact = seconds / SECONDS
    billionths = round(exact * NANO)
    rounded = exact * NANO != billionths
    return Hours(Quantity(billionths).as_decimal(), str(exact) if rounded else None)


def known_hours(seconds: Fraction, unknown: Fraction) -> Hours:
    """Nothing beside an unknown time is not known, and no zero."""
    return hours(seconds) if seconds or not unknown else Hours(None, None)
