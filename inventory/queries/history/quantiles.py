"""Exact quantiles: no value is rounded, and none is made up between two others.

Times in whole seconds have few values, so the database counts how often each is there.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import msgspec
from django.db.models import Count, QuerySet

# Of a hundred values in order, the one at this place.
_HALF, _NINE_OF_TEN, _ALL_BUT_ONE = 50, 90, 99
_AT_ONCE = 5_000


class Quantiles(msgspec.Struct, frozen=True):
    """Of `number` known values: so many of a hundred are no larger. `unknown` more are not known."""

    number: int = 0
    unknown: int = 0
    half: int | None = None
    nine_of_ten: int | None = None
    all_but_one: int | None = None
    largest: int | None = None
    # Each known value with how often it is there, in order.
    tally: tuple[tuple[int, int], ...] = ()

    def between(self, borders: Sequence[int]) -> tuple[int, ...]:
        """How many lie below the first border, between each two, and from the last on."""
        counts = [0] * (len(borders) + 1)
        for value, number in self.tally:
            counts[bisect_right(borders, value)] += number
        return tuple(counts)


def quantiles(rows: QuerySet[Any], column: str, keys: Sequence[str] = ()) -> dict[tuple[Any, ...], Quantiles]:
    """By the values of the keys, which are columns or annotations of the rows. One query."""
    known: defaultdict[tuple[Any, ...], list[tuple[int, int]]] = defaultdict(list)
    unknown: defaultdict[tuple[Any, ...], int] = defaultdict(int)
    counted = rows.order_by().values_list(*keys, column).annotate(Count("pk"))
    for *key, value, number in counted.iterator(_AT_ONCE):
        if value is None:
            unknown[tuple(key)] += number
        else:
            known[tuple(key)].append((value, number))
    return {key: _of(sorted(known.get(key, ())), unknown.get(key, 0)) for key in {**known, **unknown}}


def _of(counted: Sequence[tuple[int, int]], unknown: int) -> Quantiles:
    number = sum(times for _value, times in counted)
    if not number:
        return Quantiles(unknown=unknown)
    half, nine_of_ten, all_but_one = (
        _at(counted, (number * hundredth + 99) // 100) for hundredth in (_HALF, _NINE_OF_TEN, _ALL_BUT_ONE)
    )
    return Quantiles(number, unknown, half, nine_of_ten, all_but_one, counted[-1][0], tuple(counted))


def _at(counted: Sequence[tuple[int, int]], place: int) -> int:
    """The value at a place, counted from one."""
    for value, times in counted:
        place -= times
        if place <= 0:
            return value
    raise ValueError("the place is past the last value")
