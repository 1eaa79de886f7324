"""Syntax trees in the wire format of cel.expr.Expr."""

from inventory.dra.cel import wire
from inventory.dra.cel.ast import Call, Comprehension, Constant, Entry, Ident, List, Node, Select, Struct

_CONSTANT, _IDENT, _SELECT, _CALL, _LIST, _STRUCT, _COMPREHENSION = range(3, 10)
_NUMBER = 2


def decode(encoded: bytes) -> Node:
    """Raises ValueError for what is no expression, or of a kind that did not exist when this was written."""
    number, kind, content = 0, 0, b""
    for field, _, value in wire.fields(encoded):
        if field == _NUMBER:
            number = wire.signed(value)
        else:
            kind, content = field, wire.octets(value)
    if kind == _CONSTANT:
        return _constant(number, content)
    reader = _READERS.get(kind)
    if reader is None:
        raise ValueError(f"an expression of kind {kind}")
    return reader(number, _Content(content))


class _Content:
    """The fields of one message by their numbers."""

    def __init__(self, encoded: bytes) -> None:
        self._fields: dict[int, list[int | bytes]] = {}
        for number, _, value in wire.fields(encoded):
            self._fields.setdefault(number, []).append(value)

    def all(self, number: int) -> list[int | bytes]:
        return self._fields.get(number, [])

    def text(self, number: int) -> str:
        found = self.all(number)
        return wire.text(found[-1]) if found else ""

    def whole(self, number: int) -> int:
        found = self.all(number)
        return wire.whole(found[-1]) if found else 0

    def nodes(self, number: int) -> tuple[Node, ...]:
        return tuple(decode(wire.octets(value)) for value in self.all(number))

    def node(self, number: int) -> Node:
        found = self.nodes(number)
        if not found:
            raise ValueError(f"no expression in field {number}")
        return found[-1]


def _constant(number: int, content: bytes) -> Constant:
    held = list(wire.fields(content))
    if len(held) != 1:
        raise ValueError("a constant without a value")
    kind, form, literal = held[0]
    return Constant(number, kind, literal, form)


def _ident(number: int, content: _Content) -> Ident:
    return Ident(number, content.text(1))


def _select(number: int, content: _Content) -> Select:
    return Select(number, content.node(1), content.text(2), bool(content.whole(3)))


def _call(number: int, content: _Content) -> Call:
    target = content.node(1) if content.all(1) else None
    return Call(number, target, content.text(2), content.nodes(3))


def _list(number: int, content: _Content) -> List:
    optional = tuple(index for value in content.all(2) for index in wire.packed(value))
    return List(number, content.nodes(1), optional)


def _struct(number: int, content: _Content) -> Struct:
    return Struct(number, content.text(1), tuple(_entry(wire.octets(value)) for value in content.all(2)))


def _entry(encoded: bytes) -> Entry:
    content = _Content(encoded)
    key: str | Node = content.node(3) if content.all(3) else content.text(2)
    return Entry(content.whole(1), key, content.node(4), bool(content.whole(5)))


def _comprehension(number: int, content: _Content) -> Comprehension:
    if content.all(8):
        raise ValueError("a comprehension of two variables")
    variable, accumulator = content.text(1), content.text(3)
    parts = [content.node(field) for field in (2, 4, 5, 6, 7)]
    return Comprehension(number, variable, parts[0], accumulator, *parts[1:])


_READERS = {
    _IDENT: _ident,
    _SELECT: _select,
    _CALL: _call,
    _LIST: _list,
    _STRUCT: _struct,
    _COMPREHENSION: _comprehension,
}


def encode(node: Node) -> bytes:
    """The opposite of `decode`."""
    kind, content = _content(node)
    return wire.message([wire.scalar(_NUMBER, node.number), wire.chunk(kind, wire.message(content))])


def _content(node: Node) -> tuple[int, list[wire.Field]]:
    match node:
        case Constant():
            return _CONSTANT, [(node.kind, node.wire, node.literal)]
        case Ident():
            return _IDENT, [wire.chunk(1, node.name)]
        case Select():
            return _SELECT, [
                wire.chunk(1, encode(node.operand)),
                wire.chunk(2, node.field),
                *([wire.scalar(3, 1)] if node.present else []),
            ]
        case Call():
            target = [wire.chunk(1, encode(node.target))] if node.target is not None else []
            return _CALL, [*target, wire.chunk(2, node.function), *_encoded(3, node.arguments)]
        case List():
            optional = [wire.scalar(2, index) for index in node.optional]
            return _LIST, [*_encoded(1, node.elements), *optional]
        case Struct():
            name = [wire.chunk(1, node.name)] if node.name else []
            return _STRUCT, [*name, *(wire.chunk(2, _entry_bytes(entry)) for entry in node.entries)]
        case Comprehension():
            return _COMPREHENSION, _comprehension_content(node)
    raise TypeError(type(node).__name__)


def _encoded(number: int, nodes: tuple[Node, ...]) -> list[wire.Field]:
    return [wire.chunk(number, encode(node)) for node in nodes]


def _entry_bytes(entry: Entry) -> bytes:
    key = wire.chunk(2, entry.key) if isinstance(entry.key, str) else wire.chunk(3, encode(entry.key))
    optional = [wire.scalar(5, 1)] if entry.optional else []
    return wire.message([wire.scalar(1, entry.number), key, wire.chunk(4, encode(entry.value)), *optional])


def _comprehension_content(node: Comprehension) -> list[wire.Field]:
    return [
        wire.chunk(1, node.variable),
        wire.chunk(2, encode(node.range)),
        wire.chunk(3, node.accumulator),
        *(
            wire.chunk(field, encode(part))
            for field, part in enumerate((node.initial, node.condition, node.step, node.result), start=4)
        ),
    ]
