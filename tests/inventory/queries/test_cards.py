from decimal import Decimal

import pytest
from django.http import QueryDict

from inventory.queries import cards
from inventory.viewer import EVERYTHING
from tests.factories import make_balance, make_card, make_claim, make_device, make_share

pytestmark = pytest.mark.django_db


def test_a_card_has_the_balances_of_its_devices() -> None:
    device = make_device("a", card=make_card("a", use_millionths=250_000))
    make_balance(device, "memory", "80Gi", "20Gi")
    (row,) = cards.rows(cards.queryset())
    assert row.use == Decimal("0.250000")
    assert row.capacity["memory"].ratio == Decimal("0.250000")
    assert row.devices == (device.pk,)


def test_cards_are_found_by_who_holds_them() -> None:
    make_share(make_device("a"), make_claim("train"))
    make_device("b")
    found = cards.CardFilter(QueryDict("claim=train"), viewer=EVERYTHING).filter_queryset(cards.queryset())
    assert [card.key for card in found] == ["a"]
