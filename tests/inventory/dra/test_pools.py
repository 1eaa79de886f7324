from typing import Any

import pytest

from inventory.dra.pools import PoolState, pools
from tests.inventory.dra.factories import device, resource_slice


def only(*slices: Any) -> Any:
    (pool,) = pools(slices)
    return pool


def test_a_pool_is_complete_when_all_slices_of_its_generation_are_there() -> None:
    pool = only(resource_slice("a", count=2), resource_slice("b", count=2, devices=[device()]))
    assert (pool.state, pool.slices_seen, pool.slices_expected) == (PoolState.COMPLETE, 2, 2)


@pytest.mark.parametrize("published", [1, 3])
def test_too_few_and_too_many_slices_are_both_incomplete(published: int) -> None:
    pool = only(*(resource_slice(f"s{number}", count=2) for number in range(published)))
    assert (pool.state, pool.usable) == (PoolState.INCOMPLETE, False)
    assert pool.reason == f"{published} of 2 slices of generation 1 are published"


def test_slices_of_older_generations_are_left_out() -> None:
    pool = only(
        resource_slice("new", generation=3, devices=[device("g1")]),
        resource_slice("old", generation=2, devices=[device("g0")]),
    )
    assert (pool.generation, [one.device.name for one in pool.devices]) == (3, ["g1"])
    assert pool.state is PoolState.COMPLETE


def test_an_old_complete_generation_does_not_stand_in_for_a_new_incomplete_one() -> None:
    pool = only(resource_slice("new", generation=3, count=2), resource_slice("old", generation=2))
    assert pool.state is PoolState.INCOMPLETE


def test_slices_that_disagree_on_their_number_are_inconsistent() -> None:
    pool = only(resource_slice("a", count=1), resource_slice("b", count=2))
    assert pool.state is PoolState.INCONSISTENT
    assert "1, 2" in pool.reason


def test_a_device_name_used_twice_makes_the_pool_invalid() -> None:
    pool = only(
        resource_slice("a", count=2, devices=[device("g")]),
        resource_slice("b", count=2, devices=[device("g")]),
    )
    assert (pool.state, pool.reason) == (PoolState.INVALID, "the device name g is used twice")


def test_a_counter_that_no_slice_defines_makes_the_pool_invalid() -> None:
    drawn = [{"counterSet": "cs", "counters": {"memory": {"value": "1"}}}]
    pool = only(resource_slice(devices=[device("g", consumesCounters=drawn)]))
    assert pool.state is PoolState.INVALID
    assert "cs/memory" in pool.reason


def test_a_counter_set_defined_twice_makes_the_pool_invalid() -> None:
    counters = [{"name": "cs", "counters": {}}]
    pool = only(
        resource_slice("a", count=2, sharedCounters=counters),
        resource_slice("b", count=2, sharedCounters=counters),
    )
    assert pool.state is PoolState.INVALID


def test_devices_come_in_the_scheduler_s_order() -> None:
    pool = only(
        resource_slice("b", count=2, devices=[device("x"), device("a")]),
        resource_slice("a", count=2, devices=[device("z")]),
    )
    assert [one.device.name for one in pool.devices] == ["z", "x", "a"]


def test_pools_of_one_name_and_two_drivers_are_two_pools() -> None:
    found = pools([resource_slice("a", driver="b.x"), resource_slice("b", driver="a.x")])
    assert [(pool.driver, pool.name) for pool in found] == [("a.x", "n1"), ("b.x", "n1")]


def test_a_device_takes_its_node_from_itself_where_the_slice_leaves_it_to_devices() -> None:
    pool = only(
        resource_slice(
            nodeName=None,
            perDeviceNodeSelection=True,
            devices=[device("here", nodeName="n7"), device("anywhere", allNodes=True)],
        )
    )
    assert [(one.node_name, one.selection) for one in pool.devices] == [
        ("n7", {"nodeName": "n7"}),
        ("", {"allNodes": True}),
    ]
