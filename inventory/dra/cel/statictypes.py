"""What the checker found out: the static type of every node, written as cel-go writes it."""

from dataclasses import dataclass

from inventory.dra.cel import wire
from inventory.dra.cel.ast import Node
from inventory.dra.cel.treewire import decode

_PRIMITIVES = {1: "bool", 2: "int", 3: "uint", 4: "double", 5: "string", 6: "bytes"}
_WELL_KNOWN = {1: "any", 2: "timestamp", 3: "duration"}


@dataclass(frozen=True, slots=True)
class Type:
    name: str
    parameters: tuple["Type", ...] = ()

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.parameters))})" if self.parameters else self.name

    def mentions(self, name: str) -> bool:
        return self.name == name or any(parameter.mentions(name) for parameter in self.parameters)


BOOL, DYN, STRING = Type("bool"), Type("dyn"), Type("string")
QUANTITY, SEMVER = Type("kubernetes.Quantity"), Type("kubernetes.Semver")


def map_of(values: Type) -> Type:
    return Type("map", (STRING, values))


# Inside a domain, and by domain.
ATTRIBUTES, CAPACITY = map_of(DYN), map_of(QUANTITY)
OUTER = (map_of(ATTRIBUTES), map_of(CAPACITY))


@dataclass(frozen=True, slots=True)
class Checked:
    """An expression as the checker hands it over."""

    root: Node
    # cel.expr.SourceInfo, as it came.
    source: bytes
    _types: dict[int, Type]

    def type(self, node: Node) -> Type:
        return self._types.get(node.number, DYN)

    def place(self, node: Node) -> str:
        """Line and column, both from 1."""
        offset, lines = _position(self.source, node.number)
        before = [0, *(start for start in lines if start <= offset)]
        return f"{len(before)}:{offset - before[-1] + 1}"


def checked(serialized: bytes) -> Checked:
    """Reads a google.protobuf.Any that holds a cel.expr.CheckedExpr or a cel.expr.ParsedExpr."""
    held = {number: wire.octets(value) for number, _, value in wire.fields(serialized)}
    tree, source, types = 4, 5, 3
    if held[1].endswith(b".ParsedExpr"):
        tree, source, types = 2, 3, -1
    root, origin, found = b"", b"", {}
    for number, _, value in wire.fields(held[2]):
        if number == tree:
            root = wire.octets(value)
        elif number == source:
            origin = wire.octets(value)
        elif number == types:
            key, described = _pair(wire.octets(value))
            found[wire.signed(key)] = _type(wire.octets(described))
    return Checked(decode(root), origin, found)


def _pair(entry: bytes) -> tuple[int | bytes, int | bytes]:
    """An entry of a map field."""
    held = {number: value for number, _, value in wire.fields(entry)}
    return held.get(1, 0), held.get(2, b"")


def _type(encoded: bytes) -> Type:
    for number, _, value in wire.fields(encoded):
        if number in (3, 5):
            return Type((_PRIMITIVES if number == 3 else _WELL_KNOWN).get(wire.whole(value), "unknown"))
        if number in (6, 7):
            kinds = tuple(_type(wire.octets(part)) for _, _, part in wire.fields(wire.octets(value)))
            return Type("list" if number == 6 else "map", kinds or (DYN,))
        if number == 11:
            return Type("type", (_type(wire.octets(value)),) if value else ())
        if number == 14:
            return _abstract(wire.octets(value))
        return _NAMED.get(number) or Type("unknown")
    return DYN


_NAMED = {1: DYN, 2: Type("null_type"), 4: Type("wrapper"), 9: Type("message"), 10: DYN}


def _abstract(encoded: bytes) -> Type:
    name, parameters = "", []
    for number, _, value in wire.fields(encoded):
        if number == 1:
            name = wire.text(value)
        else:
            parameters.append(_type(wire.octets(value)))
    return Type(name, tuple(parameters))


def _position(source: bytes, node: int) -> tuple[int, list[int]]:
    """The offset of a node in characters, and where the second line and each later one start."""
    offset, lines = 0, []
    for number, _, value in wire.fields(source):
        if number == 3:
            lines += wire.packed(value)
        elif number == 4:
            key, place = _pair(wire.octets(value))
            offset = wire.whole(place) if key == node and isinstance(place, int) else offset
    return offset, lines
