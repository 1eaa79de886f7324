from decimal import Decimal
from typing import Any

import msgspec
import pytest

from inventory.hami.percentages import PercentageError, percentage, resolved
from inventory.hami.surroundings import Cards
from inventory.kube.quantity import Quantity, parse
from tests.inventory.hami.pods import A100, A100_SMALL, T4


@pytest.mark.parametrize(
    ("given", "percent"), [(50, 50), ("50", 50), ("0", 0), (100, 100), (None, 0), ("5e1", 50)]
)
def test_a_percentage_is_a_whole_number_up_to_a_hundred(given: Any, percent: int) -> None:
    assert percentage(given) == percent


@pytest.mark.parametrize("given", [101, -1, "33.3", Decimal("0.5"), "50%", "", True, [], {}, "x" * 1000])
def test_anything_else_is_none(given: Any) -> None:
    with pytest.raises(PercentageError, match="whole number from 0 to 100") as raised:
        percentage(given)
    assert len(str(raised.value)) < 200


def test_each_model_has_its_own_amount() -> None:
    assert [(one.model, one.mebibytes) for one in resolved(50, Cards([A100, A100_SMALL, T4]))] == [
        ("NVIDIA A100-SXM4-80GB", 40960),
        ("NVIDIA A100-PCIE-40GB", 20480),
        ("Tesla T4", 7680),
    ]


def test_the_card_that_was_taken_is_told() -> None:
    other = msgspec.structs.replace(A100, pool="n9")
    (found,) = resolved(50, Cards([A100, other]))

    assert (found.card, found.cards, found.whole) == (A100, 2, parse("80Gi"))
    assert str(found.card) == "hami-core-gpu.project-hami.io/n1/hami-gpu-0"
    assert found.memory == parse("40Gi")


def test_one_model_of_two_sizes_has_two_amounts() -> None:
    smaller = msgspec.structs.replace(A100, memory=parse("40Gi"))

    assert [one.mebibytes for one in resolved(100, Cards([A100, smaller]))] == [81920, 40960]


def test_mebibytes_are_whole_and_rounded_down() -> None:
    odd = msgspec.structs.replace(T4, memory=parse("22570598400"))  # 21525 MiB

    assert [one.mebibytes for one in resolved(33, Cards([odd]))] == [7103]


@pytest.mark.parametrize("memory", [None, Quantity.of(0)])
def test_a_card_without_memory_has_no_share(memory: Quantity | None) -> None:
    assert resolved(50, Cards([msgspec.structs.replace(T4, memory=memory)])) == ()
