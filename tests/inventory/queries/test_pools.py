import pytest
from django.http import QueryDict

from inventory.kube.quantity import parse
from inventory.models import CounterBalance, Pool
from inventory.queries import pools
from inventory.viewer import EVERYTHING
from tests.factories import make_device, make_node, make_pool

pytestmark = pytest.mark.django_db


def found(query: str = "") -> list[pools.PoolRow]:
    return pools.rows(pools.PoolFilter(QueryDict(query), viewer=EVERYTHING).filter_queryset(pools.queryset()))


def test_a_pool_tells_what_is_missing_of_it() -> None:
    pool = make_pool(
        "p", state=Pool.State.INCOMPLETE, reason="1 of 2 slices are published", slices_expected=2
    )
    make_device("a", pool=pool, node=make_node("n1"), published=False)

    (row,) = found("state=incomplete")

    assert (row.slices_seen, row.slices_expected, row.reason) == (1, 2, "1 of 2 slices are published")
    assert (row.devices, row.devices_published, row.cards, row.nodes) == (1, 0, 1, ("n1",))


def test_a_counter_may_be_over_drawn() -> None:
    pool = make_pool()
    CounterBalance.objects.create(
        pool=pool,
        counter_set="gpu-0",
        counter="memory",
        notation="BinarySI",
        total=40,
        allocated=60,
        remaining=-20,
    )
    (counter,) = found()[0].counters
    assert counter.remaining == parse("-20")


def test_pools_are_found_by_node_and_driver() -> None:
    make_device("a", pool=make_pool("p1"), node=make_node("n1"))
    make_pool("p2", driver="npu.example.com")
    assert [row.name for row in found("node=n1")] == ["p1"]
    assert [row.name for row in found("driver=npu.example.com")] == ["p2"]
