"""An upper bound on what an expression can take, before it runs on anything.

Upstream estimates the cost of an expression and refuses what may cost more than 1,000,000. The bound here is
not that estimate: it only has to stop what would take a process down.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

from inventory.dra.cel.ast import Call, Comprehension, Constant, Ident, List, Node, Select, Struct
from inventory.dra.cel.engine import ATTRIBUTES, CAPACITY, DRIVER
from inventory.dra.cel.errors import UnsupportedError
from inventory.dra.cel.statictypes import Checked

LARGEST = 1_000_000


@dataclass(frozen=True, slots=True)
class Extent:
    """How large a value can be: characters of a text; elements of a list or map, and the largest of them."""

    size: int
    element: "Extent | None" = None

    @property
    def total(self) -> int:
        return self.size * (1 + self.element.total) if self.element else self.size

    def grown(self, size: int) -> "Extent":
        return Extent(size, self.element)

    def joined(self, other: "Extent | None") -> "Extent":
        """Either of them."""
        if other is None:
            return self
        element = self.element.joined(other.element) if self.element else other.element
        return Extent(max(self.size, other.size), element)


_SCALAR = Extent(1)
# The API's limits: 64 characters for a value (or 48 values of it), 63 for a driver or domain, 32 entries.
_VALUE = Extent(64, Extent(64))
_NAME = Extent(64)
_VARIABLES = {
    DRIVER: _NAME,
    ATTRIBUTES: Extent(32, Extent(32, _VALUE)),
    CAPACITY: Extent(32, Extent(32, _NAME)),
}
_SCALAR_TYPES = frozenset({"bool", "int", "uint", "double", "timestamp", "duration", "type", "null_type"})
_Scope = Mapping[str, Extent]


def work(checked: Checked) -> int:
    """The bound. Raises UnsupportedError if it is more than LARGEST."""
    bound = _Bound(checked)
    bound.extent(checked.root, _VARIABLES)
    return bound.work


class _Bound:
    def __init__(self, checked: Checked) -> None:
        self._checked = checked
        self.work = 0

    def extent(self, node: Node, scope: _Scope) -> Extent:
        """The extent of the node's value; what it takes to get it is added to `work`."""
        found = self._extent(node, scope)
        self._add(1 + (found.size if isinstance(node, List | Struct) else 0))
        return found

    def _extent(self, node: Node, scope: _Scope) -> Extent:
        match node:
            case Constant():
                return Extent(node.size)
            case Ident():
                return scope.get(node.name, _SCALAR)
            case Select():
                return self.extent(node.operand, scope).element or _SCALAR
            case List():
                return self._literal(len(node.elements), node.elements, scope)
            case Struct():
                return self._literal(len(node.entries), tuple(node.children()), scope)
            case Call():
                return self._call(node, scope)
            case Comprehension():
                return self._comprehension(node, scope)
        return _SCALAR

    def _literal(self, size: int, elements: tuple[Node, ...], scope: _Scope) -> Extent:
        largest = _SCALAR
        for element in elements:
            largest = largest.joined(self.extent(element, scope))
        return Extent(size, largest)

    def _call(self, call: Call, scope: _Scope) -> Extent:
        given = [self.extent(node, scope) for node in call.operands()]
        takes = _TAKES.get(call.function, _sum_of_totals)
        if call.function == "@in" and self._checked.type(call.arguments[1]).name == "map":
            takes = len
        self._add(given[-1].total if _appends(call) else takes(given))
        if self._checked.type(call).name in _SCALAR_TYPES or not given:
            return _SCALAR
        result = _EXTENTS.get(call.function, _largest)(given)
        self._add(result.size)
        return result

    def _comprehension(self, node: Comprehension, scope: _Scope) -> Extent:
        over = self.extent(node.range, scope)
        start = self.extent(node.initial, scope)
        if node.binds:
            return self.extent(node.result, {**scope, node.accumulator: start})
        element = over.element if self._checked.type(node.range).name == "list" else _NAME
        inner = {**scope, node.variable: (element or _SCALAR).joined(over.element), node.accumulator: start}
        before = self.work
        self.extent(node.condition, inner)
        step = self.extent(node.step, inner)
        self._add((self.work - before) * max(0, over.size - 1))
        grown = step.joined(start).grown(start.size + over.size * max(0, step.size - start.size))
        return self.extent(node.result, {**scope, node.accumulator: grown})

    def _add(self, work: int) -> None:
        self.work += work
        if self.work > LARGEST:
            raise UnsupportedError("the expression may take too much time or memory")


def _appends(call: Call) -> bool:
    """map() and filter() grow their list in place."""
    return call.function == "_+_" and isinstance(call.arguments[0], Ident)


def _sum_of_totals(given: list[Extent]) -> int:
    return 1 + sum(one.total for one in given)


def _least_total(given: list[Extent]) -> int:
    """Comparing ends where the shorter does."""
    return 1 + min(one.total for one in given)


def _found_in(given: list[Extent]) -> int:
    sought, values = given
    return 1 + values.size * (1 + min(sought.total, _element([values]).total))


def _product_of_totals(given: list[Extent]) -> int:
    return prod(1 + one.total for one in given)


def _product_of_sizes(given: list[Extent]) -> int:
    return prod(1 + one.size for one in given)


_TAKES: dict[str, Callable[[list[Extent]], int]] = {
    **dict.fromkeys(("_[_]", "_[?_]", "_?._", "_?_:_", "size", "orValue", "or", "value", "hasValue"), len),
    **dict.fromkeys(("_&&_", "_||_", "!_", "@not_strictly_false", "optional.of", "dyn"), len),
    **dict.fromkeys(("_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_"), _least_total),
    "@in": _found_in,
    **dict.fromkeys(("matches", "find", "findAll", "contains", "replace", "split"), _product_of_sizes),
    **dict.fromkeys(("indexOf", "lastIndexOf", "includes"), _product_of_totals),
    **dict.fromkeys(("sets.contains", "sets.equivalent", "sets.intersects"), _product_of_totals),
}


def _largest(given: list[Extent]) -> Extent:
    result = _SCALAR
    for one in given:
        result = result.joined(one)
    return result


def _element(given: list[Extent]) -> Extent:
    return given[0].element or _SCALAR


def _added(given: list[Extent]) -> Extent:
    return _largest(given).grown(sum(one.size for one in given))


def _replaced(given: list[Extent]) -> Extent:
    return Extent((given[0].size + 1) * (1 + given[2].size))


def _joined(given: list[Extent]) -> Extent:
    separator = given[1].size if len(given) > 1 else 0
    return Extent(given[0].total + given[0].size * separator)


def _formatted(given: list[Extent]) -> Extent:
    # Each clause prints one element; a number in binary is the longest that is no text.
    return Extent(given[0].size + given[0].size * (64 + 8 * _element(given[1:]).total))


_EXTENTS: dict[str, Callable[[list[Extent]], Extent]] = {
    "_+_": _added,
    "replace": _replaced,
    "join": _joined,
    "format": _formatted,
    "strings.quote": lambda given: Extent(2 + 2 * given[0].size),
    "split": lambda given: Extent(given[0].size + 1, Extent(given[0].size)),
    "findAll": lambda given: Extent(given[0].size + 1, Extent(given[0].size)),
    "string": lambda given: Extent(64 + given[0].size),
    **dict.fromkeys(("_[_]", "_[?_]", "_?._", "min", "max"), _element),
}
