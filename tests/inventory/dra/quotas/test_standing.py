from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from inventory.dra.quotas.standing import Measured, Standing, State, at_least, at_most, measured
from inventory.kube.quantity import parse


def standing(limit: int, used: int, pending: int = 0, *, unknown: int = 0) -> Standing:
    return Standing(Fraction(limit), Measured(Fraction(used), unknown), Measured(Fraction(pending)))


def test_exactly_at_the_limit_is_used_up_and_no_breach() -> None:
    found = standing(10, 10)
    assert (found.state, found.headroom, found.over) == (State.USED_UP, Fraction(0), Fraction(0))


def test_one_more_than_the_limit_is_over_by_one() -> None:
    found = standing(10, 11)
    assert (found.state, found.headroom, found.over) == (State.OVER, Fraction(0), Fraction(1))


def test_what_waits_may_come_up_to_the_limit_and_not_past_it() -> None:
    assert standing(10, 6, 4).state is State.WITHIN
    assert standing(10, 6, 5).state is State.PENDING_OVER


def test_without_all_amounts_headroom_is_not_known_but_a_breach_may_be() -> None:
    found = standing(10, 6, unknown=1)
    assert (found.state, found.headroom, found.over) == (State.UNKNOWN, None, None)
    found = standing(10, 11, unknown=1)
    assert (found.state, found.headroom, found.over) == (State.OVER, Fraction(0), None)


def test_a_limit_of_nothing_is_used_up_from_the_start() -> None:
    assert standing(0, 0).state is State.USED_UP
    assert standing(0, 1).state is State.OVER


@given(st.integers(0, 10**20), st.integers(0, 10**20), st.integers(0, 10**20))
def test_used_and_headroom_make_the_limit_unless_it_is_exceeded(limit: int, used: int, pending: int) -> None:
    found = standing(limit, used, pending)
    assert found.headroom is not None
    assert found.over is not None
    assert used + found.headroom - found.over == limit
    assert (found.state is State.OVER) == (found.over > 0)


@given(st.fractions(min_value=0, max_value=10**12))
def test_a_use_is_rounded_up_and_room_down_by_less_than_a_billionth(amount: Fraction) -> None:
    up, down = measured(at_least(amount)), measured(at_most(amount))
    assert down <= amount <= up
    assert up - down < Fraction(2, 10**9)


def test_what_a_quantity_holds_is_not_rounded() -> None:
    assert at_least(Fraction(1, 8)) == at_most(Fraction(1, 8)) == parse("125m")
