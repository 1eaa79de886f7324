import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory.hami.webhook.go import int64, quote, quotient, trimmed, well_formed
from inventory.hami.webhook.printable import is_printable


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("GPU-1", '"GPU-1"'),
        ('A100"x', '"A100\\"x"'),
        ("B\\C", '"B\\\\C"'),
        ("\a\b\f\n\r\t\v", '"\\a\\b\\f\\n\\r\\t\\v"'),
        ("\x00\x1b\x7f", '"\\x00\\x1b\\x7f"'),
        ("\x80\xa0\xad", '"\\u0080\\u00a0\\u00ad"'),
        ("\u200b\u200d\u2028\u202e\ufeff\ue000", '"\\u200b\\u200d\\u2028\\u202e\\ufeff\\ue000"'),
        ("\U0010ffff", '"\\U0010ffff"'),
        ("卡 é e\u0301 🙂 \ufffd <>&'`", '"卡 é e\u0301 🙂 \ufffd <>&\'`"'),
    ],
)
def test_a_text_is_quoted_as_go_quotes_it(text: str, quoted: str) -> None:
    assert quote(text) == quoted


@pytest.mark.parametrize(
    ("character", "is_shown"),
    [
        ("\U0001faf8", True),  # since Unicode 15.0
        ("\U00031350", True),  # since Unicode 15.0
        ("\U0002ebf0", False),  # since Unicode 15.1
        ("\U0001fae9", False),  # since Unicode 16.0
        ("\u0378", False),
        (" ", True),
        ("\u3000", False),
    ],
)
def test_what_can_be_printed_depends_on_go_and_not_on_python(character: str, is_shown: bool) -> None:
    assert is_printable(ord(character)) is is_shown


def test_nothing_is_printed_that_is_a_space_or_no_character_of_its_own() -> None:
    printed = [chr(code) for code in range(0x3100) if is_printable(code)]
    assert {unicodedata.category(one)[0] for one in printed if one != " "} <= set("LMNPSC")
    assert not {"Cc", "Cf", "Zs", "Zl", "Zp"} & {unicodedata.category(one) for one in printed if one != " "}


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert well_formed("a\ud800b") == "a\ufffdb"
    assert quote("\udfff") == '"\ufffd"'


@given(st.text(st.characters(max_codepoint=0x7E)))
def test_plain_text_is_quoted_as_json_but_for_control_characters(text: str) -> None:
    plain = "".join(character for character in text if character >= " ")
    assert quote(plain) == json.dumps(plain)


@given(st.text())
def test_what_is_quoted_stays_on_one_line_and_ends_where_it_should(text: str) -> None:
    inner = quote(text)[1:-1]
    assert inner.isprintable() or not inner.isascii()
    assert not {"\n", "\r"} & set(inner)
    assert '"' not in inner.replace("\\\\", "").replace('\\"', "")


@pytest.mark.parametrize("space", "\t\n\v\f\r \x85\xa0\u1680\u2003\u2007\u2028\u2029\u202f\u205f\u3000")
def test_white_space_of_unicode_is_trimmed(space: str) -> None:
    assert trimmed(f"{space}a{space}b{space}") == f"a{space}b"


@pytest.mark.parametrize("character", "\x1c\x1d\x1e\x1f\u200b\u180e\ufeff")
def test_what_only_looks_like_white_space_is_not(character: str) -> None:
    assert trimmed(f"{character}a{character}") == f"{character}a{character}"


@given(st.text())
def test_trimming_twice_is_trimming_once(text: str) -> None:
    once = trimmed(text)
    assert trimmed(once) == once
    assert once in text


@given(st.integers())
def test_an_int64_wraps_around(number: int) -> None:
    assert -(2**63) <= int64(number) < 2**63
    assert (int64(number) - number) % 2**64 == 0


@pytest.mark.parametrize(
    ("dividend", "divisor", "whole"), [(7, 2, 3), (-7, 2, -3), (7, -2, -3), (-7, -2, 3), (0, -2, 0)]
)
def test_a_quotient_is_cut_towards_zero(dividend: int, divisor: int, whole: int) -> None:
    assert quotient(dividend, divisor) == whole


def test_every_range_of_what_go_prints_has_two_ends() -> None:
    """Of the Tamil and Kannada blocks, whose ranges are short."""
    tamil = [*range(0xBBE, 0xBC3), *range(0xBC6, 0xBC9), *range(0xBCA, 0xBCE)]

    assert [code for code in range(0xBBA, 0xBD0) if is_printable(code)] == tamil
    assert [code for code in range(0xCD7, 0xCE0) if is_printable(code)] == [0xCDD, 0xCDE]
