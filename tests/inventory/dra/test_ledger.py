"""The rules of the scheduler's accounting, one by one."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory.dra.ledger import Books, State, Total, Use, books
from inventory.kube.quantity import Quantity, parse
from tests.inventory.dra.factories import WHOLE, admin, share, totals

CARD = totals(memory="21525Mi", cores="100")


def amounts(found: Books, dimension: str) -> tuple[str | None, str | None, str | None]:
    balance = next(one for one in found.balances if one.dimension == dimension)
    return tuple(  # type: ignore[return-value]
        None if quantity is None else str(quantity)
        for quantity in (balance.total, balance.allocated, balance.remaining)
    )


def test_two_shares_of_8192_mib_and_50_cores_leave_5141_mib_and_no_cores() -> None:
    found = books(CARD, [share(memory="8Gi", cores="50"), share(memory="8Gi", cores="50")])
    assert amounts(found, "memory") == ("21525Mi", "16Gi", "5141Mi")
    assert amounts(found, "cores") == ("100", "100", "0")
    assert (found.state, found.shares) == (State.FULL, 2)


def test_a_card_that_nobody_holds_is_free() -> None:
    found = books(CARD, [])
    assert amounts(found, "memory") == ("21525Mi", "0", "21525Mi")
    assert (found.state, found.shares, found.held) == (State.FREE, 0, False)


def test_a_share_with_room_beside_it_is_partly_allocated() -> None:
    assert books(CARD, [share(memory="1Gi", cores="50")]).state is State.PARTLY_ALLOCATED


def test_a_result_without_share_id_takes_the_whole_device() -> None:
    found = books(CARD, [WHOLE])
    assert amounts(found, "memory") == ("21525Mi", "21525Mi", "0")
    assert found.state is State.DEDICATED


def test_admin_access_counts_nothing() -> None:
    found = books(CARD, [share(memory="8Gi", cores="80"), admin(memory="21525Mi", cores="100")])
    assert amounts(found, "cores") == ("100", "80", "20")
    assert (found.shares, found.admin_shares) == (1, 1)


def test_admin_access_to_a_whole_device_leaves_it_free() -> None:
    found = books(CARD, [Use(dedicated=True, admin_access=True)])
    assert (found.state, amounts(found, "cores")) == (State.FREE, ("100", "0", "100"))


def test_a_share_that_consumes_zero_of_a_dimension_takes_none_of_it() -> None:
    assert amounts(books(CARD, [share(memory="1Gi", cores="0")]), "cores") == ("100", "0", "100")


def test_a_share_without_consumed_capacity_consumes_nothing() -> None:
    found = books(CARD, [Use(dedicated=False)])
    assert amounts(found, "memory") == ("21525Mi", "0", "21525Mi")
    assert (found.state, found.shares) == (State.PARTLY_ALLOCATED, 1)


def test_a_shareable_device_without_capacity_is_never_full() -> None:
    found = books({}, [Use(dedicated=False)] * 1000)
    assert (found.state, found.balances, found.shares) == (State.PARTLY_ALLOCATED, (), 1000)


def test_a_device_that_no_slice_lists_keeps_its_allocations_and_has_no_total() -> None:
    found = books({}, [share(memory="8Gi")], published=False)
    assert amounts(found, "memory") == (None, "8Gi", None)
    assert found.state is State.NOT_PUBLISHED
    assert found.balances[0].reason == "no current slice lists the device"


def test_a_capacity_that_shrank_below_its_use_is_over_allocated_and_never_negative() -> None:
    found = books(totals(memory="10Gi"), [share(memory="16Gi")])
    assert amounts(found, "memory") == ("10Gi", "16Gi", "0")
    assert (found.state, found.reason) == (State.OVER_ALLOCATED, "over-allocated: memory by 6Gi")
    assert found.balances[0].over == parse("6Gi")


def test_shares_beside_a_whole_allocation_are_a_conflict() -> None:
    found = books(CARD, [WHOLE, share(memory="1Gi", cores="1")])
    assert found.state is State.OVER_ALLOCATED
    assert "while others hold shares" in found.reason
    assert amounts(found, "cores") == ("100", "100", "0")


def test_two_claims_on_one_whole_device_are_a_conflict() -> None:
    found = books(CARD, [WHOLE, WHOLE])
    assert (found.state, found.reason) == (State.OVER_ALLOCATED, "2 claims each hold the whole device")


def test_a_device_that_became_shareable_stays_dedicated_until_it_is_released() -> None:
    assert books(CARD, [WHOLE]).state is State.DEDICATED


def test_a_dimension_that_is_no_longer_published_shows_its_use_and_no_total() -> None:
    found = books(totals(memory="10Gi"), [share(vram="4Gi")])
    assert amounts(found, "vram") == (None, "4Gi", None)
    assert amounts(found, "memory") == ("10Gi", "0", "10Gi")


def test_a_dimension_that_is_new_starts_at_zero() -> None:
    assert amounts(books(totals(memory="10Gi", cores="100"), [share(memory="1Gi")]), "cores") == (
        "100",
        "0",
        "100",
    )


def test_a_capacity_that_cannot_be_read_is_unknown_and_spoils_no_other() -> None:
    found = books(
        {"memory": Total(None, "12XB is no quantity"), **totals(cores="100")},
        [share(memory="1Gi", cores="5")],
    )
    assert amounts(found, "memory") == (None, "1Gi", None)
    assert amounts(found, "cores") == ("100", "5", "95")
    assert found.balances[1].reason == "12XB is no quantity"


def test_a_consumption_that_cannot_be_read_makes_what_is_left_unknown() -> None:
    found = books(
        CARD, [Use(dedicated=False, consumed={"memory": None, "cores": parse("5")}), share(memory="1Gi")]
    )
    assert amounts(found, "memory") == ("21525Mi", None, None)
    assert amounts(found, "cores") == ("100", "5", "95")


def test_claims_that_were_never_read_leave_the_use_unknown() -> None:
    found = books(CARD, None)
    assert amounts(found, "memory") == ("21525Mi", None, None)
    assert (found.state, found.reason) == (State.UNKNOWN, "resource claims were never read")


def test_slices_that_were_never_read_leave_the_totals_unknown() -> None:
    found = books({}, [share(memory="1Gi")], published=None)
    assert (found.state, amounts(found, "memory")) == (State.UNKNOWN, (None, "1Gi", None))


def test_an_obstacle_makes_a_free_device_unavailable_and_leaves_a_held_one_as_it_is() -> None:
    assert books(CARD, [], obstacle="tainted").state is State.UNAVAILABLE
    held = books(CARD, [share(memory="1Gi")], obstacle="tainted")
    assert (held.state, held.reason) == (State.PARTLY_ALLOCATED, "tainted")


def test_a_dimension_of_total_zero_is_not_used_up() -> None:
    found = books(totals(memory="0", millicores="1k"), [share(memory="0", millicores="100")])
    assert found.state is State.PARTLY_ALLOCATED
    assert found.bottleneck is not None
    assert found.bottleneck.dimension == "millicores"


def test_the_bottleneck_is_the_dimension_that_is_used_up_first() -> None:
    found = books(CARD, [share(memory="1Gi", cores="50")])
    assert found.bottleneck is not None
    assert (found.bottleneck.dimension, found.bottleneck.use) == ("cores", Fraction(1, 2))


@pytest.mark.parametrize("first", ["1Gi", "1024Mi", "1073741824"])
def test_amounts_compare_by_value_and_not_by_spelling(first: str) -> None:
    assert amounts(books(totals(memory="2Gi"), [share(memory=first)]), "memory") == ("2Gi", "1Gi", "1Gi")


quantities = st.integers(0, 10**24).map(Quantity)
shares = st.builds(
    lambda memory, cores, hidden: Use(
        dedicated=False, admin_access=hidden, consumed={"memory": memory, "cores": cores}
    ),
    quantities,
    quantities,
    st.booleans(),
)


@given(quantities, quantities, st.lists(shares, max_size=8))
def test_shares_and_what_is_left_add_up_to_the_card_unless_it_is_over_allocated(
    memory: Quantity, cores: Quantity, uses: list[Use]
) -> None:
    found = books({"memory": Total(memory), "cores": Total(cores)}, uses)
    for balance in found.balances:
        assert balance.total is not None
        assert balance.allocated is not None
        assert balance.remaining is not None
        counted = [use.consumed[balance.dimension] for use in uses if use.consumed and not use.admin_access]
        assert balance.allocated.nanos == sum(amount.nanos for amount in counted if amount is not None)
        assert balance.allocated + balance.remaining - balance.over == balance.total
        assert balance.remaining >= Quantity(0)


@given(st.lists(shares, max_size=6), st.randoms())
def test_the_order_of_allocations_changes_nothing(uses: list[Use], random: st.DataObject) -> None:
    mixed = list(uses)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert books(CARD, uses) == books(CARD, mixed)
