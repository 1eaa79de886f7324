"""Which nodes a slice, a device or a Pod goes with (k8s.io/component-helpers, nodeaffinity)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
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

    @property
    def is_known(self) -> bool:
        return self.labels is not None


class UnknownLabelsError(ValueError):
    """A selector asks for labels of a node that could not be read."""


class Requirement(msgspec.Struct, frozen=True):
    """Of a label, or of the node's name where it is of a field."""

    key: str
    operator: str
    values: tuple[str, ...]
    of_field: bool = False

    def holds(self, node: Node) -> bool:
        """Raises UnknownLabelsError."""
        found = node.name if self.of_field else _label(node, self.key)
        match self.operator:
            case "In":
                return found in self.values
            case "NotIn":
                return found not in self.values
            case "Exists":
                return found is not None
            case "DoesNotExist":
                return found is None
        number, bound = None if found is None else _int(found), _int(self.values[0])
        if number is None or bound is None:
            return False
        return number > bound if self.operator == _MORE else number < bound


class NodeSelector(msgspec.Struct, frozen=True):
    """A node is found if all requirements of one of the terms hold; a term without any finds nothing."""

    terms: tuple[tuple[Requirement, ...], ...]

    def finds(self, node: Node) -> bool:
        """Raises UnknownLabelsError."""
        return any(term and all(one.holds(node) for one in term) for term in self.terms)

    @property
    def label(self) -> tuple[str, tuple[str, ...]] | None:
        """A label of which a node must have one of these values, if there is one."""
        if len(self.terms) != 1:
            return None
        named = (one for one in self.terms[0] if one.operator == _IN and not one.of_field)
        return next(((one.key, one.values) for one in named), None)


class _WireRequirement(msgspec.Struct, frozen=True):
    key: str
    operator: str
    values: tuple[str, ...] | None = None


class _WireTerm(msgspec.Struct, frozen=True, rename="camel"):
    match_expressions: tuple[_WireRequirement, ...] | None = None
    match_fields: tuple[_WireRequirement, ...] | None = None


class _WireSelector(msgspec.Struct, frozen=True, rename="camel"):
    node_selector_terms: tuple[_WireTerm, ...]


def node_selector(raw: Any) -> NodeSelector:
    """Raises NodeSelectorError for what no scheduler can read."""
    try:
        found = msgspec.convert(raw, _WireSelector)
    except msgspec.ValidationError as error:
        raise NodeSelectorError(str(error)) from error
    return NodeSelector(tuple(tuple(_requirements(term)) for term in found.node_selector_terms))


def _requirements(term: _WireTerm) -> Iterator[Requirement]:
    for one in term.match_expressions or ():
        values = one.values or ()
        judge = _FAULTS.get(one.operator)
        if fault := "is no operator of node selectors" if judge is None else judge(values):
            raise NodeSelectorError(f"{one.key}: {one.operator} {fault}")
        yield Requirement(one.key, one.operator, values)
    for one in term.match_fields or ():
        values = one.values or ()
        if one.key != _NAME_FIELD or one.operator not in (_IN, _NOT_IN) or len(values) != 1:
            raise NodeSelectorError(f"matchFields: nodes cannot be found by {one.key} {one.operator}")
        yield Requirement(one.key, one.operator, values, of_field=True)


class _Placeable(Protocol):
    """A slice's spec, or a device of one: its own node, all nodes, or those that a selector finds."""

    @property
    def node_name(self) -> str | None: ...
    @property
    def node_selector(self) -> Raw | None: ...
    @property
    def all_nodes(self) -> bool | None: ...


class Place(msgspec.Struct, frozen=True):
    """Where devices can be used. A selector that cannot be read is an error for whoever comes to it."""

    node_name: str = ""
    all_nodes: bool = False
    selector: NodeSelector | NodeSelectorError | None = None

    @classmethod
    def of(cls, published: _Placeable) -> "Place":
        found: NodeSelector | NodeSelectorError | None = None
        if published.node_selector is not None:
            try:
                found = node_selector(published.node_selector)
            except NodeSelectorError as error:
                found = error
        return cls(published.node_name or "", bool(published.all_nodes), found)

    @property
    def is_given(self) -> bool:
        """In a way that the scheduler knows; it leaves out a slice that says nothing of nodes."""
        return bool(self.node_name or self.all_nodes or self.selector is not None)

    def takes(self, node: Node) -> bool:
        """Raises NodeSelectorError and UnknownLabelsError."""
        if self.node_name:
            return self.node_name == node.name
        if isinstance(self.selector, NodeSelectorError) and not self.all_nodes:
            raise self.selector
        return self.all_nodes or (isinstance(self.selector, NodeSelector) and self.selector.finds(node))


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
