from collections.abc import Mapping

import pytest

from inventory.dra.simulator.counting import Counting
from inventory.dra.simulator.node_pools import NodePools
from inventory.dra.simulator.room import Omitted, Room, room
from inventory.dra.simulator.simulate import Cluster
from inventory.kube.quantity import Quantity, parse
from tests.inventory.dra.simulator.factories import (
    asking,
    cluster,
    device,
    exactly,
    explained,
    held,
    slice_of,
    wanting,
)


def seen(found: Cluster, node: str = "n1") -> Room:
    slices = found.slices.seen_from(found.nodes[node], found.rules)
    pools = NodePools(found.slices, found.rules).of(slices)
    return room(pools, found.allocated, Counting(found.allocated, found.rules))


def amounts(found: Room) -> dict[str, str]:
    return {name: str(one.amount) for name, one in found.largest.items()}


def share(name: str, memory: str, cores: str) -> object:
    return held(name, consumed={"memory": memory, "cores": cores})


def test_the_largest_of_a_dimension_is_that_of_one_device_and_no_sum() -> None:
    results = [share("a", "30Gi", "10"), share("b", "20Gi", "80")]
    found = seen(cluster(slice_of(device("a"), device("b")), results=results))  # type: ignore[arg-type]
    assert amounts(found) == {"memory": "20Gi", "cores": "90"}
    assert found.largest["memory"].beside == {"cores": parse("20")}
    assert found.largest["cores"].candidate.id.name == "a"


def test_memory_without_cores_is_stranded() -> None:
    results = [share("a", "30Gi", "100"), share("b", "40Gi", "50")]
    found = seen(cluster(slice_of(device("a"), device("b")), results=results))  # type: ignore[arg-type]
    assert found.usable == 0
    assert amounts(found) == {}
    assert found.stranded == {"memory": parse("10Gi"), "cores": parse("50")}


def test_what_a_policy_allows_is_the_limit() -> None:
    policy = {"default": "1Gi", "validRange": {"min": "1Gi", "max": "16Gi", "step": "3Gi"}}
    capacity = {"memory": {"value": "40Gi", "requestPolicy": policy}}
    assert amounts(seen(cluster(slice_of(device("a", capacity=capacity))))) == {"memory": "16Gi"}
    values = {"default": "1Gi", "validValues": ["1Gi", "4Gi", "32Gi"]}
    capacity = {"memory": {"value": "40Gi", "requestPolicy": values}}
    results = [held("a", consumed={"memory": "10Gi"})]
    assert amounts(seen(cluster(slice_of(device("a", capacity=capacity)), results=results))) == {
        "memory": "4Gi"
    }


def test_a_device_that_is_not_shared_is_had_whole_or_not_at_all() -> None:
    devices = slice_of(device("a", shared=False), device("b", shared=False))
    found = seen(cluster(devices, results=[held("a")]))
    assert (found.devices, found.usable, found.whole) == (2, 1, 1)
    assert amounts(found) == {"memory": "40Gi", "cores": "100"}


def test_tainted_and_unreadable_devices_are_no_room() -> None:
    taint = [{"key": "broken", "effect": "NoExecute"}]
    broken = held("b", consumed={"memory": "lots"})
    found = seen(cluster(slice_of(device("a", taints=taint), device("b")), results=[broken]))
    assert (found.devices, found.usable) == (2, 0)


def test_a_pool_that_is_unusable_has_devices_and_no_room() -> None:
    found = seen(cluster(slice_of(device("a"), count=2)))
    assert (found.devices, found.usable) == (1, 0)


def test_a_partition_whose_counters_are_gone_is_no_room() -> None:
    shared = slice_of(
        name="counters",
        count=2,
        sharedCounters=[{"name": "card", "counters": {"memory": {"value": "40Gi"}}}],
    )
    drawing = [{"counterSet": "card", "counters": {"memory": {"value": "40Gi"}}}]
    parts = slice_of(
        *(device(name, shared=False, consumesCounters=drawing) for name in ("a", "b")), name="d", count=2
    )
    assert seen(cluster(shared, parts)).usable == 2
    assert seen(cluster(shared, parts, results=[held("a")])).usable == 0


def test_a_device_without_capacity_can_be_had_any_number_of_times() -> None:
    found = seen(cluster(slice_of(device("a", capacity={}))))
    assert (found.usable, found.largest) == (1, {})


def test_nothing_is_left_of_nothing() -> None:
    found = seen(cluster(slice_of(device("a")), results=[share("a", "40Gi", "100")]))  # type: ignore[list-item]
    assert (found.usable, found.largest, found.stranded) == (0, {}, {})


def policy(least: str, *, default: str = "100") -> dict[str, object]:
    return {"default": default, "validRange": {"min": least, "max": "100", "step": "1"}}


def test_the_request_asks_for_the_least_of_every_other_dimension_and_leaves_the_rest() -> None:
    capacity = {
        "memory": {"value": "40Gi"},
        "cores": {"value": "100", "requestPolicy": policy("10")},
        "engines": {"value": "8", "requestPolicy": {"default": "2", "validValues": ["2", "4"]}},
    }
    results = [held("a", consumed={"memory": "8Gi", "cores": "30", "engines": "2"})]
    found = seen(cluster(slice_of(device("a", capacity=capacity)), results=results)).largest["memory"]
    assert {name: str(amount) for name, amount in found.request.items()} == {
        "memory": "32Gi", "cores": "10", "engines": "2",
    }  # fmt: skip
    assert {name: str(amount) for name, amount in found.beside.items()} == {"cores": "60", "engines": "4"}


def test_a_dimension_that_is_not_named_takes_its_default_or_all_of_it() -> None:
    capacity = {
        "memory": {"value": "40Gi"},
        "cores": {"value": "100", "requestPolicy": policy("0", default="50")},
        "engines": {"value": "8"},
    }
    results = [held("a", consumed={"memory": "8Gi", "cores": "30", "engines": "2"})]
    found = seen(cluster(slice_of(device("a", capacity=capacity)), results=results)).largest["memory"]
    assert found.omitted == {"cores": Omitted(parse("50"), True), "engines": Omitted(parse("8"), False)}


def test_of_a_device_that_is_not_shared_nothing_is_left_beside() -> None:
    largest = seen(cluster(slice_of(device("a", shared=False)))).largest["memory"]
    assert (largest.request, largest.beside, largest.omitted) == ({}, {}, {})


STEPS = {"default": "1Gi", "validRange": {"min": "1Gi", "max": "16Gi", "step": "3Gi"}}
VALUES = {"default": "8Gi", "validValues": ["2Gi", "8Gi", "24Gi"]}


@pytest.mark.parametrize("memory", [None, STEPS, VALUES, {"default": "4Gi"}])
@pytest.mark.parametrize("cores", [None, policy("10"), policy("0", default="50")])
def test_the_scheduler_takes_the_request_as_written_and_no_larger_one(
    memory: dict[str, object] | None, cores: dict[str, object] | None
) -> None:
    capacity = {
        "memory": {"value": "40Gi", **({"requestPolicy": memory} if memory else {})},
        "cores": {"value": "100", **({"requestPolicy": cores} if cores else {})},
    }
    results = [held("a", consumed={"memory": "8Gi", "cores": "30"})]
    view = cluster(slice_of(device("a", capacity=capacity)), results=results)

    def fits(asked: Mapping[str, Quantity]) -> bool:
        amounts = {name: str(amount) for name, amount in asked.items()}
        return bool(explained(view, wanting(exactly(capacity=asking(**amounts)))).fits)

    for name, found in seen(view).largest.items():
        assert fits(found.request)
        assert not fits({**found.request, name: found.amount + Quantity.of(1)})
        for other, omitted in found.omitted.items():
            named = {one: amount for one, amount in found.request.items() if one != other}
            assert fits(named) is omitted.left
