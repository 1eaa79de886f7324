"""The static type of the result: bool, or what upstream calls the unknown type of an attribute."""

from collections.abc import Mapping

from inventory.dra.cel.ast import Call, Comprehension, Ident, Node, Select
from inventory.dra.cel.errors import CompileError, UnsupportedError
from inventory.dra.cel.statictypes import ATTRIBUTES, BOOL, DYN, Checked

_LOOKUPS = frozenset({"_[_]", "_[?_]", "_?._"})
_PASSED_ON = {"_?_:_": slice(1, None), "orValue": slice(None), "or": slice(None), "value": slice(None)}


def check_result(checked: Checked) -> None:
    """Raises CompileError, or UnsupportedError where upstream's type is not known here."""
    kind = checked.type(checked.root)
    if kind == BOOL or (kind == DYN and _is_attribute(checked, checked.root, {})):
        return
    if kind == DYN and not isinstance(checked.root, Call):
        raise UnsupportedError("an expression whose result is of no known type")
    raise CompileError(f"must evaluate to bool or the unknown type, not {kind}")


def _is_attribute(checked: Checked, node: Node, bound: Mapping[str, bool]) -> bool:
    """Whether upstream's checker says `any`, the type of attributes, and not `dyn`."""
    match node:
        case Ident():
            return bound.get(node.name, False)
        case Select():
            return checked.type(node.operand) == ATTRIBUTES
        case Call() if node.function in _LOOKUPS:
            return checked.type(node.operands()[0]) == ATTRIBUTES
        case Call() if node.function in _PASSED_ON:
            passed = node.operands()[_PASSED_ON[node.function]]
            return any(_is_attribute(checked, operand, bound) for operand in passed)
        case Comprehension() if node.binds:
            initial = _is_attribute(checked, node.initial, bound)
            return _is_attribute(checked, node.result, {**bound, node.accumulator: initial})
    return False
