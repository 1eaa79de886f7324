from decimal import Decimal
from fractions import Fraction

import pytest

from dashboard.words import amounts
from inventory.dra.units import Unit
from inventory.kube.quantity import parse


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("38Gi", "38 GiB"),
        ("21Gi", "21 GiB"),
        ("21525Mi", "21.0 GiB"),
        ("1375Gi", "1,375 GiB"),
        ("1023.96Gi", "1,024 GiB"),
        ("999.96Gi", "1,000 GiB"),
        ("1Mi", "1 MiB"),
        ("0", "0 GiB"),
        ("-1Gi", "−1 GiB"),
        ("512", "512 B"),
        ("1k", "1,000 B"),
    ],
)
def test_bytes_have_one_decimal_at_most_and_say_when_they_are_rounded(text: str, shown: str) -> None:
    assert amounts.amount(parse(text), Unit.BYTES) == shown


@pytest.mark.parametrize(("text", "shown"), [("100", "100 %"), ("1085", "1,085 %"), ("33300m", "33.3 %")])
def test_cores_are_per_cent_of_one_card(text: str, shown: str) -> None:
    assert amounts.amount(parse(text), Unit.PERCENT) == shown


@pytest.mark.parametrize(
    ("text", "shown"), [("7", "7"), ("100m", "0.1"), ("100G", "100G"), ("12345", "12,345")]
)
def test_counts_are_plain_numbers_until_they_grow_too_long(text: str, shown: str) -> None:
    assert amounts.amount(parse(text), Unit.COUNT) == shown


def test_the_exact_value_stands_in_the_title() -> None:
    assert amounts.exact(parse("21525Mi"), Unit.BYTES) == "21525Mi = 22,570,598,400 B"
    assert amounts.exact(parse("33300m"), Unit.PERCENT) == "33.3 %"


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        (Fraction(0), "0 %"),
        (Fraction(1, 1000), "<1 %"),
        (Fraction(625, 1000), "63 %"),
        (Fraction(999, 1000), ">99 %"),
        (Fraction(1), "100 %"),
        (Fraction(3, 2), "150 %"),
    ],
)
def test_something_is_never_nothing_and_less_than_all_is_never_all(part: Fraction, shown: str) -> None:
    assert amounts.share_of(part) == shown


def test_the_unit_is_written_once_where_both_have_the_same() -> None:
    assert amounts.amount_of(parse("986.2Gi"), parse("2362Gi"), Unit.BYTES) == "986.2 of 2,362 GiB"
    assert amounts.amount_of(parse("1Mi"), parse("2Gi"), Unit.BYTES) == "1 MiB of 2 GiB"
    assert amounts.amount_of(parse("3"), parse("10"), Unit.COUNT) == "3 of 10"


def test_a_drivers_own_key_stays_as_it_spells_it() -> None:
    assert amounts.dimension_label("gpu.example.com/copyEngines") == "copyEngines"
    assert amounts.dimension_title("copyEngines") == "copyEngines"
    assert amounts.dimension_title("memory") == "Memory"


def test_an_unknown_ratio_is_said_to_be_unknown() -> None:
    assert amounts.share_of_or_unknown(None) == "not known"
    assert amounts.share_of_or_unknown(Decimal("0.42")) == "42 %"


@pytest.mark.parametrize(
    ("text", "unit", "rounded"),
    [
        ("38Gi", Unit.BYTES, False),
        ("1536Mi", Unit.BYTES, True),
        ("512Mi", Unit.BYTES, False),
        ("1375.5Gi", Unit.BYTES, True),
        ("0", Unit.BYTES, False),
        ("12.25", Unit.PERCENT, True),
        ("30", Unit.PERCENT, False),
    ],
)
def test_what_is_rounded_is_known_to_be(text: str, unit: Unit, rounded: bool) -> None:
    assert amounts.is_rounded(parse(text), unit) is rounded


def test_the_short_form_says_all() -> None:
    assert amounts.written(parse("4810Mi"), Unit.BYTES) == "4810Mi"
    assert amounts.written(parse("12.25"), Unit.PERCENT) == "12.25 %"
