from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from inventory.dra.quotas.equivalents import Part, of_card, summed, total
from inventory.kube.quantity import Quantity, parse
from inventory.reasons import Reason


def part(held: str | None, total: str | None) -> Part:
    return Part(*(None if text is None else parse(text) for text in (held, total)))


def test_the_larger_share_of_any_dimension_counts() -> None:
    assert of_card({"memory": part("4Gi", "80Gi"), "cores": part("30", "100")}, whole=False) == Fraction(
        3, 10
    )


def test_a_card_held_whole_is_one_even_where_it_publishes_nothing() -> None:
    assert of_card({}, whole=True) == 1


def test_a_card_counts_once_at_most() -> None:
    assert of_card({"memory": part("120Gi", "80Gi")}, whole=False) == 1


def test_what_is_not_known_makes_a_card_unknown_and_never_zero() -> None:
    unknown = Reason.AMOUNTS_UNKNOWN.format(names="memory")
    assert of_card({"memory": part(None, "80Gi"), "cores": part("10", "100")}, whole=False) == unknown
    assert of_card({"memory": part("8Gi", None)}, whole=False) == unknown
    assert of_card({"memory": part("1", "0")}, whole=False) == unknown
    assert isinstance(of_card({}, whole=False), str)


def test_a_share_that_says_nothing_makes_a_card_unknown_that_others_hold_a_part_of() -> None:
    known = {"memory": part("8Gi", "80Gi")}
    assert of_card(known, whole=False, unreadable=True) == Reason.PART_UNREADABLE
    assert of_card({"memory": part("80Gi", "80Gi")}, whole=False, unreadable=True) == 1


def test_a_dimension_used_up_is_a_whole_card_whatever_the_others_are() -> None:
    assert of_card({"memory": part(None, "80Gi"), "cores": part("100", "100")}, whole=False) == 1


def test_sums_are_exact_and_tell_what_they_leave_out() -> None:
    found = summed([("a", Fraction(1, 3)), ("b", Fraction(2, 3)), ("c", "memory")])
    assert (found.known, found.unknown, found.exact) == (Fraction(1), 1, None)
    assert found.reasons == ("c: memory",)


def test_a_reason_is_told_once_however_many_cards_it_is_of() -> None:
    found = summed([("a", "memory"), ("b", "cores"), ("c", "memory"), ("d", "memory")])
    assert (found.unknown, found.reasons) == (4, ("a and 2 more: memory", "b: cores"))
    assert total([found, summed([("e", Fraction(1, 3))])]).exact is None
    assert total([summed([("e", Fraction(1, 3))]), summed([("f", Fraction(2, 3))])]).exact == 1


amounts = st.integers(0, 10**15)


@given(st.lists(st.tuples(amounts, st.integers(1, 10**15)), min_size=1, max_size=5))
def test_it_is_never_less_than_the_part_of_any_dimension_nor_more_than_a_card(
    parts: list[tuple[int, int]],
) -> None:
    found = of_card(
        {str(name): Part(Quantity(held), Quantity(total)) for name, (held, total) in enumerate(parts)},
        whole=False,
    )
    assert isinstance(found, Fraction)
    assert found == min(Fraction(1), max(Fraction(held, total) for held, total in parts))
