import zlib
from base64 import urlsafe_b64encode
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.pages.packing import PackingError, packed, unpacked

KIB = 1024


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_is_packed_comes_out_again(text: str) -> None:
    assert unpacked(packed(text), 64 * KIB) == text


@given(st.text())
def test_what_is_packed_needs_no_escape_in_an_address(text: str) -> None:
    assert packed(text).replace("-", "").replace("_", "").isalnum()


@given(st.text())
def test_other_text_is_refused_or_read_and_nothing_else(text: str) -> None:
    with suppress(PackingError):
        assert len(unpacked(text, KIB)) <= KIB


def test_a_few_letters_do_not_become_a_great_deal_of_text() -> None:
    bomb = packed("a" * 2_000_000)
    assert len(bomb) < 4_000
    with pytest.raises(PackingError, match="it stands for more than 1024 KiB"):
        unpacked(bomb, 1024 * KIB)


def test_the_longest_text_is_read() -> None:
    assert unpacked(packed("a" * KIB), KIB) == "a" * KIB


@pytest.mark.parametrize(
    "text", ["", "!", "AAAA", packed("kind: Pod")[:-3], packed("kind: Pod") + "AAAA", "é"]
)
def test_what_is_damaged_is_told(text: str) -> None:
    with pytest.raises(PackingError, match="damaged"):
        unpacked(text, KIB)


def test_other_forms_of_deflate_are_not_read() -> None:
    with pytest.raises(PackingError):
        unpacked(urlsafe_b64encode(zlib.compress(b"kind: Pod")).decode(), KIB)
