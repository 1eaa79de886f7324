"""The CEL engine: a checker with the types of Kubernetes, and a runtime with values that it takes."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from inventory.dra.cel import declarations, functions
from inventory.dra.cel.errors import CompileError, UnsupportedError
from inventory.dra.cel.statictypes import QUANTITY

try:
    from cel_expr_python import cel
    from cel_expr_python.ext import ext_bindings, ext_optional, ext_strings
except ImportError:  # No wheel for this platform or this Python.
    INSTALLED = False
else:
    INSTALLED = True

DRIVER, ATTRIBUTES, CAPACITY = "device.driver", "device.attributes", "device.capacity"
# The capacity once more, with how each quantity is held.
AMOUNTS = "device.amounts"
MULTIPLE = "device.allowMultipleAllocations"
# Fields of `device`.
FIELDS = tuple(variable.removeprefix("device.") for variable in (DRIVER, ATTRIBUTES, CAPACITY, MULTIPLE))

_CHECKED = b"type.googleapis.com/cel.expr.CheckedExpr"


class Engine:
    """Any number of threads may use it at once."""

    def __init__(self) -> None:
        self._checker = _checker()
        self._runtime = _runtime()

    def parse(self, expression: str) -> bytes:
        """The syntax alone, serialized. Raises CompileError."""
        return self._compile(expression, disable_check=True)

    def check(self, expression: str) -> bytes:
        """The tree with its types, serialized. Raises CompileError."""
        return self._compile(expression, disable_check=False)

    def complaint(self, expression: str) -> str:
        """All that the compiler says, with its marks under the text; empty where it takes the expression."""
        for disable_check in (True, False):
            try:
                self._checker.compile(expression, disable_check=disable_check)
            except RuntimeError as error:
                return str(error).removeprefix("INVALID_ARGUMENT: ").removesuffix(" [INVALID_ARGUMENT]")
        return ""

    def program(self, tree: bytes) -> Any:
        """Something with `eval(activation)`, from a serialized cel.expr.CheckedExpr without types."""
        try:
            return self._runtime.deserialize(tree)
        except RuntimeError as error:
            raise UnsupportedError(_line(str(error))) from None

    def activation(self, variables: Mapping[str, Any]) -> Any:
        return self._runtime.Activation(variables)

    def _compile(self, expression: str, *, disable_check: bool) -> bytes:
        try:
            compiled = self._checker.compile(expression, disable_check=disable_check)
        except RuntimeError as error:
            reason = _line(str(error))
        else:
            return bytes(compiled.serialize())
        # The engine's own limit, far below upstream's.
        if "recursion" in reason:
            raise UnsupportedError("the expression is nested too deeply")
        raise CompileError(reason)


@lru_cache(maxsize=1)
def engine() -> Engine:
    if not INSTALLED:
        raise UnsupportedError("no CEL engine is installed on this platform")
    return Engine()


def failure(text: str) -> str:
    """What went wrong at run time, in the words of the scheduler where it has its own."""
    code, separator, reason = text.partition(" [")[0].partition(": ")
    reason = reason if separator and code.isupper() else text
    if reason.startswith(_MISSING):
        return "no such key: " + reason.removeprefix(_MISSING).strip('"')
    for theirs, ours in _WORDINGS:
        if reason.startswith(theirs):
            detail = _ours(reason.removeprefix(theirs).strip(' :"').partition(" size=")[0])
            return ours + detail if ours.endswith(": ") else ours
    return reason


def _ours(signature: str) -> str:
    """Without the marks of our own functions and disguises."""
    return signature.replace("@", "").replace("int64", "int").replace("bytes", "version")


_MISSING = "Key not found in map : "
_WORDINGS = (
    ("Index error: index=", "index out of bounds: "),
    (
        "No matching overloads found : <iter_range>",
        "no such overload: the range of a macro is no list and no map",
    ),
    ("No matching overloads found : <jump_condition>", "no such overload: the condition of ?: is no bool"),
    ("No matching overloads found : @plain", "no such overload: a version has no size, no order and no text"),
    ("No matching overloads found", "no such overload: "),
    ("Applying SELECT to non-message type", "no such key: a field of a value that has none"),
    ("divide by zero", "division by zero"),
)


def _line(message: str) -> str:
    """The first complaint of the compiler, on one line, with its line and column."""
    first = message.partition("\n")[0].removeprefix("INVALID_ARGUMENT: ").removeprefix("ERROR: <input>:")
    for noise in (" [INVALID_ARGUMENT]", " (in container '')", " expecting {"):
        first = first.partition(noise)[0]
    return first[:300]


def _checker() -> Any:
    text = cel.Type.STRING
    by_domain = {
        ATTRIBUTES: cel.Type.DYN,
        CAPACITY: cel.Type.AbstractType(str(QUANTITY)),
    }
    return cel.NewEnv(
        config=cel.NewEnvConfigFromYaml(declarations.configuration()),
        variables={
            DRIVER: text,
            MULTIPLE: cel.Type.BOOL,
            **{name: cel.Type.Map(text, cel.Type.Map(text, kind)) for name, kind in by_domain.items()},
        },
        extensions=[ext_bindings.ExtBindings(), ext_optional.ExtOptional()],
    )


def _runtime() -> Any:
    text = cel.Type.STRING
    by_domain = cel.Type.Map(text, cel.Type.Map(text, cel.Type.DYN))
    overloads: dict[str, list[Any]] = {}
    for one in functions.implementations():
        overloads.setdefault(one.name, []).append(
            cel.Overload(
                f"{one.name}:{','.join(one.parameters)}",
                return_type=getattr(cel.Type, one.result),
                parameters=[getattr(cel.Type, kind) for kind in one.parameters],
                is_member=one.member,
                impl=one.run,
            )
        )
    return cel.NewEnv(
        variables={
            DRIVER: text,
            MULTIPLE: cel.Type.BOOL,
            **dict.fromkeys((ATTRIBUTES, CAPACITY, AMOUNTS), by_domain),
        },
        extensions=[ext_bindings.ExtBindings(), ext_optional.ExtOptional(), ext_strings.ExtStrings(2)],
        functions=[cel.FunctionDecl(name, declared) for name, declared in overloads.items()],
    )
