"""How an exact quantity lies in a row: a 64-bit number, a power of ten for the whole row, and its notation.

A decimal column would be a float on SQLite; a number and an exponent are exact, sum and compare on both
databases. All but a few rows have exponent 0.
"""

from django.db import models

from inventory.kube.quantity import NANO, Notation, Quantity

EXPONENTS = (0, -3, -6, -9, 3, 6, 9, 12, 15, 18)
LARGEST = 2**63 - 1


class AmountError(ValueError):
    """No power of ten brings all amounts of a row into 64 bits without loss."""


class NotationChoices(models.TextChoices):
    DECIMAL = Notation.DECIMAL.value
    BINARY = Notation.BINARY.value
    EXPONENT = Notation.EXPONENT.value


def exponent_for(*quantities: Quantity | None) -> int:
    """The power of ten in which every given quantity is a whole 64-bit number. Raises AmountError."""
    nanos = [quantity.nanos for quantity in quantities if quantity is not None]
    for exponent in EXPONENTS:
        unit = 10 ** (exponent + 9)
        if all(amount % unit == 0 and abs(amount // unit) <= LARGEST for amount in nanos):
            return exponent
    raise AmountError("the amounts need more than 64 bits: " + ", ".join(map(str, quantities)))


def to_amount(quantity: Quantity | None, exponent: int) -> int | None:
    return None if quantity is None else quantity.nanos // 10 ** (exponent + 9)


def to_quantity(amount: int | None, exponent: int, notation: str) -> Quantity | None:
    if amount is None:
        return None
    return Quantity(
        amount * 10**exponent * NANO if exponent >= 0 else amount * 10 ** (exponent + 9), Notation(notation)
    )
