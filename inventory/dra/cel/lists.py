"""Functions on lists that the engine lacks, on the plain values that it hands over."""

from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from typing import Any

from inventory.dra.cel import encoding
from inventory.dra.cel.errors import UnsupportedError

_INTEGERS = range(-(2**63), 2**63)


def equal(one: Any, other: Any) -> bool:
    """CEL's `==`: numbers of any kind by value, and values of different kinds are simply not equal."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    if isinstance(one, bytearray) and isinstance(other, bytearray):
        return _same(one, other)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return len(one) == len(other) and all(key in other and equal(one[key], other[key]) for key in one)
    return type(one) is type(other) and bool(one == other)


def contained(values: list[Any], sought: Any) -> bool:
    return any(equal(value, sought) for value in values)


def includes(target: Any, sought: Any) -> bool:
    """`target.includes(sought)`: an element of it, or it itself."""
    return contained(target, sought) if isinstance(target, list) else equal(target, sought)


def index_of(values: list[Any], sought: Any) -> int:
    return next((index for index, value in enumerate(values) if equal(value, sought)), -1)


def last_index_of(values: list[Any], sought: Any) -> int:
    return next((index for index in reversed(range(len(values))) if equal(values[index], sought)), -1)


def contains(values: list[Any], sought: list[Any]) -> bool:
    return all(contained(values, value) for value in sought)


def equivalent(one: list[Any], other: list[Any]) -> bool:
    return contains(one, other) and contains(other, one)


def intersects(one: list[Any], other: list[Any]) -> bool:
    return any(contained(other, value) for value in one)


def total(values: list[Any]) -> Any:
    """`sum()`; that of nothing is 0, as upstream has it for a list of unknown elements."""
    _same_kind("sum", values)
    if values and isinstance(values[0], timedelta):
        return sum(values, timedelta())
    added = sum(values)
    if isinstance(added, int) and added not in _INTEGERS:
        raise ValueError("integer overflow")
    return added


def least(values: list[Any]) -> Any:
    return _chosen("min", values, min)


def greatest(values: list[Any]) -> Any:
    return _chosen("max", values, max)


def is_sorted(values: list[Any]) -> bool:
    _same_kind("isSorted", values)
    return all(one <= other for one, other in pairwise(values))


def _chosen(name: str, values: list[Any], choose: Callable[[list[Any]], Any]) -> Any:
    if not values:
        raise ValueError(f"{name} called on empty list")
    _same_kind(name, values)
    return choose(values)


def _same_kind(name: str, values: list[Any]) -> None:
    kinds = {type(value) for value in values}
    unordered = bytearray in kinds or any(value != value for value in values)
    if len(kinds) > 1 or unordered:
        raise UnsupportedError(f"{name}() of a list of different or unordered kinds is not evaluated here")


def _same(one: bytearray, other: bytearray) -> bool:
    if encoding.is_version(one) or encoding.is_version(other):
        return one == other
    return encoding.decoded(one).nanos == encoding.decoded(other).nanos
