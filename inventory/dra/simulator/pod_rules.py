"""Which nodes a Pod's own rules allow, whatever devices they have.

In the order of the scheduler's filters: NodeUnschedulable, NodeName, TaintToleration, NodeAffinity; and the
nodes that claims are bound to which the Pod has already.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from inventory.dra.simulator.nodes import (
    Node,
    NodeSelector,
    NodeSelectorError,
    UnknownLabelsError,
    node_selector,
)
from inventory.kube.objects import NodeTaint

_UNSCHEDULABLE = NodeTaint("node.kubernetes.io/unschedulable", "", "NoSchedule")
# PreferNoSchedule is a wish.
_PREVENTING = frozenset({"NoSchedule", "NoExecute"})


class PodRule(StrEnum):
    UNSCHEDULABLE = "unschedulable"
    NODE_NAME = "node_name"
    TAINT = "taint"
    NODE_SELECTOR = "node_selector"
    AFFINITY = "affinity"
    ALLOCATED = "allocated"


class Obstacle(msgspec.Struct, frozen=True):
    """The rule that keeps a Pod off a node; `detail` names the taint, label or claim."""

    rule: PodRule
    detail: str = ""


class Toleration(msgspec.Struct, frozen=True):
    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""

    def tolerates(self, taint: NodeTaint) -> bool:
        """k8s.io/api/core/v1, Toleration.ToleratesTaint."""
        if self.effect not in ("", taint.effect) or self.key not in ("", taint.key):
            return False
        return self.operator == "Exists" or (self.operator in ("", "Equal") and self.value == taint.value)


class PodRules(msgspec.Struct, frozen=True):
    """`affinity` is requiredDuringSchedulingIgnoredDuringExecution of the Pod's node affinity.

    `bound`: the node selectors of the claims that the Pod has already, by claim.
    """

    node_name: str = ""
    node_selector: Mapping[str, str] = {}
    affinity: NodeSelector | None = None
    tolerations: tuple[Toleration, ...] = ()
    bound: Mapping[str, NodeSelector] = {}

    def obstacle(self, node: Node) -> Obstacle | None:
        """Raises UnknownLabelsError for a node of which only the name is known."""
        if not node.is_known and (named := self._name(node)) is not None:
            return named
        if not node.is_known:
            raise UnknownLabelsError(f"node {node.name} could not be read")
        return (
            self._cordon(node)
            or self._name(node)
            or self._taint(node)
            or self._label(node)
            or self._affinity(node)
            or self._allocated(node)
        )

    @property
    def ask_for_labels(self) -> bool:
        """Whether they say more of nodes than taints, which most nodes have none of."""
        return bool(self.node_selector or self.affinity or self.bound)

    def _cordon(self, node: Node) -> Obstacle | None:
        if not node.unschedulable or self._tolerated(_UNSCHEDULABLE):
            return None
        return Obstacle(PodRule.UNSCHEDULABLE)

    def _name(self, node: Node) -> Obstacle | None:
        if self.node_name in ("", node.name):
            return None
        return Obstacle(PodRule.NODE_NAME, self.node_name)

    def _taint(self, node: Node) -> Obstacle | None:
        for taint in node.taints:
            if taint.effect in _PREVENTING and not self._tolerated(taint):
                return Obstacle(PodRule.TAINT, f"{taint.key}={taint.value}:{taint.effect}")
        return None

    def _tolerated(self, taint: NodeTaint) -> bool:
        return any(toleration.tolerates(taint) for toleration in self.tolerations)

    def _label(self, node: Node) -> Obstacle | None:
        labels = node.labels or {}
        for key, wanted in self.node_selector.items():
            if labels.get(key) != wanted:
                return Obstacle(PodRule.NODE_SELECTOR, f"{key}={wanted}")
        return None

    def _affinity(self, node: Node) -> Obstacle | None:
        if self.affinity is None or self.affinity.finds(node):
            return None
        return Obstacle(PodRule.AFFINITY)

    def _allocated(self, node: Node) -> Obstacle | None:
        for claim, selector in self.bound.items():
            if not selector.finds(node):
                return Obstacle(PodRule.ALLOCATED, claim)
        return None


def pod_rules(spec: Mapping[str, Any], bound: Mapping[str, Any] | None = None) -> PodRules:
    """From a Pod's spec, or what is kept of it. Raises NodeSelectorError where it cannot be read."""
    required = _inside(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    try:
        return PodRules(
            node_name=msgspec.convert(spec.get("nodeName") or "", str),
            node_selector=msgspec.convert(spec.get("nodeSelector") or {}, dict[str, str]),
            affinity=None if required is None else node_selector(required),
            tolerations=msgspec.convert(spec.get("tolerations") or [], tuple[Toleration, ...]),
            bound={name: node_selector(selector) for name, selector in (bound or {}).items()},
        )
    except (msgspec.ValidationError, NodeSelectorError) as error:
        raise NodeSelectorError(f"the Pod's spec: {error}") from error


def _inside(found: Any, *path: str) -> Any:
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found
