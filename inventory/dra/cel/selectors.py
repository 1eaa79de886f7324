"""Device selectors, compiled: what the scheduler finds when it evaluates one on a device."""

from functools import lru_cache
from typing import Any

from inventory.dra.cel import checks, cost, vocabulary, wire
from inventory.dra.cel.ast import Call, Comprehension, Constant, Node, walk
from inventory.dra.cel.engine import Engine, engine, failure
from inventory.dra.cel.errors import CompileError, EvaluationError, SelectorError, UnsupportedError
from inventory.dra.cel.reads import Read, reads
from inventory.dra.cel.rewrite import rewritten
from inventory.dra.cel.statictypes import BOOL, SEMVER, Checked, checked
from inventory.dra.cel.subjects import Subject
from inventory.dra.cel.treewire import encode

# Limit of the API (CELSelectorExpressionMaxLength).
_LONGEST = 10 * 1024
# Up to here, and without a loop, an evaluation leaves next to nothing behind.
_LIGHT_WORK = 50_000
_CACHED = 1024
_LITERALS = ("duration", "timestamp")


class Selector:
    """A compiled expression. Any number of threads may use it at once."""

    __slots__ = ("_is_light", "_program", "expression", "reads")

    def __init__(self, expression: str, program: Any, reads: tuple[Read, ...], *, is_light: bool) -> None:
        self.expression, self.reads = expression, reads
        self._program = program
        self._is_light = is_light

    def matches(self, subject: Subject) -> bool:
        """Raises EvaluationError or UnsupportedError."""
        activation = subject.activation(lasting=self._is_light)
        try:
            outcome = self._program.eval(activation)
            result = outcome.value()
        except RuntimeError as error:
            raise UnsupportedError(failure(str(error))) from None
        if result is True or result is False:
            return result
        raise _not_a_bool(outcome.type().name(), result)


def compiled(expression: str) -> Selector:
    """Raises CompileError or UnsupportedError; the same for every caller, at the cost of one."""
    try:
        size = len(expression.encode())
    except UnicodeEncodeError:
        raise CompileError("a character that no text can hold") from None
    if size > _LONGEST:
        raise CompileError(f"longer than {_LONGEST} bytes")
    outcome = _outcome(expression)
    if isinstance(outcome, Selector):
        return outcome
    kind, reason = outcome
    raise kind(reason)


def complaint(expression: str) -> str:
    """What an API server says of an expression that does not compile, on several lines; empty if it does."""
    return engine().complaint(expression)


@lru_cache(maxsize=_CACHED)
def _outcome(expression: str) -> Selector | tuple[type[SelectorError], str]:
    try:
        return _compiled(engine(), expression)
    except SelectorError as error:
        return type(error), error.reason
    except RecursionError:
        return UnsupportedError, "the expression is nested too deeply"


def _compiled(cel: Engine, expression: str) -> Selector:
    vocabulary.check_names(_read(cel.parse(expression)))
    tree = _read(cel.check(expression))
    checks.check(tree)
    work = cost.work(tree)
    largest = max(node.number for node in walk(tree.root))
    program = cel.program(_serialized(rewritten(tree, largest + 1), tree.source))
    _check_literals(cel, tree)
    _prepare(program, cel)
    return Selector(expression, program, reads(tree.root), is_light=work <= _LIGHT_WORK and not _loops(tree))


def _loops(tree: Checked) -> bool:
    return any(isinstance(node, Comprehension) and not node.binds for node in walk(tree.root))


def _read(serialized: bytes) -> Checked:
    try:
        return checked(serialized)
    except ValueError as error:
        raise UnsupportedError(f"{error} is not evaluated here") from None


def _serialized(tree: Node, source: bytes) -> bytes:
    """Without types and overloads: the engine then goes by the values that it meets."""
    expression = wire.message([wire.chunk(4, encode(tree)), wire.chunk(5, source)])
    name = "type.googleapis.com/cel.expr.CheckedExpr"
    return wire.message([wire.chunk(1, name), wire.chunk(2, expression)])


def _check_literals(cel: Engine, tree: Checked) -> None:
    """As upstream, a duration or a point in time that is written out is read once, on compiling."""
    for node in walk(tree.root):
        if isinstance(node, Call) and node.function in _LITERALS and isinstance(node.arguments[0], Constant):
            program = cel.program(_serialized(node, tree.source))
            outcome = program.eval(cel.activation({}))
            if outcome.type().name() == "ERROR":
                raise CompileError(f"{tree.place(node)}: invalid {node.function} argument")


def _prepare(program: Any, cel: Engine) -> None:
    """The engine builds the program on its first run: before any thread shares it."""
    try:
        program.eval(cel.activation({}))
    except RuntimeError as error:
        raise UnsupportedError(failure(str(error))) from None


def _not_a_bool(kind: str, result: Any) -> SelectorError:
    if kind == "ERROR":
        reason = failure(str(result))
        if reason.startswith(UnsupportedError.prefix):
            return UnsupportedError(reason.removeprefix(UnsupportedError.prefix))
        return EvaluationError(reason)
    # Of what is published, only versions travel as bytes.
    name = str(SEMVER) if kind == "BYTES" else kind.partition("<")[0].partition("(")[0].lower()
    return EvaluationError(
        f"CEL result of type {name} could not be converted to {BOOL}: "
        f"unsupported native conversion from {name} to 'bool'"
    )
