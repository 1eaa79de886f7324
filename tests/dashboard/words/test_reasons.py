"""What the domain wrote down in English is read in the reader's language."""

import string

import pytest
from django.utils import translation

from dashboard.words.reasons import said, translated
from inventory.reasons import Reason


def _filled(reason: Reason) -> str:
    """With something in each of its places."""
    places = [name for _, name, _, _ in string.Formatter().parse(reason.value) if name]
    inside = {"reason": Reason.UNLISTED.value, "reasons": "memory by 8Gi, cores by 20"}
    return reason.format(**{name: inside.get(name, f"<{name}>") for name in places})


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_is_read_in_chinese_with_its_names_and_numbers(reason: Reason) -> None:
    written = _filled(reason)
    with translation.override("zh-hans"):
        read = translated(written)
    assert read
    assert read != written
    names = [name for _, name, _, _ in string.Formatter().parse(reason.value) if name]
    for name in set(names) - {"reason", "reasons"}:
        assert f"<{name}>" in read


def test_reasons_inside_of_reasons_are_read_too() -> None:
    inside = Reason.SLICES_MISSING.format(seen=1, expected=2, generation=3)
    with translation.override("zh-hans"):
        assert said(inside) in said(Reason.POOL_INCOMPLETE.format(reason=inside))
        over = "over-allocated: memory by 8Gi, cores by 20"
        assert said("memory by 8Gi") in said(over)
        assert said(over) in said(f"gpu-0: {over}")


def test_of_several_the_number_is_read_too() -> None:
    with translation.override("zh-hans"):
        read = said("gpu-0 and 12 more: its shares name no capacity")
        inside = said(Reason.NOTHING_COUNTED.value)
    assert read == f"gpu-0 及另外 12 个：{inside}"


def test_in_english_they_stay_as_they_are() -> None:
    for reason in Reason:
        assert said(_filled(reason)) == _filled(reason)


def test_what_another_program_says_is_not_ours_to_translate() -> None:
    with translation.override("zh-hans"):
        assert translated("0/9 nodes are available: 1 cannot allocate all claims") is None
        assert said("connection: refused") == "connection: refused"
