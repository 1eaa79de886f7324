"""From the tree that was checked to the one that runs: where the engine's ways are not upstream's."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count

from inventory.dra.cel import encoding, functions
from inventory.dra.cel.ast import Call, Comprehension, Constant, List, Node, Select, Struct
from inventory.dra.cel.statictypes import DYN, OUTER, QUANTITY, Checked

# Kinds of cel.expr.Constant, and how they are sent.
_BOOL, _STRING, _BYTES = 2, 6, 7
_VARINT_FORM, _BYTES_FORM = 0, 2
_ORDERING = frozenset({"_<_", "_<=_", "_>_", "_>=_", "_+_", "_-_"})
_OF_TEXTS_AND_LISTS = {"indexOf": functions.INDEX_OF, "lastIndexOf": functions.LAST_INDEX_OF}
_FOLDED: dict[str, Callable[[str], bytes]] = {"quantity": encoding.quantity, "semver": encoding.version}
_ON_VALUES = frozenset({"size", "string"})


def rewritten(checked: Checked, first: int) -> Node:
    """`first` and what follows it number the new nodes."""
    return _Rewriting(checked, first).node(checked.root)


class _Rewriting:
    def __init__(self, checked: Checked, first: int) -> None:
        self._checked = checked
        self._numbers = count(first)

    def node(self, node: Node) -> Node:
        inside = _mapped(node, self.node)
        match node:
            case Select() if self._is_outer(node.operand):
                return self._true() if node.present else self._domain(inside, self._text(node.field))
            case Select(present=True) if self._checked.type(node.operand) == DYN and isinstance(
                inside, Select
            ):
                return self._call(functions.PRESENT, inside.operand, self._text(node.field))
            case Call() if isinstance(inside, Call):
                return self._rewritten_call(node, inside)
        return inside

    def _rewritten_call(self, call: Call, inside: Call) -> Node:
        kinds = [self._checked.type(node) for node in call.operands()]
        if call.function == "_[_]" and kinds[0] in OUTER:
            return self._domain(inside, inside.arguments[1])
        if call.function in {"_[?_]", "_?._"} and kinds[0] in OUTER:
            # Upstream finds every domain, if an empty one.
            found = self._domain(inside, inside.arguments[1])
            return self._call("optional.of", found)
        if call.function in {"_==_", "_!=_"} and QUANTITY in kinds:
            equal = self._call(functions.EQUAL, *inside.arguments)
            return equal if call.function == "_==_" else self._call("!_", equal)
        if call.function == "@in" and QUANTITY in kinds:
            return Call(inside.number, inside.arguments[1], "includes", inside.arguments[:1])
        if call.function in _FOLDED and len(call.arguments) == 1:
            return self._folded(inside)
        if call.function in _OF_TEXTS_AND_LISTS:
            return replace(inside, function=_OF_TEXTS_AND_LISTS[call.function])
        if call.function == "matches":
            return self._call(functions.MATCHES, *inside.operands())
        return self._guarded(call, inside)

    def _folded(self, call: Call) -> Node:
        """A quantity or version that is written out is read once; a wrong one fails when it is met."""
        text = call.arguments[0].text if isinstance(call.arguments[0], Constant) else None
        if text is None:
            return call
        try:
            return Constant(call.number, _BYTES, _FOLDED[call.function](text), _BYTES_FORM)
        except ValueError:
            return call

    def _guarded(self, call: Call, inside: Call) -> Node:
        """No version gets through where it would pass for the bytes it travels as."""
        unknown = [self._checked.type(node) == DYN for node in call.operands()]
        if call.function in _ORDERING and all(unknown):
            return replace(inside, arguments=tuple(map(self._plain, inside.arguments)))
        if call.function in _ON_VALUES and unknown == [True]:
            if inside.target is not None:
                return replace(inside, target=self._plain(inside.target))
            return replace(inside, arguments=(self._plain(inside.arguments[0]),))
        if call.function == "format":
            return replace(inside, arguments=tuple(map(self._plain_elements, inside.arguments)))
        return inside

    def _plain_elements(self, values: Node) -> Node:
        if not isinstance(values, List):
            return values
        unknown = [self._checked.type(element) == DYN for element in values.elements]
        elements = zip(values.elements, unknown, strict=True)
        return replace(values, elements=tuple(self._plain(one) if dyn else one for one, dyn in elements))

    def _domain(self, inside: Node, key: Node) -> Node:
        """The map of a domain, empty where nothing is published."""
        outer = inside.operand if isinstance(inside, Select) else next(inside.children())
        found = self._call("_[?_]", outer, key)
        return Call(next(self._numbers), found, "orValue", (Struct(next(self._numbers), "", ()),))

    def _is_outer(self, node: Node) -> bool:
        return self._checked.type(node) in OUTER

    def _plain(self, node: Node) -> Node:
        return self._call(functions.PLAIN, node)

    def _call(self, function: str, *arguments: Node) -> Call:
        return Call(next(self._numbers), None, function, arguments)

    def _text(self, text: str) -> Constant:
        return Constant(next(self._numbers), _STRING, text.encode(), _BYTES_FORM)

    def _true(self) -> Constant:
        return Constant(next(self._numbers), _BOOL, 1, _VARINT_FORM)


def _mapped(node: Node, change: Callable[[Node], Node]) -> Node:
    """The same node with its children changed."""
    match node:
        case Select():
            return replace(node, operand=change(node.operand))
        case Call():
            target = change(node.target) if node.target is not None else None
            return replace(node, target=target, arguments=tuple(map(change, node.arguments)))
        case List():
            return replace(node, elements=tuple(map(change, node.elements)))
        case Struct():
            return replace(
                node,
                entries=tuple(
                    replace(
                        entry,
                        key=change(entry.key) if isinstance(entry.key, Node) else entry.key,
                        value=change(entry.value),
                    )
                    for entry in node.entries
                ),
            )
        case Comprehension():
            return replace(
                node,
                range=change(node.range),
                initial=change(node.initial),
                condition=change(node.condition),
                step=change(node.step),
                result=change(node.result),
            )
    return node
