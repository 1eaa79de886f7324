"""Rules of the scheduler that the recorded answers do not cover, or that deserve a sentence."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inventory.dra.simulator.explanation import Verdict
from inventory.dra.simulator.nodes import Node
from inventory.dra.simulator.rules import Rules, rules_of
from inventory.kube.quantity import Quantity, parse
from tests.inventory.dra.simulator.factories import (
    DRIVER,
    asking,
    cluster,
    device,
    exactly,
    explained,
    held,
    places,
    selecting,
    slice_of,
    wanting,
)

HALF = asking(memory="20Gi", cores="50")
MATCH_MODEL = {"matchAttribute": f"{DRIVER}/model"}
DISTINCT_MODEL = {"distinctAttribute": f"{DRIVER}/model"}


def modelled(name: str, model: str) -> dict[str, Any]:
    return device(name, attributes={"model": {"string": model}})


def counters(**amounts: str) -> dict[str, Any]:
    return {name: {"value": value} for name, value in amounts.items()}


def partitioned(*parts: tuple[str, str], total: str = "40Gi", **fields: Any) -> tuple[Any, Any]:
    """A card of which partitions draw memory."""
    shared = slice_of(
        name="counters", count=2, sharedCounters=[{"name": "card", "counters": counters(memory=total)}]
    )
    devices = [
        device(
            name,
            shared=False,
            consumesCounters=[{"counterSet": "card", "counters": counters(memory=memory)}],
            **fields,
        )
        for name, memory in parts
    ]
    return shared, slice_of(*devices, name="devices", count=2)


def test_the_first_device_that_does_is_taken() -> None:
    found = explained(cluster(slice_of(device("a"), device("b"))), wanting(exactly()))
    assert places(found) == {"n1": ["a"]}


def test_pools_are_tried_by_driver_and_name_and_slices_by_name() -> None:
    found = cluster(
        slice_of(device("z"), name="late", pool="p2"),
        slice_of(device("y"), name="b", pool="p1", count=2),
        slice_of(device("x"), name="a", pool="p1", count=2),
    )
    assert places(explained(found, wanting(exactly(count=3)))) == {"n1": ["x", "y", "z"]}


def test_pools_with_binding_conditions_are_tried_last() -> None:
    binding = device("a", bindingConditions=["ready"], bindingFailureConditions=["broken"])
    found = cluster(slice_of(binding, name="a", pool="a"), slice_of(device("b"), name="b", pool="b"))
    assert places(explained(found, wanting(exactly()))) == {"n1": ["b"]}


def test_two_requests_of_a_claim_may_share_a_device_and_one_never_does() -> None:
    found = cluster(slice_of(device("a"), device("b")))
    assert places(explained(found, wanting(exactly("r1", capacity=HALF), exactly("r2", capacity=HALF)))) == {
        "n1": ["a", "a"]
    }
    assert places(explained(found, wanting(exactly(count=2, capacity=HALF)))) == {"n1": ["a", "b"]}


def test_the_claims_of_a_pod_are_placed_together() -> None:
    found = cluster(slice_of(device("a")))
    claims = [wanting(exactly(capacity=HALF), name=name) for name in ("one", "two", "three")]
    assert places(explained(found, *claims[:2])) == {"n1": ["a", "a"]}
    assert explained(found, *claims).verdict is Verdict.NO_ROOM


def test_the_search_goes_back_where_a_choice_leads_nowhere() -> None:
    found = cluster(slice_of(modelled("a", "x"), modelled("b", "y"), modelled("c", "y")))
    claim = wanting(exactly(count=2), constraints=[MATCH_MODEL])
    assert places(explained(found, claim)) == {"n1": ["b", "c"]}


def test_distinct_devices_have_different_values() -> None:
    found = cluster(slice_of(modelled("a", "x"), modelled("b", "x"), modelled("c", "y")))
    claim = wanting(exactly(count=2), constraints=[DISTINCT_MODEL])
    assert places(explained(found, claim)) == {"n1": ["a", "c"]}


def test_a_release_compares_only_with_the_last_device_of_a_request() -> None:
    """kubernetes/kubernetes#140727."""
    slices = slice_of(modelled("a", "x"), modelled("b", "y"), modelled("c", "x"))
    claim = wanting(exactly(count=3), constraints=[DISTINCT_MODEL])
    assert places(explained(cluster(slices), claim)) == {"n1": ["a", "b", "c"]}
    mended = cluster(slices, rules=Rules(distinct_from_last_of_request=False))
    assert explained(mended, claim).verdict is Verdict.NO_ROOM


def test_a_constraint_between_values_of_different_kinds_never_matches() -> None:
    other = device("b", attributes={"model": {"int": 1}})
    found = cluster(slice_of(device("a", attributes={"model": {"string": "1"}}), other))
    claim = wanting(exactly(count=2), constraints=[MATCH_MODEL])
    assert explained(found, claim).verdict is Verdict.NO_ROOM


def test_alternatives_are_tried_in_their_order() -> None:
    inner = [
        {"name": "big", "deviceClassName": "any", "capacity": asking(memory="80Gi", cores="10")},
        {"name": "small", "deviceClassName": "any", "capacity": asking(memory="8Gi", cores="10")},
    ]
    found = explained(cluster(slice_of(device("a"))), wanting({"name": "r", "firstAvailable": inner}))
    assert [one.request for one in found.fits[0].placements] == ["r/small"]


def test_all_takes_every_device_that_the_selectors_want() -> None:
    slices = slice_of(device("a", shared=False), device("b", shared=False), modelled("c", "L4"))
    wants = selecting(f'device.attributes["{DRIVER}"].model == "A100"')
    claim = wanting(exactly(allocationMode="All", selectors=wants))
    assert places(explained(cluster(slices), claim)) == {"n1": ["a", "b"]}
    assert explained(cluster(slices, results=[held("b")]), claim).verdict is Verdict.NO_ROOM


def test_all_of_a_node_that_sees_an_unfinished_pool_makes_the_scheduler_give_up() -> None:
    found = cluster(slice_of(device("a"), count=2))
    told = explained(found, wanting(exactly(allocationMode="All")))
    assert told.verdict is Verdict.REFUSED
    assert "currently being updated" in told.message


def test_admin_access_reaches_a_device_that_somebody_holds() -> None:
    found = cluster(slice_of(device("a", shared=False)), results=[held("a")])
    told = explained(found, wanting(exactly(adminAccess=True)))
    assert told.fits[0].placements[0].admin_access
    twice = wanting(exactly("r1", adminAccess=True), exactly("r2", adminAccess=True))
    assert explained(found, twice).verdict is Verdict.NO_ROOM


def test_a_share_with_admin_access_takes_nothing_from_others() -> None:
    everything = held("a", consumed={"memory": "40Gi", "cores": "100"}, adminAccess=True)
    assert explained(cluster(slice_of(device("a")), results=[everything]), wanting(exactly())).fits


def test_partitions_share_the_counters_of_their_card() -> None:
    slices = partitioned(("whole", "40Gi"), ("half-0", "20Gi"), ("half-1", "20Gi"))
    claim = wanting(exactly(selectors=selecting('device.driver != ""')))
    found = explained(cluster(*slices, results=[held("half-0")]), claim)
    assert places(found) == {"n1": ["half-1"]}


def test_a_share_device_charges_its_counters_once() -> None:
    shared, devices = partitioned(("part", "40Gi"))
    part = msgspec.to_builtins(devices)
    part["spec"]["devices"][0]["allowMultipleAllocations"] = True
    shares = slice_of(*part["spec"]["devices"], name="devices", count=2)
    half = held("part", consumed={"memory": "20Gi", "cores": "50"})
    assert explained(cluster(shared, shares, results=[half]), wanting(exactly(capacity=HALF))).fits


def test_counters_below_zero_anywhere_block_the_pool() -> None:
    slices = partitioned(("whole", "40Gi"), ("half", "20Gi"), ("small", "1Gi"))
    found = cluster(*slices, results=[held("whole"), held("half")])
    assert explained(found, wanting(exactly())).verdict is Verdict.NO_ROOM


def test_counters_of_a_rejected_candidate_are_kept_by_releases_with_the_fault() -> None:
    """kubernetes/kubernetes#140431: the first partition is tainted, and its memory stays taken."""
    shared = slice_of(
        name="counters", count=2, sharedCounters=[{"name": "card", "counters": counters(memory="40Gi")}]
    )
    drawing = [{"counterSet": "card", "counters": counters(memory="40Gi")}]
    taint = [{"key": "broken", "effect": "NoSchedule"}]
    devices = slice_of(
        device("tainted", shared=False, consumesCounters=drawing, taints=taint),
        device("sound", shared=False, consumesCounters=drawing),
        name="devices",
        count=2,
    )
    assert explained(cluster(shared, devices), wanting(exactly())).verdict is Verdict.NO_ROOM
    mended = cluster(shared, devices, rules=Rules(given_up_keep_counters=False))
    assert places(explained(mended, wanting(exactly()))) == {"n1": ["sound"]}


@pytest.mark.parametrize(
    ("toleration", "fits"),
    [
        ({"operator": "Exists"}, True),
        ({"key": "broken", "operator": "Exists", "effect": "NoSchedule"}, True),
        ({"key": "broken", "value": "yes"}, True),
        ({"key": "broken", "value": "no"}, False),
        ({"key": "broken", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "other", "operator": "Exists"}, False),
    ],
)
def test_a_taint_is_tolerated_by_key_value_and_effect(toleration: dict[str, str], fits: bool) -> None:
    tainted = device("a", taints=[{"key": "broken", "value": "yes", "effect": "NoSchedule"}])
    found = explained(cluster(slice_of(tainted)), wanting(exactly(tolerations=[toleration])))
    assert bool(found.fits) is fits


def test_a_slice_for_each_device_tells_nodes_apart() -> None:
    slices = slice_of(
        device("a", nodeName="n1"), device("b", nodeName="n2"), pool="rack", perDeviceNodeSelection=True
    )
    assert places(explained(cluster(slices), wanting(exactly()))) == {"n1": ["a"], "n2": ["b"]}


def test_a_pool_for_all_nodes_is_seen_from_each() -> None:
    slices = slice_of(device("nic"), pool="net", allNodes=True)
    found = cluster(slices, nodes=[Node("n1", {}), Node("n2", {})])
    assert places(explained(found, wanting(exactly()))) == {"n1": ["nic"], "n2": ["nic"]}


def test_a_pool_that_is_replaced_elsewhere_is_left_out() -> None:
    old = slice_of(device("old"), name="old", pool="p", count=2)
    new = slice_of(device("new"), name="new", pool="p", node="n2", generation=2)
    found = explained(cluster(old, new, results=[held("new", pool="p")]), wanting(exactly()))
    assert found.verdict is Verdict.POOLS
    assert [(one.devices, one.reason) for one in found.pools] == [
        (1, "generation 2 is published for other nodes only")
    ]


def test_a_pool_with_too_many_slices_is_as_unusable_as_one_with_too_few() -> None:
    slices = [slice_of(device(name), name=name, count=1) for name in ("a", "b")]
    assert explained(cluster(*slices), wanting(exactly())).verdict is Verdict.POOLS


def test_more_results_than_a_claim_may_have_are_refused() -> None:
    devices = [device(f"d{n}") for n in range(40)]
    told = explained(cluster(slice_of(*devices)), wanting(exactly(count=33)))
    assert told.verdict is Verdict.REFUSED
    assert "exceeds the claim limit of 32" in told.message


def test_many_claims_do_not_reach_the_depth_that_python_allows() -> None:
    devices = [device(f"d{n}") for n in range(32)]
    claims = [
        wanting(exactly(count=32, capacity=asking(memory="1Gi", cores="1")), name=f"c{n}") for n in range(40)
    ]
    found = explained(cluster(slice_of(*devices)), *claims)
    assert len(found.fits[0].placements) == 40 * 32


def test_a_share_whose_amount_cannot_be_read_leaves_nothing_that_is_known() -> None:
    broken = held("a", consumed={"memory": "lots"})
    found = explained(cluster(slice_of(device("a"), device("b")), results=[broken]), wanting(exactly()))
    assert places(found) == {"n1": ["b"]}


def test_a_device_that_cannot_be_read_is_never_placed_and_never_called_full() -> None:
    broken = device("a", capacity={"memory": {"value": "lots"}})
    found = explained(cluster(slice_of(broken)), wanting(exactly()))
    assert found.verdict is Verdict.CANNOT_SIMULATE
    assert "n1/a: 'lots' is not a Kubernetes quantity" in found.message


def test_a_device_that_is_held_draws_on_its_card_though_its_capacity_cannot_be_read() -> None:
    drawing = [{"counterSet": "card", "counters": counters(memory="40Gi")}]
    shared = slice_of(
        name="counters", count=2, sharedCounters=[{"name": "card", "counters": counters(memory="40Gi")}]
    )
    broken = device("a", shared=False, capacity={"memory": {"value": "lots"}}, consumesCounters=drawing)
    sound = device("b", shared=False, consumesCounters=drawing)
    found = cluster(shared, slice_of(broken, sound, name="d", count=2), results=[held("a")])
    assert explained(found, wanting(exactly())).verdict is Verdict.NO_ROOM


def test_counters_that_were_never_taken_are_never_given_back() -> None:
    shared = slice_of(
        name="counters", count=2, sharedCounters=[{"name": "card", "counters": counters(memory="40Gi")}]
    )
    drawing = [{"counterSet": "card", "counters": counters(memory="20Gi")}]
    taint = [{"key": "broken", "effect": "NoSchedule"}]
    devices = slice_of(
        device("s", consumesCounters=drawing, taints=taint),
        device("a", shared=False, consumesCounters=drawing),
        device("b", shared=False, consumesCounters=drawing),
        name="devices",
        count=2,
    )
    share = held("s", consumed={"memory": "1Gi", "cores": "1"})
    found = cluster(shared, devices, results=[share], rules=Rules(given_up_keep_counters=False))
    claim = wanting(exactly(count=2, capacity=asking(memory="1Gi", cores="1")))
    assert explained(found, claim).verdict is Verdict.NO_ROOM


def test_counters_mean_nothing_where_partitions_are_off() -> None:
    drawing = [{"counterSet": "card", "counters": counters(memory="1Gi")}]
    slices = slice_of(device("part", consumesCounters=drawing), device("plain"))
    found = cluster(slices, rules=Rules(partitionable_devices=False))
    assert places(explained(found, wanting(exactly()))) == {"n1": ["plain"]}


def test_a_device_whose_node_selector_cannot_be_read_matters_only_when_it_is_tried() -> None:
    bad = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Is"}]}]}
    slices = slice_of(
        device("a", allNodes=True), device("b", nodeSelector=bad), pool="rack", perDeviceNodeSelection=True
    )
    assert places(explained(cluster(slices), wanting(exactly()))) == {"n1": ["a"]}
    told = explained(cluster(slices), wanting(exactly(count=2)))
    assert told.verdict is Verdict.REFUSED
    assert "failed to parse node selector" in told.message


def test_slices_for_racks_are_found_by_label() -> None:
    def rack(name: str) -> Any:
        term = {"matchExpressions": [{"key": "rack", "operator": "In", "values": [name, "both"]}]}
        selector = {"nodeSelectorTerms": [term]}
        return slice_of(device(f"of-{name}"), name=name, pool=name, nodeSelector=selector)

    nodes = [
        Node("n1", {"rack": "a"}),
        Node("n2", {"rack": "b"}),
        Node("n3", {"rack": "both"}),
        Node("n4", {}),
    ]
    found = explained(cluster(rack("a"), rack("b"), nodes=nodes), wanting(exactly()))
    assert places(found) == {"n1": ["of-a"], "n2": ["of-b"], "n3": ["of-a"]}
    unread = explained(cluster(rack("a"), nodes=[Node("n1")]), wanting(exactly()))
    assert unread.verdict is Verdict.CANNOT_SIMULATE
    assert "its label rack is asked for" in unread.message


def test_a_gate_that_is_off_changes_what_may_be_asked() -> None:
    older = rules_of((1, 35))
    assert not older.consumable_capacity
    assert not older.in_order
    found = cluster(slice_of(device("a")), results=[held("a", consumed={"memory": "1Gi"})], rules=older)
    assert explained(found, wanting(exactly())).verdict is Verdict.NO_ROOM
    told = explained(cluster(slice_of(device("a")), rules=older), wanting(exactly(capacity=HALF)))
    assert told.verdict is Verdict.REFUSED
    assert "DRAConsumableCapacity" in told.message


def test_a_server_that_is_not_known_is_taken_for_the_release_that_is_followed() -> None:
    assert rules_of(None) == Rules() == rules_of((1, 36))


AMOUNT = st.integers(0, 48).map(lambda gib: f"{gib}Gi")
CORES = st.integers(0, 120).map(str)


@settings(max_examples=150, deadline=None)
@given(
    shares=st.lists(st.tuples(st.sampled_from("abc"), AMOUNT, CORES), max_size=6),
    count=st.integers(1, 3),
    memory=AMOUNT,
    cores=CORES,
)
def test_a_placement_never_takes_more_than_there_is(
    shares: list[tuple[str, str, str]], count: int, memory: str, cores: str
) -> None:
    taken: dict[str, dict[str, Quantity]] = {}
    for name, *amounts in shares:
        for dimension, amount in zip(("memory", "cores"), amounts, strict=True):
            so_far = taken.setdefault(name, {}).get(dimension, Quantity(0))
            taken[name][dimension] = so_far + parse(amount)
    results = [held(name, consumed={"memory": some, "cores": few}) for name, some, few in shares]
    found = cluster(slice_of(*map(device, "abc")), results=results)
    told = explained(found, wanting(exactly(count=count, capacity=asking(memory=memory, cores=cores))))
    for fit in told.fits:
        assert len({one.candidate.id for one in fit.placements}) == count
        for one in fit.placements:
            for dimension, more in (one.consumed or {}).items():
                before = taken.get(one.candidate.id.name, {}).get(dimension, Quantity(0))
                assert before + more <= one.candidate.dimensions[dimension].total


@settings(max_examples=150, deadline=None)
@given(
    models=st.lists(st.sampled_from(["x", "y"]), min_size=1, max_size=4),
    dedicated=st.sets(st.integers(0, 3)),
    shares=st.lists(st.tuples(st.integers(0, 3), AMOUNT), max_size=4),
    requests=st.lists(st.tuples(st.integers(1, 3), AMOUNT), min_size=1, max_size=2),
    constraint=st.sampled_from([None, MATCH_MODEL, DISTINCT_MODEL]),
    more=st.tuples(st.integers(0, 4), st.sampled_from("xyz")),
)
def test_one_more_free_device_never_stops_a_claim_that_fits(
    models: list[str],
    dedicated: set[int],
    shares: list[tuple[int, str]],
    requests: list[tuple[int, str]],
    constraint: dict[str, str] | None,
    more: tuple[int, str],
) -> None:
    """Wherever in the order it comes: the search is complete. In mode All it may."""
    devices = [modelled(f"d{n}", model) for n, model in enumerate(models)]
    results = [held(f"d{n}") for n in dedicated if n < len(models)]
    results += [
        held(f"d{n}", consumed={"memory": memory, "cores": "1"})
        for n, memory in shares
        if n < len(models) and n not in dedicated
    ]
    asked = [
        exactly(f"r{number}", count=count, capacity=asking(memory=memory, cores="1"))
        for number, (count, memory) in enumerate(requests)
    ]
    claim = wanting(*asked, constraints=[constraint] if constraint else [])
    # With the values of all devices kept: a release that forgets some finds other solutions.
    rules = Rules(distinct_from_last_of_request=False)
    before = explained(cluster(slice_of(*devices), results=results, rules=rules), claim)
    place, model = more
    enlarged = [*devices[:place], modelled("more", model), *devices[place:]]
    after = explained(cluster(slice_of(*enlarged), results=results, rules=rules), claim)
    assert after.verdict is Verdict.FITS or before.verdict is not Verdict.FITS
