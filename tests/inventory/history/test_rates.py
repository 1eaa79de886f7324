from fractions import Fraction

from inventory.history import rates
from inventory.history.measures import Cell, Measure, card_equivalents
from inventory.history.rates import Offer
from inventory.kube.quantity import Notation
from tests.inventory.history.factories import amounts

CARD = amounts(memory="80Gi", cores="100")
WHOLE = Offer(CARD, CARD, whole=True)
HALF = Offer(amounts(memory="40Gi", cores="50"), CARD, whole=False)
NOTHING = amounts()


def of_share(offer: Offer, *, published: bool = True, **consumed: str | None) -> dict[Cell, int]:
    return dict(rates.of_share(amounts(**consumed), offer, dedicated=not consumed, published=published).cells)


def test_a_share_takes_the_largest_part_of_any_dimension_of_its_card() -> None:
    found = of_share(WHOLE, memory="20Gi", cores="50")
    assert card_equivalents(found) == Fraction(1, 2)
    assert found[Cell(Measure.HELD, "memory", Notation.BINARY)] == 20 * 2**30 * 10**9
    assert found[Cell(Measure.HELD, "cores")] == 50 * 10**9
    assert found[Cell(Measure.SHARES)] == 1


def test_a_partition_that_is_held_alone_is_its_part_of_the_card() -> None:
    assert card_equivalents(of_share(HALF)) == Fraction(1, 2)
    assert card_equivalents(of_share(WHOLE)) == 1


def test_a_share_is_never_more_than_its_card() -> None:
    assert card_equivalents(of_share(WHOLE, memory="160Gi")) == 1


def test_what_is_not_known_of_a_share_is_told_and_never_zero() -> None:
    found = of_share(WHOLE, memory=None, cores="10")
    assert found[Cell(Measure.UNKNOWN, "memory")] == 1
    assert found[Cell(Measure.CARD_PARTS_UNKNOWN)] == 1
    assert card_equivalents(found) == 0


def test_of_a_device_that_is_gone_the_whole_is_still_a_card_of_unknown_size() -> None:
    found = of_share(WHOLE, published=False)
    assert card_equivalents(found) == 1
    assert found[Cell(Measure.UNKNOWN, "memory")] == found[Cell(Measure.UNKNOWN, "cores")] == 1
    assert Cell(Measure.CARD_PARTS_UNKNOWN) in of_share(WHOLE, published=False, memory="8Gi")


def test_a_part_too_fine_to_be_kept_is_not_known() -> None:
    finest = Offer(CARD, amounts(memory="9223372036854775807"), whole=False)
    assert Cell(Measure.CARD_PARTS_UNKNOWN) in of_share(finest, memory="1n")


def test_a_card_is_there_with_what_it_has() -> None:
    found = dict(rates.of_card(Offer(CARD, amounts(memory="80Gi", cores=None), whole=True)).cells)
    assert found == {
        Cell(Measure.THERE_CARDS): 1,
        Cell(Measure.THERE, "memory", Notation.BINARY): 80 * 2**30 * 10**9,
        Cell(Measure.THERE_UNKNOWN, "cores"): 1,
    }
