"""The syntax tree of an expression, as cel.expr.Expr has it."""

from collections.abc import Iterator
from dataclasses import dataclass

from inventory.dra.cel import wire

# The field of cel.expr.Constant that holds the literal.
_NULL, _STRING, _BYTES = 1, 6, 7


@dataclass(frozen=True, slots=True)
class Node:
    """The number is the key to what the checker found out about the node."""

    number: int

    def children(self) -> Iterator["Node"]:
        yield from ()


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """`kind` and `literal` are the field that holds it, as it came."""

    kind: int
    literal: int | bytes
    wire: int

    @property
    def text(self) -> str | None:
        return wire.text(self.literal) if self.kind == _STRING else None

    @property
    def is_null(self) -> bool:
        return self.kind == _NULL

    @property
    def size(self) -> int:
        return len(self.literal) if self.kind in (_STRING, _BYTES) and isinstance(self.literal, bytes) else 1


@dataclass(frozen=True, slots=True)
class Ident(Node):
    name: str


@dataclass(frozen=True, slots=True)
class Select(Node):
    """`present` stands for has(operand.field)."""

    operand: Node
    field: str
    present: bool

    def children(self) -> Iterator[Node]:
        yield self.operand


@dataclass(frozen=True, slots=True)
class Call(Node):
    target: Node | None
    function: str
    arguments: tuple[Node, ...]

    def operands(self) -> tuple[Node, ...]:
        """The receiver, if there is one, and the arguments."""
        return self.arguments if self.target is None else (self.target, *self.arguments)

    def children(self) -> Iterator[Node]:
        yield from self.operands()


@dataclass(frozen=True, slots=True)
class List(Node):
    elements: tuple[Node, ...]
    optional: tuple[int, ...]

    def children(self) -> Iterator[Node]:
        yield from self.elements


@dataclass(frozen=True, slots=True)
class Entry:
    number: int
    # The name of a message's field, or the key of a map.
    key: str | Node
    value: Node
    optional: bool


@dataclass(frozen=True, slots=True)
class Struct(Node):
    """A map, or a message where it has a name."""

    name: str
    entries: tuple[Entry, ...]

    def children(self) -> Iterator[Node]:
        for entry in self.entries:
            if isinstance(entry.key, Node):
                yield entry.key
            yield entry.value


@dataclass(frozen=True, slots=True)
class Comprehension(Node):
    """What all(), exists(), exists_one(), map(), filter() and cel.bind() stand for."""

    variable: str
    range: Node
    accumulator: str
    initial: Node
    condition: Node
    step: Node
    result: Node

    def children(self) -> Iterator[Node]:
        yield from (self.range, self.initial, self.condition, self.step, self.result)

    @property
    def binds(self) -> bool:
        """No loop: cel.bind() gives a value a name."""
        return isinstance(self.range, List) and not self.range.elements


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.children())
