"""How sums over time lie in rows: see `UsageTotal`."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django.db.models import Sum

from inventory.history.measures import Cell, Measure, Number, Sums
from inventory.kube.quantity import Notation
from inventory.models.amounts import EXPONENTS
from inventory.queries.sums import halves

_LOW = 2**40
# A sum of some rows of this size still fits in 64 bits.
_LARGEST = 2**102
_AMOUNTS = frozenset({Measure.HELD, Measure.THERE})


class Values(NamedTuple):
    """The columns of a row that say what is added up."""

    measure: str
    dimension: str
    exponent: int
    notation: str
    per: int
    high: int
    low: int


def rows(sums: Mapping[Cell, Number]) -> Iterator[Values]:
    """What is too large for one row is in several."""
    for cell, number in sums.items():
        if not isinstance(number, int):
            raise TypeError(f"{cell} is {number}: parts of microseconds are not kept")
        exponent = _exponent(number) if cell.measure in _AMOUNTS else 0
        rest = number // 10 ** (exponent + 9) if cell.measure in _AMOUNTS else number
        for part in _parts(rest):
            yield Values(
                cell.measure.value,
                cell.dimension,
                exponent,
                cell.notation.value,
                cell.per,
                *divmod(part, _LOW),
            )


def _exponent(number: int) -> int:
    """The first power of ten in which it is a whole number: all but a few are of whole units."""
    return next(one for one in EXPONENTS if number % 10 ** (one + 9) == 0)


def _parts(number: int) -> Iterator[int]:
    while abs(number) > _LARGEST:
        part = _LARGEST if number > 0 else -_LARGEST
        yield part
        number -= part
    yield number


# Of rows of one group, the same columns as those of `Values`, with sums.
CELL = ("measure", "dimension", "exponent", "notation", "per")


def summing() -> dict[str, Any]:
    """Annotations, of which `add` reads the columns."""
    return {**halves("upper", "high"), "lower": Sum("low")}


def add(sums: Sums, group: Mapping[str, Any]) -> None:
    measure = Measure(group["measure"])
    number = (int(group["upper_high"]) * 2**32 + int(group["upper_low"])) * _LOW + int(group["lower"])
    if measure in _AMOUNTS:
        number *= 10 ** (group["exponent"] + 9)
    cell = Cell(measure, group["dimension"], Notation(group["notation"]), group["per"])
    sums[cell] = sums.get(cell, 0) + number
