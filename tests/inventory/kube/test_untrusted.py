from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory.kube.untrusted import DEEPEST, printable, readable


def nested(levels: int) -> bytes:
    return b"[" * levels + b"1" + b"]" * levels


def test_a_value_that_is_not_deep_stays_byte_for_byte() -> None:
    assert readable(nested(DEEPEST)) == nested(DEEPEST)


def test_a_deep_value_becomes_null_and_what_follows_stays() -> None:
    body = b'{"deep":' + nested(50_000) + b',"after":[1,{"a":"]"}]}'

    read = msgspec.json.decode(readable(body))

    assert read["after"] == [1, {"a": "]"}]
    assert b"null" in readable(body)


def test_brackets_inside_text_do_not_count() -> None:
    body = msgspec.json.encode({'tricky "': "[{" * 500 + '\\"'})

    assert readable(body) == body


def test_several_deep_values_each_become_null() -> None:
    body = b'[{"a":' + nested(300) + b',"b":' + nested(300) + b"}]"

    assert readable(body).count(b"null") == 2


@pytest.mark.parametrize(
    ("body", "read"),
    [
        (rb'"a\u0000b"', "a\ufffdb"),
        (rb'"\ud800"', "\ufffd"),
        (rb'"\udc00\ud83d"', "\ufffd\ufffd"),
        (rb'"\ud800\ud83d\ude00"', "\ufffd\U0001f600"),
        (rb'"\\u0000 \\\u0000"', "\\u0000 \\\ufffd"),
        (b'"\xff"', "\ufffd"),
    ],
)
def test_characters_that_cannot_be_taken_are_replaced(body: bytes, read: str) -> None:
    assert msgspec.json.decode(readable(body)) == read


@pytest.mark.parametrize("number", [b"1" * 5000, b"-" + b"9" * 5000, b"1" * 5000 + b".5e-7"])
def test_a_number_of_thousands_of_digits_becomes_null(number: bytes) -> None:
    body = b'{"a":[' + number + b'],"b":"' + b"1" * 5000 + b'"}'

    assert msgspec.json.decode(readable(body)) == {"a": [None], "b": "1" * 5000}


def test_a_long_number_inside_a_deep_value_goes_with_it() -> None:
    assert readable(b"[" * 200 + b"1" * 5000 + b"]" * 200) == b"[" * DEEPEST + b"null" + b"]" * DEEPEST


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("v1.36.2", "v1.36.2"),
        ("a\0b\n\x7f\x9f", "a\ufffdb\ufffd\ufffd\ufffd"),
        ("\ud800", "\ufffd"),
        ("显存 é 😀", "显存 é 😀"),
    ],
)
def test_a_printable_text_has_no_control_characters_and_no_half_pairs(text: str, clean: str) -> None:
    assert printable(text) == clean


def test_a_printable_text_is_cut() -> None:
    assert printable("x" * 9, 5) == "xxxxx"


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=9)


@given(st.recursive(TEXT | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner)))
def test_ordinary_json_is_left_alone(value: Any) -> None:
    body = msgspec.json.encode(value)

    assert readable(body) == body
