"""Which of two resource versions comes first, as far as that can be said."""

import pytest

from inventory.sync.changes import older, reaches


@pytest.mark.parametrize(
    ("version", "other", "before", "there"),
    [
        ("9", "10", True, False),
        ("10", "9", False, True),
        ("10", "10", False, True),
        ("010", "10", False, True),
        ("18446744073709551616", "18446744073709551617", True, False),
        ("abc", "10", False, False),
        ("10", "abc", False, False),
        ("٣", "2", False, False),
        ("", "0", False, False),
        ("abc", "abc", False, True),
    ],
)
def test_only_numbers_are_before_or_after_one_another(
    version: str, other: str, before: bool, there: bool
) -> None:
    assert older(version, other) is before
    assert reaches(version, other) is there
