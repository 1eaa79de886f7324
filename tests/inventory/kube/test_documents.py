"""YAML as kubectl reads it, and within bounds."""

from decimal import Decimal
from typing import Any

import pytest

from inventory.kube import documents as limits
from inventory.kube.documents import DocumentError, documents


def value(text: str) -> Any:
    """Of the only key of a map."""
    (found,) = documents(f"a: {text}")
    return found["a"]


def fault(text: str) -> str:
    with pytest.raises(DocumentError) as caught:
        documents(text)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("8Gi", "8Gi"),
        ("", None),
        ("~", None),
        ("null", None),
        ("yes", True),
        ("off", False),
        ("8589934592", 8589934592),
        ("-3", -3),
        ("1_000", 1000),
        ("017", 15),
        ("0o17", 15),
        ("-0x1F", -31),
        ("0b11", 3),
        ("08", Decimal(8)),
        ("0.1", Decimal("0.1")),
        (".5", Decimal("0.5")),
        ("1e3", Decimal(1000)),
        ("2026-11-29", "2026-11-29"),
        ("2026-99-99", "2026-99-99"),
        ("1:30", "1:30"),
        ("190:20:30", "190:20:30"),
        ("190:20:30.15", "190:20:30.15"),
        ("0x", "0x"),
        ("1.2.3", "1.2.3"),
        ("'017'", "017"),
        ('"yes"', "yes"),
        ("|\n  017", "017"),
        ("&anchor 7", 7),
    ],
)
def test_a_scalar_is_what_kubectl_makes_of_it(text: str, read: Any) -> None:
    found = value(text)
    assert (found, type(found)) == (read, type(read))


def test_a_number_keeps_all_its_digits() -> None:
    assert str(value("0.10000000000000000000000001")) == "0.10000000000000000000000001"


def test_every_key_is_a_text() -> None:
    assert documents("1: a\nyes: b\n1.50: c\nd: {e: [f]}") == [
        {"1": "a", "true": "b", "1.50": "c", "d": {"e": ["f"]}}
    ]


def test_documents_that_are_empty_are_none() -> None:
    assert documents("---\n---\n7\n---\n[]\n") == [7, []]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: &x 1\nb: *x", "line 2: YAML aliases are not read"),
        ("a:\n  <<: {b: 1}", "line 2: YAML merge keys are not read"),
        ("a: 1\nb: 2\na: 3", "line 3: a is given twice"),
        ("1: a\n'1': b", "line 2: 1 is given twice"),
        ("? [a]\n: b", "line 1: a key that is a map or list"),
        ("? {a: b}\n: c", "line 1: a key that is a map or list"),
        ("~: b", "line 1: a key that is empty"),
        ("a: 'b", "line 1: found unexpected end of stream"),
        ("a: 1e99999999999999999999", "line 1: a number that is too large: 1e99999999999999999999"),
        ("a: \ud800", "a character that is none"),
    ],
)
def test_what_json_cannot_say_is_refused_with_its_line(text: str, told: str) -> None:
    assert fault(text) == told


@pytest.mark.parametrize(
    "tagged",
    [
        "!!timestamp x",
        "!!int x",
        "!!float x",
        "!!bool x",
        "!!binary é",
        "!!null x",
        "!!str 1",
        "! 1",
        "!!set {a}",
        "!!omap [a]",
        "!!pairs [a]",
        "!!map [a]",
        "!mine {a: b}",
        "!!python/object/apply:os.system [id]",
    ],
)
def test_a_tag_is_refused_whatever_it_stands_for(tagged: str) -> None:
    assert fault(f"kind: Pod\na: {tagged}") == "line 2: YAML tags are not read"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("---\n" * (limits.MOST_DOCUMENTS + 1), "more than 1,000 documents"),
        ("[" + "0," * limits.MOST_VALUES + "]", "more than 200,000 values"),
        ("a: " + "9" * 5_000, "line 1: a number of 5,000 characters"),
        ("a: 0x" + "f" * 5_000, "line 1: a number of 5,002 characters"),
        ("a: 0." + "1" * 5_000, "line 1: a number of 5,002 characters"),
        ("[" * 100_000, "line 1: exceeded maximum nesting depth"),
    ],
    ids=["documents", "values", "digits", "hexadecimal", "decimals", "levels"],
)
def test_what_would_take_long_is_refused(text: str, told: str) -> None:
    assert told in fault(text)


@pytest.mark.parametrize(
    "text",
    ["1" + ":1" * 500_000, "9" * 1_000_000 + "x", "a" * 1_000_000],
    ids=["base 60", "digits", "letters"],
)
def test_a_scalar_of_a_mebibyte_is_a_text(text: str) -> None:
    """In base 60, reading the first would take minutes."""
    assert value(text) == text
