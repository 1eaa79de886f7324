"""What is added up, as exact sums over time: each a number of microseconds × units.

Sums are mappings, so that those of two times, or of two groups, are added cell by cell.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from inventory.kube.quantity import Notation


class Measure(StrEnum):
    SHARES = "shares"
    # A device or card, for as long as at least one share of the group was on it.
    DEVICES = "devices"
    CARDS = "cards"
    HELD = "held"
    UNKNOWN = "unknown"
    CARD_PARTS = "card_parts"
    CARD_PARTS_UNKNOWN = "card_parts_unknown"
    THERE_CARDS = "there_cards"
    THERE = "there"
    THERE_UNKNOWN = "there_unknown"


class Cell(NamedTuple):
    """`notation` is that of an amount, which counts in billionths; `per` of what part the numerators are."""

    measure: Measure
    dimension: str = ""
    notation: Notation = Notation.DECIMAL
    per: int = 0


Number: TypeAlias = "int | Fraction"
Sums: TypeAlias = dict[Cell, Number]


def add(sums: Sums, more: Mapping[Cell, Number]) -> None:
    for cell, number in more.items():
        sums[cell] = sums.get(cell, 0) + number


def added(several: Iterable[Mapping[Cell, Number]]) -> Sums:
    found: Sums = {}
    for sums in several:
        add(found, sums)
    return found


def card_equivalents(sums: Mapping[Cell, Number]) -> Fraction:
    """In microseconds × cards."""
    parts = (
        Fraction(number) / cell.per for cell, number in sums.items() if cell.measure is Measure.CARD_PARTS
    )
    return sum(parts, Fraction(0))
