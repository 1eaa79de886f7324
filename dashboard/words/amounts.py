"""Quantities as people read them. Rounded for the eye only; the exact value goes beside, in the title."""

from decimal import Decimal
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from inventory.dra.units import Unit, short_name
from inventory.kube.quantity import NANO, Notation, Quantity

_BINARY = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
_LARGEST_COUNT = 10**6
MINUS = "−"


def amount(quantity: Quantity, unit: Unit) -> str:
    """`38 GiB`, `21.0 GiB` where rounded, `1,375 GiB`, `30 %`, `7`."""
    if quantity.nanos < 0:
        return MINUS + amount(Quantity(-quantity.nanos, quantity.notation), unit)
    value = Fraction(quantity.nanos, NANO)
    if unit is Unit.BYTES:
        return _bytes(value)
    if unit is Unit.PERCENT:
        return f"{number(value)} %"
    return number(value) if value < _LARGEST_COUNT else str(quantity)


def amount_of(part: Quantity, whole: Quantity, unit: Unit) -> str:
    """`986.2 of 2,362 GiB`: the unit once, where both have the same."""
    shown, total = amount(part, unit), amount(whole, unit)
    number_alone, space, suffix = shown.rpartition(" ")
    if space and total.endswith(f" {suffix}"):
        shown = number_alone
    return _("%(part)s of %(whole)s") % {"part": shown, "whole": total}


def exact(quantity: Quantity, unit: Unit) -> str:
    """The same amount without rounding."""
    if unit is Unit.PERCENT:
        return f"{quantity.as_decimal():f} %"
    if unit is Unit.BYTES:
        return f"{Quantity(quantity.nanos, Notation.BINARY)} = {quantity.as_decimal():,f} B"
    return f"{quantity.as_decimal():f}"


def written(quantity: Quantity, unit: Unit) -> str:
    """Without rounding, and short: `4810Mi`, `12.25 %`."""
    return str(Quantity(quantity.nanos, Notation.BINARY)) if unit is Unit.BYTES else exact(quantity, unit)


def is_rounded(quantity: Quantity, unit: Unit) -> bool:
    """Whether `amount` says less than there is to say."""
    value = abs(Fraction(quantity.nanos, NANO))
    if unit is Unit.BYTES:
        value /= next((size for size, _suffix in _BINARY if value >= size), 1)
    return value.denominator != 1


def number(value: Fraction) -> str:
    """One decimal at most: `21` is exact, `21.0` is rounded; whole from 1,000 up."""
    if value >= 1000:
        return f"{_half_up(value):,}"
    if value.denominator == 1:
        return str(value.numerator)
    whole, tenth = divmod(_half_up(value * 10), 10)
    return f"{whole}.{tenth}" if whole < 1000 else f"{whole:,}"


def share_of(part: Fraction) -> str:
    """A part of a whole in whole per cent; never `0 %` for something nor `100 %` for less than all."""
    per_cent = part * 100
    if 0 < per_cent < 1:
        return "<1 %"
    if 99 < per_cent < 100:
        return ">99 %"
    return f"{_half_up(per_cent):,} %"


def dimension_label(dimension: str) -> str:
    """The word of a well-known dimension, the driver's own key of any other."""
    words = {"memory": pgettext("dimension", "memory"), "cores": pgettext("dimension", "cores")}
    return words.get(short_name(dimension), short_name(dimension))


def dimension_title(dimension: str) -> str:
    """The same as a head; a driver's own key stays as it spells it."""
    label = dimension_label(dimension)
    return (
        label
        if label == short_name(dimension) and label not in ("memory", "cores")
        else label[:1].upper() + label[1:]
    )


def not_known() -> str:
    return _("not known")


def _bytes(value: Fraction) -> str:
    for size, name in _BINARY:
        if value >= size or (size == _BINARY[0][0] and value == 0):
            return f"{number(value / size)} {name}"
    return f"{number(value)} B"


def _half_up(value: Fraction) -> int:
    return int(value + Fraction(1, 2))


def share_of_memory(ratio: Fraction | Decimal | None) -> str:
    return _("%(part)s of all memory") % {"part": share_of(Fraction(ratio or 0))}


def share_of_or_unknown(ratio: Decimal | None) -> str:
    return not_known() if ratio is None else share_of(Fraction(ratio))
