from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory.hami.webhook.amounts import AmountError, from_json, parsed
from inventory.kube.quantity import QuantityError, parse

FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
NUMERIC = "unable to parse numeric part of quantity"
SUFFIX = "unable to parse quantity's suffix"


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("1000", "1k"),
        ("1024Ki", "1Mi"),
        ("12Ki", "12Ki"),
        ("1.5Ki", "1536"),
        ("0.5Gi", "512Mi"),
        ("0.5k", "500"),
        ("1e2", "100"),
        ("1e3", "1e3"),
        ("1.5e3", "1500"),
        ("2e-1", "200e-3"),
        ("33.3", "33300m"),
        ("+30", "+30"),
        ("0030", "0030"),
        ("5.", "5."),
        (".5", "500m"),
        ("-0", "0"),
        ("0e3", "0"),
        ("+", "0"),
        (".", "0"),
        ("Ki", "0"),
        ("0.1234567891", "123456790n"),
        ("0.1n", "1n"),
        ("-1500m", "-1500m"),
        ("8Ei", "9223372036854775807"),
        ("0.0000000000", "0"),
        ("0Ei", "0"),
        # Above the largest suffix none is printed.
        ("1000E", "1"),
        ("9223372036854775808", "9223372036854775808"),
    ],
)
def test_a_quantity_is_printed_as_the_webhook_prints_it(written: str, printed: str) -> None:
    assert str(parsed(written)) == printed


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1500m", 2),
        ("-1500m", -2),
        ("0", 0),
        ("5k", 5000),
        ("16Gi", 2**34),
        ("8Ei", 2**63 - 1),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", -(2**63)),
        ("18446744073709551617", 1),
        # Beyond an int64 a power of ten is lost, if it is none of those that are multiplied at once.
        ("15E", 0),
        ("999999999999999999G", 999999999999999999 * 10**9 % 2**64 - 2**64),
        # A big decimal is rounded up, even below zero.
        ("-1.2345678901234567890", 0),
        ("1.2345678901234567890", 2),
    ],
)
def test_a_value_is_an_int64_with_its_overflow(written: str, value: int) -> None:
    found = parsed(written).value()
    assert (found - value) % 2**64 == 0
    assert -(2**63) <= found < 2**63


def test_thousandths_overflow_too() -> None:
    assert parsed("76861433640456466").milli_value() % 1000
    assert parsed("92233720368547758").milli_value() % 1000
    assert parsed("5").milli_value() == 5000
    assert parsed("0.00001").milli_value() == 1


@pytest.mark.parametrize(
    ("written", "rounded"), [("1.23456789", "1235m"), ("-0.0001", "-1m"), ("+1500m", "+1500m"), ("1n", "1m")]
)
def test_the_api_server_rounds_to_thousandths_away_from_zero(written: str, rounded: str) -> None:
    assert str(parsed(written).rounded_to_milli()) == rounded


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("", FORMAT),
        ("abc", FORMAT),
        ("1GB", FORMAT),
        ("1kb", FORMAT),
        ("1_000", FORMAT),
        ("0x10", FORMAT),
        ("1.2.3", FORMAT),
        ("１", FORMAT),
        ("1 2", FORMAT),
        ("\t1", FORMAT),
        ("1\u2028", FORMAT),
        (True, FORMAT),
        ([], FORMAT),
        ({"a": 1}, FORMAT),
        (Decimal("NaN"), FORMAT),
        ("1" * 5000, FORMAT),
        ("5K", SUFFIX),
        ("1e", SUFFIX),
        ("1e+", SUFFIX),
        ("--1", SUFFIX),
        ("1-5", SUFFIX),
        ("1Ei5", SUFFIX),
        ("1e99999999", SUFFIX),
        ("Ei", NUMERIC),
    ],
)
def test_what_is_no_quantity_is_refused_in_the_words_of_kubernetes(value: Any, told: str) -> None:
    with pytest.raises(AmountError) as caught:
        from_json(value)
    assert str(caught.value) == told


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (" 1", "1"),
        ("1\u3000", "1"),
        (None, "0"),
        (30, "30"),
        (1500.5, "1500500m"),
        (Decimal("1500.5"), "1500500m"),
        (0, "0"),
        ("1e+3", "1e+3"),
    ],
)
def test_numbers_nothing_and_white_space_around_are_taken(value: Any, printed: str) -> None:
    assert str(from_json(value)) == printed


NUMBERS = st.from_regex(r"[+-]?[0-9]{1,25}(\.[0-9]{0,12})?", fullmatch=True)
SUFFIXES = st.sampled_from(["", *"numkMGTPE", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-4", "e12"])


@given(NUMBERS, SUFFIXES)
def test_it_is_the_amount_that_it_is_everywhere_else(number: str, suffix: str) -> None:
    assert parsed(number + suffix).billionths() == parse(number + suffix).nanos


@given(NUMBERS, SUFFIXES)
def test_its_print_reads_as_the_same_amount(number: str, suffix: str) -> None:
    found = parsed(number + suffix)
    if abs(found.billionths()) < 10**30:
        assert parsed(str(found)).billionths() == found.billionths()


@given(st.text("0123456789.+-eEinumkKMGTP ", max_size=12))
def test_whatever_is_a_quantity_elsewhere_is_one_here(text: str) -> None:
    try:
        expected = parse(text)
    except QuantityError:
        return
    assert parsed(text).billionths() == expected.nanos


@given(st.text(), st.integers(), st.floats())
def test_anything_is_a_quantity_or_refused(text: str, whole: int, real: float) -> None:
    for value in (text, whole, real):
        try:
            found = from_json(value)
        except AmountError:
            continue
        assert -(2**63) <= found.value() < 2**63
        assert str(found)
