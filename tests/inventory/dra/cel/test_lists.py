from typing import Any

import pytest

from inventory.dra.cel import encoding, lists
from inventory.dra.cel.errors import UnsupportedError


def _quantity(text: str) -> bytearray:
    return bytearray(encoding.amount(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        ("a", "a"),
        ([1, [2]], [1.0, [2]]),
        ({"a": 1}, {"a": 1.0}),
        (True, True),
        (_quantity("1"), _quantity("1000m")),
        ([_quantity("1Ki")], [_quantity("1024")]),
    ],
)
def test_equal(one: Any, other: Any) -> None:
    assert lists.equal(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (0, False),
        (1, "1"),
        ([1], [1, 1]),
        ({"a": 1}, {"b": 1}),
        (float("nan"), float("nan")),
        (_quantity("1"), bytearray(encoding.version("1.0.0"))),
        (_quantity("1"), 1),
        ("", []),
    ],
)
def test_not_equal(one: Any, other: Any) -> None:
    assert not lists.equal(one, other)


def test_a_sum_beyond_64_bits_fails() -> None:
    with pytest.raises(ValueError, match="integer overflow"):
        lists.total([2**63 - 1, 1])


@pytest.mark.parametrize("values", [[1, "a"], [1.0, float("nan")], [bytearray(encoding.version("1.0.0"))]])
def test_what_has_no_order_is_not_ordered(values: list[Any]) -> None:
    with pytest.raises(UnsupportedError, match="is not evaluated here"):
        lists.greatest(values)


def test_nothing_has_no_least() -> None:
    with pytest.raises(ValueError, match="min called on empty list"):
        lists.least([])
