"""Exact quantiles, found by the database: no value is rounded, and none is made up between two others."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from django.db.models import Count, F, Max, Q, QuerySet, Value, Window
from django.db.models.functions import RowNumber

# Of a hundred values in order, the one at this place.
_HALF, _NINE_OF_TEN, _ALL_BUT_ONE = 50, 90, 99


class Quantiles(msgspec.Struct, frozen=True):
    """Of `number` known values: so many of a hundred are no larger. `unknown` more are not known."""

    number: int = 0
    unknown: int = 0
    half: int | None = None
    nine_of_ten: int | None = None
    all_but_one: int | None = None
    largest: int | None = None


def quantiles(rows: QuerySet[Any], column: str, keys: Sequence[str] = ()) -> dict[tuple[Any, ...], Quantiles]:
    """By the values of the keys, which are columns or annotations of the rows. Two queries."""
    rows = rows.order_by().annotate(everything=Value(1))
    by = ["everything", *keys]
    numbers = rows.values_list(*by).annotate(rows=Count("pk"), known=Count(column), largest=Max(column))
    found = {tuple(row[1:-3]): row[-3:] for row in numbers}
    places = _places(rows.exclude(**{column: None}), column, by)
    return {
        key: _of(known, every - known, largest, places.get(key, {}))
        for key, (every, known, largest) in found.items()
    }


def _places(rows: QuerySet[Any], column: str, by: Sequence[str]) -> dict[tuple[Any, ...], dict[int, int]]:
    """The values at those places that are asked for, by key and place."""
    groups = [F(name) for name in by]
    placed = rows.annotate(
        place=Window(RowNumber(), partition_by=groups, order_by=F(column).asc()),
        of=Window(Count("pk"), partition_by=groups),
    )
    wanted = Q()
    for hundredth in (_HALF, _NINE_OF_TEN, _ALL_BUT_ONE):
        wanted |= Q(place=(F("of") * hundredth + 99) / 100)
    found: dict[tuple[Any, ...], dict[int, int]] = {}
    for _all, *key, place, value in placed.filter(wanted).values_list(*by, "place", column):
        found.setdefault(tuple(key), {})[place] = value
    return found


def _of(number: int, unknown: int, largest: int | None, places: Mapping[int, int]) -> Quantiles:
    half, nine_of_ten, all_but_one = (
        places.get((number * hundredth + 99) // 100) for hundredth in (_HALF, _NINE_OF_TEN, _ALL_BUT_ONE)
    )
    return Quantiles(number, unknown, half, nine_of_ten, all_but_one, largest)
