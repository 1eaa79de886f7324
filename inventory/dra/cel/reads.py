"""Which attributes and capacities an expression looks at, as far as they are written out."""

from collections.abc import Iterator

import msgspec

from inventory.dra.cel.ast import Call, Constant, Ident, Node, Select, walk

_MAPS = {"device.attributes": "attributes", "device.capacity": "capacity"}


class Read(msgspec.Struct, frozen=True):
    """`of` is attributes or capacity."""

    of: str
    domain: str
    name: str


def reads(root: Node) -> tuple[Read, ...]:
    """In the order of the expression, each once."""
    found = sorted(_reads(root), key=lambda one: one[0].number)
    return tuple(dict.fromkeys(read for _, read in found))


def _reads(root: Node) -> Iterator[tuple[Node, Read]]:
    for node in walk(root):
        if isinstance(node, Select):
            operand, name = node.operand, node.field
        elif isinstance(node, Call) and node.function == "_[_]":
            operand, key = node.arguments
            name = (isinstance(key, Constant) and key.text) or ""
        else:
            continue
        domain = _domain(operand)
        if domain is not None and name:
            yield node, Read(*domain, name)


def _domain(node: Node) -> tuple[str, str] | None:
    """`device.attributes["gpu.example.com"]`."""
    if not isinstance(node, Call) or node.function != "_[_]":
        return None
    outer, key = node.arguments
    if not isinstance(outer, Ident) or outer.name not in _MAPS or not isinstance(key, Constant):
        return None
    return None if key.text is None else (_MAPS[outer.name], key.text)
