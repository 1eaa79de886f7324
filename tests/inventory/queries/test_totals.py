from decimal import Decimal
from typing import Any

import pytest

from inventory.kube.quantity import Quantity, parse
from inventory.models.devices import DeviceState
from inventory.queries import cards, totals
from tests.factories import make_balance, make_card, make_device, make_node, make_pool

pytestmark = pytest.mark.django_db


def by_product() -> list[totals.TotalRow]:
    return totals.by_product(cards.queryset())


def make_half_used(name: str, **fields: Any) -> None:
    make_balance(make_device(name, **fields), "memory", "80Gi", "40Gi")


def test_cards_of_one_product_are_added_up_exactly() -> None:
    make_half_used("a")
    make_half_used("b")

    (row,) = by_product()

    assert (row.driver, row.product, row.dimension, row.cards) == ("gpu.example.com", "A100", "memory", 2)
    assert (row.total, row.allocated, row.remaining) == (parse("160Gi"), parse("80Gi"), parse("80Gi"))
    assert row.ratio == Decimal("0.500000")


def test_amounts_of_different_fineness_are_added_up_exactly() -> None:
    make_balance(make_device("a"), "cores", "100", "500m")
    make_balance(make_device("b"), "cores", "100", "1n")
    assert by_product()[0].allocated == Quantity(500_000_001)


def test_a_sum_past_64_bits_is_exact() -> None:
    for name in ("a", "b", "c"):
        make_balance(make_device(name), "memory", "9223372036854775807", "1")
    assert by_product()[0].total == Quantity.of(3 * (2**63 - 1))


def test_a_card_with_an_unknown_number_is_left_out_and_counted() -> None:
    make_half_used("a")
    make_balance(make_device("b"), "memory", None, "1Gi", reason="no current slice lists the device")

    (row,) = by_product()

    assert (row.cards, row.cards_unknown, row.total) == (1, 1, parse("80Gi"))


def test_where_no_card_is_known_the_sum_is_unknown_and_not_zero() -> None:
    make_balance(make_device(), "memory", None, None, reason="not read")
    (row,) = by_product()
    assert (row.cards, row.cards_unknown) == (0, 1)
    assert (row.total, row.remaining, row.ratio) == (None, None, None)


@pytest.mark.parametrize(
    ("state", "tainted", "where"),
    [
        (DeviceState.FREE, False, "usable"),
        (DeviceState.PARTLY_ALLOCATED, False, "usable"),
        (DeviceState.FULL, False, "stranded"),
        (DeviceState.UNAVAILABLE, False, "unavailable"),
        (DeviceState.PARTLY_ALLOCATED, True, "unavailable"),
    ],
)
def test_what_is_left_is_told_by_whether_it_can_be_had(state: DeviceState, tainted: bool, where: str) -> None:
    card = make_card("a", state=state, tainted=tainted)
    make_balance(make_device("a", card=card), "memory", "80Gi", "40Gi")

    (row,) = by_product()

    left = {name: getattr(row, name) for name in ("usable", "stranded", "unavailable")}
    assert left.pop(where) == parse("40Gi")
    assert set(left.values()) == {Quantity(0)}


def test_products_and_drivers_are_never_mixed() -> None:
    make_half_used("a")
    make_half_used("b", product="H100")
    make_half_used("c", pool=make_pool(driver="npu.example.com"))
    assert [(row.driver, row.product) for row in by_product()] == [
        ("gpu.example.com", "A100"),
        ("gpu.example.com", "H100"),
        ("npu.example.com", "A100"),
    ]


def test_products_of_one_driver_can_be_added_up_by_dimension() -> None:
    make_half_used("a")
    make_half_used("b", product="H100")
    (row,) = totals.over_products(by_product())
    assert (row.product, row.cards, row.total, row.usable) == (None, 2, parse("160Gi"), parse("80Gi"))


def test_what_is_no_card_is_in_no_sum() -> None:
    make_balance(make_device("nic", accelerator=False), "bandwidth", "10G", "0")
    assert by_product() == []


def test_the_cards_of_a_node_are_added_up_for_it() -> None:
    for name, node in (("a", "n1"), ("b", "n1"), ("c", "n2")):
        make_half_used(name, node=make_node(node))
    found = totals.by_node(cards.queryset())
    assert {node: rows[0].cards for node, rows in found.items()} == {
        make_node("n1").pk: 2,
        make_node("n2").pk: 1,
    }


def test_cards_are_counted_by_state() -> None:
    make_card("a", state=DeviceState.FREE, tainted=True)
    make_card("b", state=DeviceState.FULL)
    make_card("c", state=DeviceState.DEDICATED)
    (row,) = totals.card_counts(cards.queryset())
    assert (row.cards, row.in_use, row.tainted) == (3, 2, 1)
    assert row.states["free"] == 1
    assert row.states["unknown"] == 0
