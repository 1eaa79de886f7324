"""Sums as faces get them: in seconds, dimension by dimension."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from inventory.dra.units import reading_order, unit_of
from inventory.history.instants import SECOND
from inventory.history.measures import Cell, Measure, Number, Sums, card_equivalents
from inventory.kube.quantity import NANO, Notation
from inventory.queries.usage.rows import Integral, There, Use

# Of a dimension that is written in several ways.
_NOTATIONS = (Notation.BINARY, Notation.DECIMAL, Notation.EXPONENT)


def seconds(number: Number) -> Fraction:
    return Fraction(number) / SECOND


def use(driver: str, sums: Sums) -> Use:
    return Use(
        shares=_of(sums, Measure.SHARES),
        devices=_of(sums, Measure.DEVICES),
        cards=_of(sums, Measure.CARDS),
        card_equivalents=seconds(card_equivalents(sums)),
        card_equivalents_unknown=_of(sums, Measure.CARD_PARTS_UNKNOWN),
        amounts=_integrals(driver, sums, Measure.HELD, Measure.UNKNOWN),
    )


def there(driver: str, sums: Sums) -> There:
    capacity = _integrals(driver, sums, Measure.THERE, Measure.THERE_UNKNOWN)
    return There(_of(sums, Measure.THERE_CARDS), capacity)


def _of(sums: Mapping[Cell, Number], measure: Measure) -> Fraction:
    return seconds(sums.get(Cell(measure), 0))


def _integrals(
    driver: str, sums: Mapping[Cell, Number], known: Measure, unknown: Measure
) -> tuple[Integral, ...]:
    cells = [cell for cell in sums if cell.measure in (known, unknown)]
    dimensions = sorted({cell.dimension for cell in cells}, key=reading_order)
    return tuple(
        _integral(
            driver, dimension, {cell: sums[cell] for cell in cells if cell.dimension == dimension}, known
        )
        for dimension in dimensions
    )


def _integral(driver: str, dimension: str, numbers: Mapping[Cell, Number], known: Measure) -> Integral:
    amounts = {cell: number for cell, number in numbers.items() if cell.measure is known}
    unknown = sum(number for cell, number in numbers.items() if cell not in amounts)
    notation = _notation(cell.notation for cell in amounts)
    return Integral(
        dimension=dimension,
        unit=unit_of(driver, dimension, notation),
        notation=notation,
        total=seconds(Fraction(sum(amounts.values())) / NANO),
        unknown=seconds(unknown),
    )


def _notation(found: Iterable[Notation]) -> Notation:
    present = set(found)
    return next((one for one in _NOTATIONS if one in present), Notation.DECIMAL)
