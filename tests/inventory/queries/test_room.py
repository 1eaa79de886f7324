import pytest
from django.http import QueryDict

from inventory.models import Balance
from inventory.models.devices import DeviceState
from inventory.queries.cards import queryset
from inventory.queries.room import RoomyCardFilter
from inventory.viewer import EVERYTHING
from tests.factories import make_balance, make_device

pytestmark = pytest.mark.django_db


def _found(text: str) -> list[str]:
    query = QueryDict(mutable=True)
    query["room"] = text
    filters = RoomyCardFilter(query, queryset(), viewer=EVERYTHING)
    assert filters.is_valid(), filters.errors
    return [card.key for card in filters.qs]


@pytest.fixture(autouse=True)
def _cards() -> None:
    for name, memory, cores in (("small", "4Gi", "100"), ("large", "40Gi", "20")):
        device = make_device(name)
        make_balance(device, "gpu.example.com/memory", memory, "0")
        make_balance(device, "cores", cores, "0")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("4 GiB", ["large", "small"]),
        ("4097MiB", ["large"]),
        ("30 %", ["small"]),
        ("8 GiB, 20 %", ["large"]),
        ("8 GiB, 21 %", []),
        ("", ["large", "small"]),
    ],
)
def test_cards_that_leave_at_least_so_much(text: str, names: list[str]) -> None:
    assert _found(text) == names


def test_amounts_kept_in_another_power_of_ten_are_compared_exactly() -> None:
    Balance.objects.filter(dimension="cores", remaining=20).update(exponent=-3, remaining=20_001)
    assert "large" in _found("20001m %")
    assert "large" not in _found("20002m %")


def test_a_card_on_which_nothing_can_be_placed_has_no_room() -> None:
    make_balance(make_device("shut", state=DeviceState.UNAVAILABLE), "memory", "80Gi", "0")
    assert "shut" not in _found("1 GiB")


def test_what_is_no_amount_is_refused_with_the_accepted_form() -> None:
    filters = RoomyCardFilter(QueryDict("room=much"), queryset(), viewer=EVERYTHING)
    assert not filters.is_valid()
    assert "is not a Kubernetes quantity" in str(filters.errors)
