"""Which nodes a slice, a device or a Pod goes with (k8s.io/component-helpers, nodeaffinity)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from inventory.kube.objects import NodeTaint, Raw

_IN, _NOT_IN, _EXISTS, _ABSENT, _MORE, _LESS = "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"
_NAME_FIELD = "metadata.name"


class NodeSelectorError(ValueError):
    """A node selector that the scheduler cannot read either; the message says where."""


class Node(msgspec.Struct, frozen=True):
    """`labels` is None where nodes cannot be read: then only their names are known."""

    name: str
    labels: Mapping[str, str] | None = None
    taints: tuple[NodeTaint, ...] = ()
    unschedulable: bool = False


class UnknownLabelsError(ValueError):
    """A selector asks for labels of a node that could not be read."""


class _Placeable(Protocol):
    """A slice's spec, or a device of one: its own node, all nodes, or those that a selector finds."""

    @property
    def node_name(self) -> str | None: ...
    @property
    def node_selector(self) -> Raw | None: ...
    @property
    def all_nodes(self) -> bool | None: ...


class Place(msgspec.Struct, frozen=True):
    """Where devices can be used."""

    node_name: str = ""
    all_nodes: bool = False
    selector: Raw | None = None

    @classmethod
    def of(cls, published: _Placeable) -> "Place":
        return cls(published.node_name or "", bool(published.all_nodes), published.node_selector)

    @property
    def known(self) -> bool:
        """Of a kind that the scheduler knows; it leaves out a slice that says nothing of nodes."""
        return bool(self.node_name or self.all_nodes or self.selector is not None)

    def takes(self, node: Node) -> bool:
        """Raises NodeSelectorError and UnknownLabelsError."""
        if self.node_name:
            return self.node_name == node.name
        return self.all_nodes or (self.selector is not None and selects(self.selector, node))


def selects(selector: Mapping[str, Any], node: Node) -> bool:
    """Whether one of the terms of a NodeSelector holds; a term without any requirement never does.

    Raises NodeSelectorError for a selector that cannot be read, UnknownLabelsError where labels are needed.
    """
    terms = selector.get("nodeSelectorTerms")
    if not isinstance(terms, list):
        raise NodeSelectorError("nodeSelectorTerms: expected a list")
    read = [_term(term) for term in terms]
    return any(_holds(term, node) for term in read if term)


# A requirement: whether it is of a field, its key, operator and values.
_Requirement = tuple[bool, str, str, Sequence[str]]


def _term(term: Any) -> list[_Requirement]:
    if not isinstance(term, dict):
        raise NodeSelectorError("nodeSelectorTerms: expected objects")
    return [
        _requirement(one, of_field=of_field)
        for part, of_field in (("matchExpressions", False), ("matchFields", True))
        for one in term.get(part) or ()
    ]


def _requirement(one: Any, *, of_field: bool) -> _Requirement:
    if not isinstance(one, dict) or not isinstance(one.get("key"), str):
        raise NodeSelectorError("a requirement without a key")
    key, operator, values = one["key"], one.get("operator"), one.get("values") or []
    if not all(isinstance(value, str) for value in values):
        raise NodeSelectorError(f"{key}: expected texts as values")
    if of_field and (key != _NAME_FIELD or operator not in (_IN, _NOT_IN) or len(values) != 1):
        raise NodeSelectorError(f"matchFields: {key} {operator} is none that nodes can be found by")
    judge = _FAULTS.get(str(operator))
    if fault := "is no operator of node selectors" if judge is None else judge(values):
        raise NodeSelectorError(f"{key}: {operator} {fault}")
    return of_field, key, str(operator), values


def _some(values: Sequence[str]) -> str:
    return "" if values else "without values"


def _none(values: Sequence[str]) -> str:
    return "with values" if values else ""


def _number(values: Sequence[str]) -> str:
    return "" if len(values) == 1 and _int(values[0]) is not None else "without one whole number"


_FAULTS: Mapping[str, Callable[[Sequence[str]], str]] = {
    _IN: _some,
    _NOT_IN: _some,
    _EXISTS: _none,
    _ABSENT: _none,
    _MORE: _number,
    _LESS: _number,
}


def _holds(term: Sequence[_Requirement], node: Node) -> bool:
    return all(_meets(node, *one) for one in term)


def _meets(node: Node, of_field: bool, key: str, operator: str, values: Sequence[str]) -> bool:  # noqa: FBT001
    found = node.name if of_field else _label(node, key)
    match operator:
        case "In":
            return found in values
        case "NotIn":
            return found not in values
        case "Exists":
            return found is not None
        case "DoesNotExist":
            return found is None
    number, bound = None if found is None else _int(found), _int(values[0])
    if number is None or bound is None:
        return False
    return number > bound if operator == _MORE else number < bound


def _label(node: Node, key: str) -> str | None:
    if node.labels is None:
        raise UnknownLabelsError(f"the labels of node {node.name} could not be read, and {key} is asked for")
    return node.labels.get(key)


def _int(text: str) -> int | None:
    """As Go's ParseInt reads it: an int64 without spaces or underscores."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits.isascii() or not digits.isdigit():
        return None
    number = int(text) if len(digits) <= 19 else 2**63
    return number if -(2**63) <= number < 2**63 else None
