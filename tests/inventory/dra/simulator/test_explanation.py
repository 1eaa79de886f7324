"""What people are told: one line for many devices, the nearest first, and different answers kept apart."""

from typing import Any

import msgspec
import pytest

from inventory.dra.simulator.allocated import DeviceId
from inventory.dra.simulator.explanation import Caveat, Verdict, explain
from inventory.dra.simulator.nodes import Node
from inventory.dra.simulator.pod_rules import PodRule, pod_rules
from inventory.dra.simulator.rejections import Check
from inventory.dra.simulator.rules import Rules
from inventory.kube.quantity import parse
from tests.inventory.dra.simulator.factories import (
    DRIVER,
    asking,
    cluster,
    device,
    exactly,
    explained,
    held,
    places,
    reasons,
    selecting,
    slice_of,
    wanting,
)

A100 = f'device.attributes["{DRIVER}"].model == "A100"'


def card(name: str, model: str = "A100", **fields: Any) -> dict[str, Any]:
    return device(name, attributes={"model": {"string": model}}, **fields)


def test_what_is_needed_and_left_is_told_once_with_the_most_that_is_left() -> None:
    results = [
        held("a", consumed={"memory": "30Gi", "cores": "10"}),
        held("b", consumed={"memory": "36Gi", "cores": "10"}),
    ]
    found = cluster(slice_of(card("a"), card("b")), results=results)
    told = explained(found, wanting(exactly(capacity=asking(memory="16Gi", cores="10"))))
    (group,) = told.requests[0].groups
    assert (group.check, group.devices, group.subject) == (Check.CAPACITY, 2, "memory")
    assert (group.need, group.left) == (parse("16Gi"), parse("10Gi"))
    assert group.examples[0] == DeviceId(DRIVER, "n1", "a")


def test_thousands_of_devices_that_a_selector_leaves_out_are_one_line() -> None:
    slices = [
        slice_of(*(card(f"d{n}", "310P3") for n in range(50)), name=f"s{node}", node=f"n{node}")
        for node in range(20)
    ]
    told = explained(cluster(*slices), wanting(exactly(selectors=selecting(A100))))
    (group,) = told.requests[0].groups
    assert (group.devices, group.nodes, group.values) == (1000, 20, "model is 310P3")
    assert group.subject == A100


def test_a_selector_that_reads_something_else_of_each_device_is_told_in_few_lines() -> None:
    devices = [card(f"d{n}", f"model-{n}") for n in range(20)]
    told = explained(cluster(slice_of(*devices)), wanting(exactly(selectors=selecting(A100))))
    groups = told.requests[0].groups
    assert len(groups) == 4
    assert sum(group.devices for group in groups) == 20
    assert groups[0].values == ""


def test_the_nearest_misses_come_first() -> None:
    taint = [{"key": "broken", "effect": "NoSchedule"}]
    devices = [card("a", "L4"), card("b", taints=taint), card("c"), card("d", shared=False), card("e")]
    results = [
        held("c", consumed={"memory": "39Gi", "cores": "1"}),
        held("d"),
        held("e", consumed={"memory": "20Gi", "cores": "1"}),
    ]
    asked = exactly(selectors=selecting(A100), capacity=asking(memory="30Gi", cores="10"))
    told = explained(cluster(slice_of(*devices), results=results), wanting(asked))
    assert reasons(told) == [
        ("taint", 1, "broken=:NoSchedule"),
        ("capacity", 2, "memory"),
        ("held", 1, ""),
        ("selector", 1, A100),
    ]


def test_devices_that_are_held_and_not_wanted_either_are_told_apart() -> None:
    devices = [card("a", shared=False), card("b", "L4", shared=False)]
    told = explained(
        cluster(slice_of(*devices), results=[held("a"), held("b")]),
        wanting(exactly(selectors=selecting(A100))),
    )
    assert [(group.devices, group.selected) for group in told.requests[0].groups] == [(1, True), (1, False)]


def test_the_second_request_is_told_of_where_the_first_one_fits() -> None:
    told = explained(cluster(slice_of(card("a", shared=False))), wanting(exactly("r1"), exactly("r2")))
    assert [(one.request, reasons(told)) for one in told.requests] == [("r2", [("taken", 1, "")])]


def test_how_many_devices_were_found_is_told() -> None:
    told = explained(cluster(slice_of(card("a"), card("b"))), wanting(exactly(count=3)))
    assert (told.requests[0].found, told.requests[0].wanted) == (2, 3)


def test_every_alternative_is_told() -> None:
    inner = [
        {"name": name, "deviceClassName": "any", "capacity": asking(memory=memory, cores="1")}
        for name, memory in (("big", "80Gi"), ("huge", "90Gi"))
    ]
    told = explained(cluster(slice_of(card("a"))), wanting({"name": "r", "firstAvailable": inner}))
    assert [one.request for one in told.requests] == ["r/big", "r/huge"]


def test_room_that_the_pods_rules_leave_out_is_told_as_such() -> None:
    nodes = [Node("n1", {"zone": "a"}), Node("n2", {"zone": "b"})]
    full = slice_of(card("b", shared=False), name="s2", node="n2")
    found = cluster(slice_of(card("a", shared=False)), full, nodes=nodes, results=[held("b", pool="n2")])
    told = explained(found, wanting(exactly()), rules=pod_rules({"nodeSelector": {"zone": "b"}}))
    assert told.verdict is Verdict.POD_RULES
    assert [(one.node, one.obstacle and one.obstacle.rule) for one in told.elsewhere] == [
        ("n1", PodRule.NODE_SELECTOR)
    ]
    assert [(one.obstacle.detail, one.nodes) for one in told.excluded] == [("zone=b", 1)]


def test_the_rules_of_the_pod_narrow_where_it_fits() -> None:
    nodes = [Node("n1", {"zone": "a"}), Node("n2", {"zone": "b"})]
    slices = [slice_of(card("a")), slice_of(card("b"), name="s2", node="n2")]
    rules = pod_rules({"nodeSelector": {"zone": "b"}})
    told = explained(cluster(*slices, nodes=nodes), wanting(exactly()), rules=rules)
    assert places(told) == {"n2": ["b"]}
    assert told.nodes == 1


def test_a_class_that_is_missing_is_another_answer_than_no_room() -> None:
    told = explained(cluster(slice_of(card("a")), classes={}), wanting(exactly()))
    assert told.verdict is Verdict.CLASS_MISSING
    assert "could not retrieve device class any" in told.message


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        (f'device.attributes["{DRIVER}"].serial == "x"', "CEL runtime error: no such key: serial"),
        ('device.nothing == "x"', "CEL compile error"),
    ],
)
def test_a_selector_that_fails_is_told_though_there_is_room(expression: str, told: str) -> None:
    slices = [slice_of(card("a")), slice_of(card("b"), name="s2", node="n2")]
    found = explained(cluster(*slices), wanting(exactly(selectors=selecting(expression))))
    assert found.verdict is Verdict.SELECTOR_ERROR
    assert found.message.startswith("claim team/waiting: selector #0: " + told)
    assert found.fits == ()


def test_what_cannot_be_evaluated_here_is_said_and_not_guessed() -> None:
    found = explained(cluster(slice_of(card("a"))), wanting(exactly(selectors=selecting('isIP("1.2.3.4")'))))
    assert found.verdict is Verdict.CANNOT_SIMULATE
    assert found.message.startswith('cannot simulate: isIP("1.2.3.4")')


def test_devices_in_an_unfinished_pool_are_told_with_the_reason() -> None:
    told = explained(cluster(slice_of(card("a"), count=3)), wanting(exactly()))
    assert told.verdict is Verdict.POOLS
    assert [(one.pool.name, one.devices) for one in told.pools] == [("n1", 1)]
    assert reasons(told) == [("pool", 1, f"{DRIVER}/n1")]


def test_a_search_that_takes_too_long_is_ended_and_told() -> None:
    asked = iter([True] * 5)
    found = cluster(slice_of(*(card(f"d{n}") for n in range(50))))
    told = explain(found, [wanting(exactly(count=20))], None, lambda: next(asked, False))
    assert told.verdict is Verdict.CANNOT_SIMULATE
    assert "not finished" in told.message


def test_a_counter_set_that_does_not_exist_makes_its_pool_unusable_and_is_named() -> None:
    drawing = [{"counterSet": "card", "counters": {"memory": {"value": "1Gi"}}}]
    told = explained(cluster(slice_of(card("a", shared=False, consumesCounters=drawing))), wanting(exactly()))
    assert told.verdict is Verdict.POOLS
    assert "counter set card, which no slice defines" in told.pools[0].reason


def test_contradicting_constraints_are_told_as_such() -> None:
    constraints = [{"matchAttribute": f"{DRIVER}/model"}, {"distinctAttribute": f"{DRIVER}/model"}]
    told = explained(
        cluster(slice_of(card("a"), card("b"))), wanting(exactly(count=2), constraints=constraints)
    )
    assert reasons(told) == [("constraint", 1, f"{DRIVER}/model")]


@pytest.mark.parametrize("name", ["memory", f"{DRIVER}/memory"])
def test_a_capacity_is_found_by_the_very_name_that_is_published(name: str) -> None:
    published = card("a", capacity={name: {"value": "40Gi"}})
    found = cluster(slice_of(published))
    assert explained(found, wanting(exactly(capacity={"requests": {name: "1Gi"}}))).fits
    other = "memory" if "/" in name else f"{DRIVER}/memory"
    told = explained(found, wanting(exactly(capacity={"requests": {other: "1Gi"}})))
    assert reasons(told) == [("dimension", 1, other)]


def test_nothing_to_place_is_no_question() -> None:
    assert explained(cluster(slice_of(card("a")))).verdict is Verdict.NOTHING_TO_PLACE


def test_a_fit_that_was_found_stands_though_there_is_no_time_for_other_nodes() -> None:
    slices = [slice_of(card(f"d{n}"), name=f"s{n}", node=f"n{n}") for n in range(3)]
    found = cluster(*slices)
    asked = iter([True] * 10)
    told = explain(found, [wanting(exactly())], None, lambda: next(asked, False))
    assert told.verdict is Verdict.FITS
    (doubt,) = told.doubts
    assert doubt.caveat is Caveat.NODES_LEFT
    assert len(told.fits) + doubt.count == len(found.nodes)


def test_nodes_that_the_pod_may_go_to_are_looked_at_first() -> None:
    nodes = [Node(f"n{n}", {"zone": "a" if n == 2 else "b"}) for n in range(3)]
    slices = [slice_of(card(f"d{n}"), name=f"s{n}", node=f"n{n}") for n in range(3)]
    rules = pod_rules({"nodeSelector": {"zone": "a"}})
    asked = iter([True] * 13)
    told = explain(cluster(*slices, nodes=nodes), [wanting(exactly())], rules, lambda: next(asked, False))
    assert places(told) == {"n2": ["d2"]}


def test_without_any_node_nothing_is_said() -> None:
    told = explained(cluster(slice_of(card("a"), allNodes=True), nodes=[]), wanting(exactly()))
    assert told.verdict is Verdict.CANNOT_SIMULATE


def test_a_fit_on_a_node_that_could_not_be_read_says_that_the_pod_may_not_go_there() -> None:
    told = explained(
        cluster(slice_of(card("a")), nodes=[Node("n1")]), wanting(exactly()), rules=pod_rules({})
    )
    assert told.verdict is Verdict.FITS
    assert [(one.caveat, one.count) for one in told.doubts] == [(Caveat.NODES_UNREAD, 1)]


def test_a_device_that_was_passed_over_unread_is_told_beside_the_fit() -> None:
    broken = card("a", capacity={"memory": {"value": "lots"}})
    told = explained(cluster(slice_of(broken, card("b"))), wanting(exactly()))
    assert places(told) == {"n1": ["b"]}
    assert [(one.caveat, one.detail) for one in told.doubts] == [(Caveat.DEVICES_UNREAD, f"{DRIVER}/n1/a")]


def test_a_release_without_an_order_is_told_beside_the_fit() -> None:
    told = explained(cluster(slice_of(card("a")), rules=Rules(in_order=False)), wanting(exactly()))
    assert [one.caveat for one in told.doubts] == [Caveat.NO_ORDER]


def test_an_invalid_pool_of_another_driver_is_no_reason_for_a_lack_of_room() -> None:
    twice = [device("nic"), device("nic")]
    broken = slice_of(*twice, name="nics", driver="nic.example.com", pool="nics")
    wants = selecting(f'device.driver == "{DRIVER}"')
    found = cluster(slice_of(card("a", shared=False)), broken, results=[held("a")])
    told = explained(found, wanting(exactly(selectors=wants)))
    assert told.verdict is Verdict.NO_ROOM
    assert told.message == "invalid resource pools were encountered"


def test_a_device_of_an_unfinished_pool_that_would_not_do_anyway_is_no_hope() -> None:
    told = explained(
        cluster(slice_of(card("a", shared=False), count=2), results=[held("a")]), wanting(exactly())
    )
    assert told.verdict is Verdict.NO_ROOM
    assert [(group.check, group.selected) for group in told.requests[0].groups] == [(Check.POOL, False)]


def test_a_device_that_was_taken_and_is_not_wanted_is_no_near_miss() -> None:
    found = cluster(slice_of(card("a", "L4", shared=False), card("b", shared=False)), results=[held("b")])
    told = explained(found, wanting(exactly("r1"), exactly("r2", selectors=selecting(A100))))
    groups = told.requests[0].groups
    assert [(group.check, group.selected) for group in groups] == [(Check.HELD, True), (Check.TAKEN, False)]


def test_of_many_nodes_one_that_makes_the_scheduler_give_up_may_never_be_met() -> None:
    bad = f'device.attributes["{DRIVER}"].serial == "x" || true'
    fails = f'device.attributes["{DRIVER}"].serial == "x"'
    slices = [slice_of(card(f"d{n}"), name=f"s{n}", node=f"n{n}") for n in range(101)]
    assert explained(cluster(*slices), wanting(exactly(selectors=selecting(bad)))).verdict is Verdict.FITS
    told = explained(cluster(*slices), wanting(exactly(selectors=selecting(fails))))
    assert told.verdict is Verdict.SELECTOR_ERROR
    assert told.device.startswith(f"{DRIVER}/n")


def test_what_a_cluster_has_that_is_not_understood_is_told_with_every_answer() -> None:
    found = msgspec.structs.replace(cluster(slice_of(card("a"))), caveats=("rule x",))
    assert [one.detail for one in explained(found, wanting(exactly())).doubts] == ["rule x"]
