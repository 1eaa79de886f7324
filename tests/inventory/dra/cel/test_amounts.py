import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory.dra.cel import encoding
from inventory.dra.cel.amounts import Amount, parse
from inventory.dra.cel.errors import UnsupportedError
from inventory.kube.quantity import QuantityError
from inventory.kube.quantity import parse as parse_quantity

TEXTS = st.builds(
    lambda number, suffix: f"{number}{suffix}",
    st.from_regex(r"-?(0|[1-9][0-9]{0,11})(\.[0-9]{1,3})?", fullmatch=True),
    st.sampled_from(["", "n", "u", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "e3", "e-3"]),
)
AMOUNTS = st.builds(parse, TEXTS)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("0", 0),
        ("40Gi", 40 * 2**30),
        ("10Ti", 10 * 2**40),
        ("1k", 1000),
        ("1e3", 1000),
        ("-5", -5),
        ("007", 7),
        ("9223372036854775", 9223372036854775),
    ],
)
def test_integers(text: str, whole: int) -> None:
    assert parse(text).as_integer() == whole


@pytest.mark.parametrize("text", ["1500m", "1000m", "1.0", "1.5Gi", "100Ti", "1000000000000000000", "10E"])
def test_what_upstream_holds_as_no_integer_is_none(text: str) -> None:
    assert parse(text).as_integer() is None


@pytest.mark.parametrize("text", ["Mi", ".", "-", "1e40", "1" * 70])
def test_a_form_that_we_read_otherwise_than_upstream_is_not_guessed(text: str) -> None:
    with pytest.raises(UnsupportedError):
        parse(text)


@pytest.mark.parametrize("text", ["", "1KB", "one", "1.1.1", " 1", "1 "])
def test_no_quantity(text: str) -> None:
    with pytest.raises(QuantityError):
        parse(text)


@given(TEXTS)
def test_the_value_is_that_of_the_quantity(text: str) -> None:
    assert parse(text).nanos == parse_quantity(text).nanos


@given(AMOUNTS)
def test_an_integer_has_the_value(amount: Amount) -> None:
    whole = amount.as_integer()
    assert whole is None or whole * 10**9 == amount.nanos


@given(AMOUNTS, AMOUNTS)
def test_sums_are_exact_both_ways(one: Amount, other: Amount) -> None:
    assert one.added(other).nanos == other.added(one).nanos
    assert one.added(other).added(other.negated()).nanos == one.nanos


@given(AMOUNTS)
def test_an_amount_survives_its_encoding(amount: Amount) -> None:
    assert encoding.decoded(encoding.of_amount(amount)) == amount
    assert encoding.decoded(encoding.of_quantity(amount)).nanos == amount.nanos


@given(AMOUNTS, AMOUNTS)
def test_quantities_are_ordered_as_bytes(one: Amount, other: Amount) -> None:
    mine, others = encoding.of_quantity(one), encoding.of_quantity(other)
    assert (mine < others, mine == others) == (one.nanos < other.nanos, one.nanos == other.nanos)


def test_a_sum_is_counted_in_the_finer_of_two_units() -> None:
    assert parse("1k").added(parse("1")).as_integer() == 1001
    assert parse("1").added(parse("1000m")).as_integer() is None
    assert parse("0").added(parse("5")).as_integer() == 5
    assert parse("100Ti").added(parse("1")).as_integer() is None
