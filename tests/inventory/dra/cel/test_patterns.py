import pytest

from inventory.dra.cel import patterns
from inventory.dra.cel.errors import UnsupportedError


@pytest.mark.parametrize(
    ("text", "pattern", "found"),
    [
        ("a1b22", "[0-9]+", ["1", "22"]),
        ("abc", "x", []),
        # An empty match right behind another one does not count.
        ("ab", "[a-z]*", ["ab"]),
        ("a b", "[a-z]*", ["a", "b"]),
        ("1x", "[a-z]*", ["", "x"]),
        ("", "x*", [""]),
        ("äöü", ".", ["ä", "ö", "ü"]),
        ("aXbX", "([a-z])X", ["aX", "bX"]),
        ("aba", "^a", ["a"]),
    ],
)
def test_matches_are_those_of_go(text: str, pattern: str, found: list[str]) -> None:
    assert patterns.find_all(text, pattern) == found


@pytest.mark.parametrize(("limit", "count"), [(-1, 3), (0, 0), (2, 2), (9, 3)])
def test_a_limit(limit: int, count: int) -> None:
    assert len(patterns.find_all("abc", "[a-z]", limit)) == count


def test_the_leftmost_match_is_found_first() -> None:
    assert patterns.find("xaab", "a|aa") == "a"
    assert patterns.find("x", "a") == ""


def test_a_pattern_that_is_none() -> None:
    with pytest.raises(patterns.PatternError, match="missing"):
        patterns.check("(")


@pytest.mark.parametrize("count", [4, 100, 300, 1000])
def test_a_pattern_that_takes_too_much_memory(count: int) -> None:
    with pytest.raises(UnsupportedError, match="too much memory"):
        patterns.check("a{1,1000}" * count)


def test_nested_repetition_takes_no_time() -> None:
    assert patterns.find("a" * 5000 + "!", "(a+)+$") == ""
