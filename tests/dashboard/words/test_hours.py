from fractions import Fraction

import pytest

from dashboard.api.hours import Hours
from dashboard.api.hours import hours as wire
from dashboard.words import hours
from inventory.dra.units import Unit
from inventory.kube.quantity import Notation
from inventory.queries.usage.rows import Integral

HOUR = 3600


@pytest.mark.parametrize(
    ("seconds", "shown", "exact"),
    [
        (Fraction(0), "0 h", "0 h"),
        (Fraction(HOUR), "1 h", "1 h"),
        (Fraction(1), "<0.1 h", "1/3600 h"),
        (Fraction(HOUR * 5, 4), "1.3 h", "1.25 h"),
        (Fraction(HOUR * 1234567), "1,234,567 h", "1,234,567 h"),
        (Fraction(HOUR, 3), "0.3 h", "1/3 h"),
    ],
)
def test_hours_are_rounded_for_the_eye_and_exact_beside(seconds: Fraction, shown: str, exact: str) -> None:
    assert (hours.hours(seconds), hours.exactly(seconds)) == (shown, exact)


@pytest.mark.parametrize(
    ("unit", "total", "shown"),
    [
        (Unit.BYTES, 80 * 2**30 * HOUR, "80 GiB·h"),
        (Unit.BYTES, 2**20 * HOUR, "<0.1 GiB·h"),
        (Unit.PERCENT, 885 * HOUR, "885 %·h"),
        (Unit.COUNT, 7 * HOUR, "7 h"),
    ],
)
def test_amounts_have_the_unit_of_their_dimension(unit: Unit, total: int, shown: str) -> None:
    one = Integral("memory", unit, Notation.DECIMAL, Fraction(total), Fraction(0))
    assert hours.amount(one) == shown


def test_numbers_of_any_size_go_over_the_wire_digit_by_digit() -> None:
    large = Fraction(3600 * 10**30 + 3600, 1)
    assert str(wire(large).value) == f"{10**30 + 1}"
    assert wire(Fraction(HOUR, 2**9)) == Hours(wire(Fraction(HOUR, 2**9)).value, None)
    assert str(wire(Fraction(HOUR, 2**10)).value) == "0.000976562"
    assert wire(Fraction(HOUR, 2**10)).exact == "1/1024"
