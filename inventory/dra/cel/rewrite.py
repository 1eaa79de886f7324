"""From the tree that was checked to the one that runs: where the engine's ways are not upstream's."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count

from inventory.dra.cel import encoding, engine, functions, patterns
from inventory.dra.cel.ast import Call, Comprehension, Constant, Ident, List, Node, Select, Struct, walk
from inventory.dra.cel.statictypes import DYN, OUTER, QUANTITY, SEMVER, Checked, Type
from inventory.dra.cel.wire import signed

# Kinds of cel.expr.Constant, and how they are sent.
_BOOL, _INT, _STRING, _BYTES = 2, 3, 6, 7
_VARINT_FORM, _BYTES_FORM = 0, 2
_ORDERING = frozenset({"_<_", "_<=_", "_>_", "_>=_", "_+_", "_-_"})
_OF_TEXTS_AND_LISTS = {"indexOf": functions.INDEX_OF, "lastIndexOf": functions.LAST_INDEX_OF}
_HELD = frozenset({"asInteger", "isInteger"})
_COMPARISONS = {"isGreaterThan": "_>_", "isLessThan": "_<_"}
_RELATIONS = ("_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_")
# What `a.compareTo(b) == 1` says of a and b, and so on.
_OF_SIGN = {
    **{(relation, 0): relation for relation in _RELATIONS},
    ("_==_", 1): "_>_",
    ("_!=_", 1): "_<=_",
    ("_<_", 1): "_<=_",
    ("_>=_", 1): "_>_",
    ("_==_", -1): "_<_",
    ("_!=_", -1): "_>=_",
    ("_>_", -1): "_>=_",
    ("_<=_", -1): "_<_",
}
_ON_VALUES = frozenset({"size", "string"})


def rewritten(checked: Checked, first: int) -> Node:
    """`first` and what follows it number the new nodes."""
    return _Rewriting(checked, first).node(checked.root)


class _Rewriting:
    def __init__(self, checked: Checked, first: int) -> None:
        self._checked = checked
        self._numbers = count(first)
        # Whether it matters how a quantity is held, and not its value alone.
        self._held = any(isinstance(node, Call) and node.function in _HELD for node in walk(checked.root))

    def node(self, node: Node) -> Node:
        inside = _mapped(node, self.node)
        match node:
            case Ident(name=engine.CAPACITY) if self._held:
                return replace(node, name=engine.AMOUNTS)
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
        native = self._compared(call, inside, kinds)
        if native is not None:
            return native
        if call.function in {"_==_", "_!=_"} and QUANTITY in kinds and self._held:
            equal = self._call(functions.EQUAL, *inside.arguments)
            return equal if call.function == "_==_" else self._call("!_", equal)
        if call.function == "@in" and QUANTITY in kinds and self._held:
            return Call(inside.number, inside.arguments[1], "includes", inside.arguments[:1])
        if call.function == "quantity":
            return self._folded(inside, encoding.amount if self._held else encoding.quantity)
        if call.function == "semver":
            return self._folded(inside, _reader(call))
        if call.function in _OF_TEXTS_AND_LISTS:
            return replace(inside, function=_OF_TEXTS_AND_LISTS[call.function])
        if call.function == "matches" and not _is_small(call.operands()[1]):
            return self._call(functions.MATCHES, *inside.operands())
        return self._guarded(call, inside)

    def _folded(self, call: Call, encode: Callable[[str], bytes] | None) -> Node:
        """A quantity or version that is written out is read once; a wrong one fails when it is met."""
        if encode is encoding.amount:
            call = replace(call, function=functions.AMOUNT)
        text = call.arguments[0].text if isinstance(call.arguments[0], Constant) else None
        if text is None or encode is None:
            return call
        try:
            return Constant(call.number, _BYTES, encode(text), _BYTES_FORM)
        except ValueError:
            return call

    def _compared(self, call: Call, inside: Call, kinds: list[Type]) -> Node | None:
        """Comparisons as the engine's own, which takes less time and memory than a function of ours."""
        if call.function in _COMPARISONS and self._is_ordered(kinds):
            return self._call(_COMPARISONS[call.function], *inside.operands())
        if call.function not in _RELATIONS or not _is_compare_to(call.arguments[0]):
            return None
        relation = _relation(call.function, call.arguments[1])
        compared, rewritten_one = call.arguments[0], inside.arguments[0]
        if relation is None or not self._is_ordered(
            [self._checked.type(node) for node in compared.children()]
        ):
            return None
        return self._call(relation, *rewritten_one.children())

    def _is_ordered(self, kinds: list[Type]) -> bool:
        """Both are quantities that travel by value, or versions; what is unknown is a version or no bytes."""
        if QUANTITY in kinds:
            return kinds == [QUANTITY, QUANTITY] and not self._held
        return SEMVER in kinds and set(kinds) <= {SEMVER, DYN}

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


def _reader(semver: Call) -> Callable[[str], bytes] | None:
    """None if it shows only as it runs how the version is to be read."""
    if len(semver.arguments) == 1:
        return encoding.version
    tolerantly = semver.arguments[1]
    if not isinstance(tolerantly, Constant):
        return None
    return encoding.tolerant_version if tolerantly.literal else encoding.version


def _is_compare_to(node: Node) -> bool:
    return isinstance(node, Call) and node.function == "compareTo"


def _relation(function: str, sign: Node) -> str | None:
    if not isinstance(sign, Constant) or sign.kind != _INT:
        return None
    return _OF_SIGN.get((function, signed(sign.literal)))


def _is_small(pattern: Node) -> bool:
    text = pattern.text if isinstance(pattern, Constant) else None
    return text is not None and patterns.is_small(text)


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
