from typing import Any

import pytest

from inventory.dra.simulator.nodes import Node, NodeSelectorError, Place, UnknownLabelsError, node_selector

NODE = Node("n1", {"zone": "a", "cards": "8", "odd": "eight"})


def selects(selector: Any, node: Node) -> bool:
    return node_selector(selector).finds(node)


def one_term(**parts: Any) -> dict[str, Any]:
    return {"nodeSelectorTerms": [parts]}


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return one_term(matchExpressions=[{"key": key, "operator": operator, "values": list(values)}])


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        (expression("zone", "In", "a", "b"), True),
        (expression("zone", "In", "b"), False),
        (expression("zone", "NotIn", "b"), True),
        (expression("nowhere", "NotIn", "b"), True),
        (expression("zone", "Exists"), True),
        (expression("nowhere", "Exists"), False),
        (expression("nowhere", "DoesNotExist"), True),
        (expression("cards", "Gt", "7"), True),
        (expression("cards", "Gt", "8"), False),
        (expression("cards", "Lt", "9"), True),
        (expression("odd", "Gt", "1"), False),
        (expression("nowhere", "Lt", "9"), False),
        (one_term(matchFields=[{"key": "metadata.name", "operator": "In", "values": ["n1"]}]), True),
        (one_term(matchFields=[{"key": "metadata.name", "operator": "NotIn", "values": ["n1"]}]), False),
    ],
)
def test_a_selector_finds_nodes_by_label_and_name(selector: dict[str, Any], found: bool) -> None:
    assert selects(selector, NODE) is found


def test_all_requirements_of_a_term_hold_and_one_term_is_enough() -> None:
    zone = {"key": "zone", "operator": "In", "values": ["a"]}
    other = {"key": "zone", "operator": "In", "values": ["b"]}
    assert not selects(one_term(matchExpressions=[zone, other]), NODE)
    assert selects({"nodeSelectorTerms": [{"matchExpressions": [other]}, {"matchExpressions": [zone]}]}, NODE)


def test_a_term_without_requirements_finds_nothing() -> None:
    assert not selects({"nodeSelectorTerms": [{}]}, NODE)
    assert not selects({"nodeSelectorTerms": []}, NODE)


@pytest.mark.parametrize(
    "selector",
    [
        {},
        {"nodeSelectorTerms": "all"},
        {"nodeSelectorTerms": ["all"]},
        expression("zone", "Is", "a"),
        expression("zone", "In"),
        expression("zone", "Exists", "a"),
        expression("cards", "Gt", "many"),
        expression("cards", "Gt", "1", "2"),
        one_term(matchFields=[{"key": "metadata.uid", "operator": "In", "values": ["x"]}]),
        one_term(matchFields=[{"key": "metadata.name", "operator": "In", "values": ["a", "b"]}]),
        one_term(matchExpressions=[{"operator": "Exists"}]),
        one_term(matchExpressions=5),
        one_term(matchExpressions=[{"key": "zone", "operator": "In", "values": "abc"}]),
        one_term(matchExpressions=[{"key": "cards", "operator": "Gt", "values": {"1": 2}}]),
        [],
        [1],
    ],
)
def test_a_selector_that_no_scheduler_reads_is_refused(selector: Any) -> None:
    with pytest.raises(NodeSelectorError):
        selects(selector, NODE)


def test_labels_that_could_not_be_read_are_not_taken_for_missing() -> None:
    with pytest.raises(UnknownLabelsError, match=r"n1.*zone"):
        selects(expression("zone", "DoesNotExist"), Node("n1"))


def test_a_place_is_one_node_or_all_or_those_of_a_selector() -> None:
    assert Place(node_name="n1").takes(NODE)
    assert not Place(node_name="n2").takes(NODE)
    assert Place(all_nodes=True).takes(Node("n3"))
    assert Place(selector=node_selector(expression("zone", "In", "a"))).takes(NODE)
    assert not Place().takes(NODE)
    assert not Place().is_given
