"""The names in an expression: what upstream knows and we do not evaluate, apart from what nobody knows."""

from collections.abc import Iterator

from inventory.dra.cel.ast import Call, Comprehension, Ident, Node, Select, Struct, walk
from inventory.dra.cel.engine import FIELDS
from inventory.dra.cel.errors import CompileError, UnsupportedError
from inventory.dra.cel.statictypes import Checked

_DEVICE = "device"
# Libraries of Kubernetes 1.36 by what they are for.
_NOT_EVALUATED = frozenset(
    {
        *("url", "isURL", "getScheme", "getHost", "getHostname", "getPort", "getEscapedPath", "getQuery"),
        *("ip", "isIP", "ip.isCanonical", "isCanonical", "family", "isUnspecified", "isLoopback"),
        *("isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast"),
        *("cidr", "isCIDR", "containsIP", "containsCIDR", "prefixLength", "masked"),
        *(
            "path",
            "group",
            "serviceAccount",
            "resource",
            "subresource",
            "namespace",
            "name",
            "check",
            "allowed",
        ),
        *("reason", "errored", "error", "fieldSelector", "labelSelector"),
        *("image", "isImage", "containsDigest", "registry", "repository", "tag", "identifier", "digest"),
        *("distinct", "flatten", "range", "reverse", "slice", "sort", "sortBy", "@sortByAssociatedKeys"),
        *("first", "last", "unwrap", "unwrapOpt", "existsOne"),
        *("transformList", "transformMap", "transformMapEntry"),
        *("validate", "named", "mul", "div", "divInt"),
    }
)
_FORMATS = "format"
_MACROS_OF_TWO = frozenset({"all", "exists", "exists_one"})


def check_names(parsed: Checked) -> None:
    """Raises CompileError or UnsupportedError; a name that it lets through is left to the checker."""
    for node in walk(parsed.root):
        if isinstance(node, Call):
            _check_call(node)
        elif isinstance(node, Struct) and node.name:
            raise UnsupportedError(f"the message {node.name} is not evaluated here")
        elif isinstance(node, Comprehension) and _DEVICE in (node.variable, node.accumulator):
            raise UnsupportedError("a variable of a macro that hides `device` is not evaluated here")
        elif isinstance(node, Select):
            _check_field(parsed, node)
    for node in _bare(parsed.root):
        raise UnsupportedError(f"`device` as a value ({parsed.place(node)}) is not evaluated here")


def _check_call(call: Call) -> None:
    if call.function in _NOT_EVALUATED or _is_format_name(call):
        raise UnsupportedError(f"{call.function}() is not evaluated here")
    if call.function in _MACROS_OF_TWO and len(call.arguments) == 3:
        raise UnsupportedError(f"{call.function}() with two variables is not evaluated here")


def _is_format_name(call: Call) -> bool:
    return isinstance(call.target, Ident) and call.target.name == _FORMATS


def _check_field(parsed: Checked, select: Select) -> None:
    if not isinstance(select.operand, Ident) or select.operand.name != _DEVICE:
        return
    if select.field not in FIELDS:
        raise CompileError(f"{parsed.place(select)}: undefined field '{select.field}'")
    if select.present:
        raise UnsupportedError(f"has(device.{select.field}) is not evaluated here")


def _bare(root: Node) -> Iterator[Node]:
    """Every `device` that no field is taken of."""
    selected = {id(node.operand) for node in walk(root) if isinstance(node, Select)}
    return (
        node
        for node in walk(root)
        if isinstance(node, Ident) and node.name == _DEVICE and id(node) not in selected
    )
