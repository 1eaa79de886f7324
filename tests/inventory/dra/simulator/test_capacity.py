from hypothesis import given
from hypothesis import strategies as st

from inventory.dra.simulator.capacity import Dimension, Policy, Range, dimension, needed, violation
from inventory.kube.objects import Capacity, RequestPolicy, ValidRange
from inventory.kube.quantity import NANO, Quantity, parse

AMOUNTS = st.integers(0, 2**50).map(Quantity)


def of(value: str, **policy: object) -> Dimension:
    return dimension(Capacity(value, RequestPolicy(**policy) if policy else None))  # type: ignore[arg-type]


def ranged(value: str = "100", default: str = "100", **limits: str) -> Dimension:
    return of(value, default=default, valid_range=ValidRange(**limits))


def test_an_unrequested_dimension_takes_the_whole_device() -> None:
    assert needed(of("40Gi"), None) == parse("40Gi")


def test_an_unrequested_dimension_with_a_default_takes_the_default() -> None:
    assert needed(of("40Gi", default="1Gi"), None) == parse("1Gi")


def test_without_a_policy_any_amount_may_be_asked_for_also_none() -> None:
    assert needed(of("40Gi"), parse("0")) == parse("0")
    assert not violation(of("40Gi"), parse("50Gi"))


def test_less_than_the_least_becomes_the_least() -> None:
    assert needed(ranged(min="10", step="5"), parse("3")) == parse("10")


def test_a_request_rises_to_the_next_step() -> None:
    assert needed(ranged(min="10", step="5"), parse("11")) == parse("15")
    assert needed(ranged(min="0", step="1Gi"), parse("1500Mi")) == parse("2Gi")


def test_a_step_below_one_acts_as_one() -> None:
    assert needed(ranged(min="0", step="500m"), parse("1500m")) == parse("2")


def test_a_request_becomes_the_next_valid_value() -> None:
    values = of("40", default="10", valid_values=["10", "20", "40"])
    assert needed(values, parse("11")) == parse("20")
    assert violation(values, needed(values, parse("41"))) == "the largest that may be asked for is 40"


def test_more_than_the_most_is_refused() -> None:
    found = ranged(min="1", max="20", step="1")
    assert violation(found, needed(found, parse("21"))) == "the largest that may be asked for is 20"


def test_the_default_is_never_refused() -> None:
    """It would be by an older API server's object whose default lies outside of its own range."""
    assert not violation(ranged(default="100", min="0", max="50"), parse("100"))


@given(AMOUNTS, AMOUNTS, st.integers(1, 2**40))
def test_rounding_into_a_range_never_gives_less_and_stays_on_the_steps(
    least: Quantity, asked: Quantity, step: int
) -> None:
    allowed = Range(least, None, Quantity.of(step))
    found = Dimension(Quantity.of(1), Policy(Quantity.of(1), allowed))
    need = needed(found, asked)
    assert need >= least
    assert need.rounded_up() >= asked.rounded_up()
    assert not violation(found, need) or need.notation is not Quantity.of(1).notation
    assert (need.rounded_up() - least.rounded_up()) % step == 0
    assert need.nanos - max(asked.nanos, least.nanos) < (step + 1) * NANO
    assert needed(found, need).rounded_up() == need.rounded_up()
