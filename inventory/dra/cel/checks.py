"""What upstream refuses and the checker lets through, and what we cannot evaluate as upstream does."""

from collections.abc import Callable, Iterator

from inventory.dra.cel import patterns
from inventory.dra.cel.ast import Call, Comprehension, Constant, Ident, List, Node, Select, Struct, walk
from inventory.dra.cel.errors import CompileError, UnsupportedError
from inventory.dra.cel.results import check_result
from inventory.dra.cel.statictypes import DYN, OUTER, QUANTITY, SEMVER, Checked, Type

# Functions that run on plain Python values, where not everything of the language can go.
_ON_LISTS = frozenset(
    {"sum", "min", "max", "isSorted", "indexOf", "lastIndexOf", "includes"}
    | {"sets.contains", "sets.equivalent", "sets.intersects"}
)
# Python has one kind of whole numbers.
_OF_NUMBERS = frozenset({"sum", "min", "max"})
_KINDS = frozenset({"int", "uint", "double", "bool", "string", "list", "map", "null_type"})
# Types whose values Python functions take and give back as they are.
_PLAIN = frozenset({"dyn", "bool", "int", "uint", "double", "string", "list", "map", str(SEMVER)})
_MATCHING = ("matches", "find", "findAll")
_PATTERNS = 32
_LOOKUPS = frozenset({"_[_]", "_[?_]", "_?._"})
_EQUALITY = ("_==_", "_!=_")
_CLAUSES = frozenset("sdxXbo%")


def check(checked: Checked) -> None:
    """Raises CompileError or UnsupportedError."""
    check_result(checked)
    _check_patterns(checked)
    for node, parent in _with_parents(checked.root):
        kind = checked.type(node)
        if kind.mentions("bytes"):
            raise UnsupportedError(f"bytes ({checked.place(node)}) are not evaluated here")
        if kind in OUTER:
            _check_outer(checked, node, parent)
        if kind.mentions(DYN.name):
            _check_mixed(checked, node)
        if isinstance(node, List | Struct):
            _check_literal(checked, node, parent)
        elif isinstance(node, Call):
            _check_call(checked, node, parent)
    _check_null(checked)


def _with_parents(root: Node) -> Iterator[tuple[Node, Node | None]]:
    yield root, None
    for parent in walk(root):
        for child in parent.children():
            yield child, parent


def _check_outer(checked: Checked, node: Node, parent: Node | None) -> None:
    """The map of all domains has an empty map for every missing one, so it must not get out of sight."""
    match parent:
        case Select():
            return
        case Comprehension() if parent.binds or node in (parent.range, parent.initial, parent.result):
            return
        case Call(function="_[_]" | "_[?_]" | "_?._" | "size" | "@in"):
            return
    raise UnsupportedError(f"the map of all domains as a value ({checked.place(node)}) is not evaluated here")


def _check_mixed(checked: Checked, node: Node) -> None:
    """Nothing that travels in disguise, or that Python cannot hold, becomes a value of unknown type."""
    if isinstance(node, Comprehension | Select) or (isinstance(node, Call) and node.function in _LOOKUPS):
        return
    for child in node.children():
        kind = checked.type(child)
        inner = _unpacked(kind) if _unpacks(node) else kind
        if kind != checked.type(node) and not _is_plain(inner):
            raise UnsupportedError(f"{kind} as a value of unknown type is not evaluated here")


def _unpacked(kind: Type) -> Type:
    return kind.parameters[0] if kind.name == "optional_type" and kind.parameters else kind


def _unpacks(node: Node) -> bool:
    return isinstance(node, Call) and node.function in {"orValue", "or", "value", "hasValue"}


def _is_plain(kind: Type) -> bool:
    return kind.name in _PLAIN and all(map(_is_plain, kind.parameters))


def _check_literal(checked: Checked, literal: List | Struct, parent: Node | None) -> None:
    """Elements of different types, but for what format() gets."""
    if isinstance(parent, Call) and parent.function == "format":
        return
    if isinstance(literal, List):
        groups, optional = [list(literal.elements)], bool(literal.optional)
    else:
        keys = [entry.key for entry in literal.entries if isinstance(entry.key, Node)]
        groups = [keys, [entry.value for entry in literal.entries]]
        optional = any(entry.optional for entry in literal.entries)
    if optional:
        raise UnsupportedError("optional elements of a literal are not evaluated here")
    for nodes in groups:
        _check_same(checked, nodes)


def _check_same(checked: Checked, nodes: list[Node]) -> None:
    kinds = [checked.type(node) for node in nodes]
    for node, kind in zip(nodes, kinds, strict=True):
        if kind.name != kinds[0].name:
            raise CompileError(f"{checked.place(node)}: expected type '{kinds[0]}' but found '{kind}'")
        if kind != kinds[0]:
            raise UnsupportedError(f"a literal of {kinds[0]} and {kind} is not evaluated here")


def _check_call(checked: Checked, call: Call, parent: Node | None) -> None:
    kinds = [checked.type(node) for node in call.operands()]
    if call.function in _EQUALITY and any(_holds_quantities(kind) for kind in kinds):
        raise UnsupportedError("comparing lists or maps of quantities is not evaluated here")
    if call.function in _ON_LISTS and not all(map(_is_listable, kinds)):
        raise UnsupportedError(f"{call.function}() of {kinds[0]} is not evaluated here")
    if call.function in _OF_NUMBERS and checked.type(call).name == "uint":
        raise UnsupportedError(f"{call.function}() of {kinds[0]} is not evaluated here")
    literal = _CHECKED_LITERALS.get(call.function)
    if literal is not None:
        literal(checked, call)
    if call.function == "type":
        _check_type(checked, call, parent)
    if call.function == "optional.ofNonZeroValue" and not _is_plain_scalar(kinds[0]):
        raise UnsupportedError(f"optional.ofNonZeroValue() of {kinds[0]} is not evaluated here")
    if call.function in {"_?._", "_[?_]"} and _unpacked(kinds[0]).name != "map":
        raise UnsupportedError(f"an optional field of {kinds[0]} is not evaluated here")


def _holds_quantities(kind: Type) -> bool:
    return kind != QUANTITY and kind.mentions(str(QUANTITY))


def _is_listable(kind: Type) -> bool:
    return (
        kind == QUANTITY
        or _is_plain(kind)
        or (kind.name == "list" and all(map(_is_listable, kind.parameters)))
    )


def _is_plain_scalar(kind: Type) -> bool:
    return kind.name in {"bool", "int", "uint", "double", "string"}


def _check_pattern(checked: Checked, call: Call) -> None:
    pattern = call.operands()[1]
    if not isinstance(pattern, Constant) or pattern.text is None:
        raise UnsupportedError(
            f"{call.function}() with a pattern that is not written out is not evaluated here"
        )
    try:
        patterns.check(pattern.text)
    except patterns.PatternError as error:
        raise CompileError(f"{checked.place(pattern)}: {error}") from None


def _check_format(checked: Checked, call: Call) -> None:
    """The library's own way with decimals, and with whatever else is not simply printed, is left out."""
    text = call.target.text if isinstance(call.target, Constant) else None
    values = call.arguments[0]
    if text is None or not isinstance(values, List) or not set(_clauses(text)) <= _CLAUSES:
        raise UnsupportedError(
            "format() with other clauses than %s, %d, %x, %X, %b, %o is not evaluated here"
        )
    if not all(
        checked.type(value).name in {"dyn", "int", "uint", "string", "bool"} for value in values.elements
    ):
        raise UnsupportedError("format() of other than numbers, texts and bools is not evaluated here")


def _clauses(text: str) -> Iterator[str]:
    at = text.find("%")
    while at >= 0:
        yield text[at + 1 : at + 2]
        at = text.find("%", at + 2)


_CHECKED_LITERALS: dict[str, Callable[[Checked, Call], None]] = {
    **dict.fromkeys(_MATCHING, _check_pattern),
    "format": _check_format,
}


def _check_type(checked: Checked, call: Call, parent: Node | None) -> None:
    """The types of quantities and versions are not their own here."""
    kind = checked.type(call.arguments[0])
    if _is_plain_scalar(kind):
        return
    others = parent.arguments if isinstance(parent, Call) and parent.function in _EQUALITY else ()
    if not any(isinstance(other, Ident) and other.name in _KINDS for other in others):
        raise UnsupportedError(f"type() of {kind} is not evaluated here")


def _check_patterns(checked: Checked) -> None:
    """Each takes its time to prepare."""
    matching = [node for node in walk(checked.root) if isinstance(node, Call) and node.function in _MATCHING]
    if len(matching) > _PATTERNS:
        raise UnsupportedError(f"more than {_PATTERNS} regular expressions in one selector")


def _check_null(checked: Checked) -> None:
    """The engine must not hand a null over to Python."""
    nodes = list(walk(checked.root))
    if not any(isinstance(node, Constant) and node.is_null for node in nodes):
        return
    handed_over = any(isinstance(node, Call) and node.function in _ON_LISTS for node in nodes)
    guarded = any(isinstance(node, Select) and node.present for node in nodes)
    if handed_over or guarded or checked.type(checked.root) == DYN:
        raise UnsupportedError("null in this place is not evaluated here")
