from typing import Any

import pytest

from inventory.dra.simulator.nodes import Node, NodeSelectorError, UnknownLabelsError
from inventory.dra.simulator.pod_rules import Obstacle, PodRule, pod_rules
from inventory.kube.objects import NodeTaint


def keeps_off(node: Node, **spec: Any) -> Obstacle | None:
    return pod_rules(spec).obstacle(node)


def tainted(effect: str = "NoSchedule") -> Node:
    return Node("n1", {}, (NodeTaint("gpu", "yes", effect),))


def test_a_pod_without_rules_goes_anywhere() -> None:
    assert keeps_off(Node("n1", {})) is None


def test_a_cordoned_node_takes_only_who_tolerates_it() -> None:
    cordoned = Node("n1", {}, unschedulable=True)
    assert keeps_off(cordoned) == Obstacle(PodRule.UNSCHEDULABLE)
    key = "node.kubernetes.io/unschedulable"
    assert keeps_off(cordoned, tolerations=[{"key": key, "operator": "Exists"}]) is None


@pytest.mark.parametrize("effect", ["NoSchedule", "NoExecute"])
def test_a_taint_keeps_a_pod_off_that_does_not_tolerate_it(effect: str) -> None:
    assert keeps_off(tainted(effect)) == Obstacle(PodRule.TAINT, f"gpu=yes:{effect}")
    assert keeps_off(tainted(effect), tolerations=[{"operator": "Exists"}]) is None
    assert keeps_off(tainted(effect), tolerations=[{"key": "gpu", "value": "yes"}]) is None
    assert keeps_off(tainted(effect), tolerations=[{"key": "gpu", "value": "no"}])
    assert keeps_off(tainted(effect), tolerations=[{"key": "gpu", "operator": "Exists", "effect": "None"}])


def test_a_wish_keeps_nobody_off() -> None:
    assert keeps_off(tainted("PreferNoSchedule")) is None


def test_the_node_selector_needs_every_label() -> None:
    node = Node("n1", {"zone": "a"})
    assert keeps_off(node, nodeSelector={"zone": "a"}) is None
    assert keeps_off(node, nodeSelector={"zone": "a", "gpu": "a100"}) == Obstacle(
        PodRule.NODE_SELECTOR, "gpu=a100"
    )


def test_required_affinity_counts_and_preferred_does_not() -> None:
    term = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b"]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    preferred = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": term}]}
    node = Node("n1", {"zone": "a"})
    assert keeps_off(node, affinity={"nodeAffinity": required}) == Obstacle(PodRule.AFFINITY)
    assert keeps_off(node, affinity={"nodeAffinity": preferred}) is None


def test_a_pod_goes_where_its_allocated_claims_are() -> None:
    field = {"key": "metadata.name", "operator": "In", "values": ["n2"]}
    selector = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    rules = pod_rules({}, {"claim-a": selector})
    assert rules.obstacle(Node("n1", {})) == Obstacle(PodRule.ALLOCATED, "claim-a")
    assert rules.obstacle(Node("n2", {})) is None


def test_a_pod_that_names_its_node_goes_nowhere_else() -> None:
    assert keeps_off(Node("n1", {}), nodeName="n2") == Obstacle(PodRule.NODE_NAME, "n2")


def test_a_toleration_without_a_key_compares_values_alone() -> None:
    assert keeps_off(tainted(), tolerations=[{"value": "yes"}]) is None
    assert keeps_off(tainted(), tolerations=[{"value": "no"}])


def test_the_node_that_a_pod_names_is_told_before_taints() -> None:
    assert keeps_off(tainted(), nodeName="n2") == Obstacle(PodRule.NODE_NAME, "n2")


def test_nothing_is_said_of_a_node_that_could_not_be_read() -> None:
    with pytest.raises(UnknownLabelsError, match="n1"):
        pod_rules({}).obstacle(Node("n1"))


@pytest.mark.parametrize(
    "spec",
    [
        {"nodeSelector": ["zone"]},
        {"tolerations": {"key": "x"}},
        {"nodeName": 1},
        {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": []}}},
        {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {}}}},
    ],
)
def test_rules_of_another_shape_are_refused(spec: dict[str, Any]) -> None:
    with pytest.raises(NodeSelectorError, match="Pod's spec"):
        pod_rules(spec)
