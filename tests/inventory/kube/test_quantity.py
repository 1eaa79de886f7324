from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inventory.kube.quantity import NANO, Notation, Quantity, QuantityError, parse, total

SUFFIXES = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "": Fraction(1),
    "k": Fraction(10**3),
    "M": Fraction(10**6),
    "G": Fraction(10**9),
    "T": Fraction(10**12),
    "P": Fraction(10**15),
    "E": Fraction(10**18),
    "Ki": Fraction(2**10),
    "Mi": Fraction(2**20),
    "Gi": Fraction(2**30),
    "Ti": Fraction(2**40),
    "Pi": Fraction(2**50),
    "Ei": Fraction(2**60),
}


@pytest.mark.parametrize(
    ("text", "nanos"),
    [
        ("0", 0),
        ("8589934592", 8589934592 * NANO),
        ("8Gi", 8589934592 * NANO),
        ("21525Mi", 22570598400 * NANO),
        ("4194304k", 4194304000 * NANO),
        ("33300m", 33300 * 10**6),
        ("0.1n", 1),
        ("-0.1n", -1),
        ("1e3", 1000 * NANO),
        ("1E+3", 1000 * NANO),
        ("2e-3", 2 * 10**6),
        ("+.5", NANO // 2),
        ("5.", 5 * NANO),
        ("8Ei", (2**63 - 1) * NANO),
        ("10E", 10**19 * NANO),
    ],
)
def test_reads_what_the_api_server_accepts(text: str, nanos: int) -> None:
    assert parse(text).nanos == nanos


@pytest.mark.parametrize(
    "text", ["", "5K", "1e", "--1", "1GB", "0x10", "true", "1 Gi", " 1", ".", "1e99", "٣", "1_000", "9" * 100]
)
def test_refuses_what_is_no_quantity_and_quotes_it(text: str) -> None:
    with pytest.raises(QuantityError, match="is not a Kubernetes quantity"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("8589934592", "8589934592"),
        ("81920Mi", "80Gi"),
        ("1536Mi", "1536Mi"),
        ("5000000k", "5G"),
        ("1000", "1k"),
        ("1024Ki", "1Mi"),
        ("0.5Ki", "512"),
        ("1.5Ki", "1536"),
        ("33.3", "33300m"),
        ("1500m", "1500m"),
        ("1e3", "1e3"),
        ("100e1", "1e3"),
        ("0", "0"),
        ("-8Gi", "-8Gi"),
    ],
)
def test_prints_the_canonical_form(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical


def test_equal_amounts_are_equal_however_they_are_written() -> None:
    assert parse("1Gi") == parse("1024Mi") == parse("1073741824")
    assert len({parse("1Gi"), parse("1024Mi")}) == 1
    assert parse("1Gi") > parse("1G")
    assert parse("1Gi") >= parse("1024Mi") <= parse("1Gi")


@given(
    whole=st.integers(0, 10**9),
    fraction=st.text("0123456789", max_size=9),
    suffix=st.sampled_from(sorted(SUFFIXES)),
)
@example(whole=8, fraction="", suffix="Ei")
def test_the_value_is_exact_up_to_a_billionth(whole: int, fraction: str, suffix: str) -> None:
    exact = Fraction(f"{whole}.{fraction or '0'}") * SUFFIXES[suffix]
    rounded_up = -(-exact.numerator * NANO // exact.denominator)
    cap = (2**63 - 1) * NANO if suffix.endswith("i") else rounded_up
    assert parse(f"{whole}.{fraction}{suffix}").nanos == min(rounded_up, cap)


@given(st.integers(-(10**30), 10**30), st.sampled_from([Notation.DECIMAL, Notation.EXPONENT]))
def test_printing_and_reading_again_changes_nothing(nanos: int, notation: Notation) -> None:
    assert parse(str(Quantity(nanos, notation))).nanos == nanos


@given(st.integers(-(2**63) + 1, 2**63 - 1))
def test_binary_printing_and_reading_again_changes_nothing(whole: int) -> None:
    assert parse(str(Quantity.of(whole, Notation.BINARY))).nanos == whole * NANO


@given(st.lists(st.integers(0, 10**24)))
def test_sums_lose_nothing(amounts: list[int]) -> None:
    assert total(Quantity(amount) for amount in amounts).nanos == sum(amounts)


@given(st.integers(-(10**24), 10**24))
def test_the_plain_number_is_the_same_amount(nanos: int) -> None:
    quantity = Quantity(nanos)
    assert Fraction(quantity.as_decimal()) == Fraction(nanos, NANO)
    assert Fraction(quantity.rounded_up()) >= Fraction(nanos, NANO)


def test_a_whole_number_is_plain_in_json() -> None:
    assert str(parse("8Gi").as_decimal()) == "8589934592"
    assert parse("33300m").as_decimal() == Decimal("33.3")
