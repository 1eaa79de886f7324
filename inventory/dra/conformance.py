"""Answers of the real scheduler beside ours: vectors that anybody can record and send.

A file is a JSON object with `cases`. Of the allocator: one node, device classes, resource slices and claims;
the claims without an allocation are to be placed; `expect` says whether they fit, with which results, or that
the scheduler gives up with an error. Of selectors: one device for all, and of each expression its result.
Of consumed capacity: what a device publishes of a dimension, what is asked for, and what it consumes.

`release` says of which scheduler the answers are, `gates` which feature gates were on besides its defaults.
Selectors and amounts are always those of the newest release that is followed.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from inventory.dra.cel.errors import CompileError, EvaluationError, UnsupportedError
from inventory.dra.cel.selectors import compiled
from inventory.dra.cel.subjects import subject
from inventory.dra.features import GATES
from inventory.dra.simulator.allocated import allocated
from inventory.dra.simulator.allocator import Placement
from inventory.dra.simulator.capacity import dimension, needed, violation
from inventory.dra.simulator.claims import Claim, SpecError, UnknownFieldError, claim
from inventory.dra.simulator.classes import class_selectors
from inventory.dra.simulator.node_pools import Slices, published
from inventory.dra.simulator.nodes import Node
from inventory.dra.simulator.rules import Rules, rules_of
from inventory.dra.simulator.selection import Matches, Selection
from inventory.dra.simulator.simulate import Answer, Cluster, simulate
from inventory.kube.claim_spec import Toleration
from inventory.kube.objects import (
    Capacity,
    Device,
    DeviceClass,
    RequestPolicy,
    ResourceClaim,
    ResourceSlice,
    ValidRange,
)
from inventory.kube.objects import Node as NodeObject
from inventory.kube.quantity import QuantityError, parse


class VectorError(ValueError):
    """A case that cannot be read; the message says where."""


class Outcome(msgspec.Struct, frozen=True):
    """One case: what was expected and what came out, in words; the two are equal where we agree."""

    name: str
    expected: str
    found: str

    @property
    def agrees(self) -> bool:
        return self.expected == self.found


def _convert(value: Any, type_: Any, where: str) -> Any:
    try:
        return msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
        raise VectorError(f"{where}: {error}") from error


# Allocator


class _Result(msgspec.Struct, frozen=True, rename="camel"):
    request: str
    driver: str
    pool: str
    device: str
    share_id: str | None = msgspec.field(default=None, name="shareID")
    consumed_capacity: dict[str, Any] = {}
    admin_access: bool = False
    tolerations: list[Toleration] = []


class _Expected(msgspec.Struct, frozen=True):
    """Without `results`, only whether it fits is compared."""

    fits: bool
    error: str | None = None
    results: list[_Result] | None = None


class _AllocatorCase(msgspec.Struct, frozen=True):
    name: str
    node: NodeObject
    classes: list[DeviceClass]
    slices: list[ResourceSlice]
    claims: list[ResourceClaim]
    expect: _Expected


def allocator(vectors: Mapping[str, Any]) -> Iterator[Outcome]:
    """Raises VectorError."""
    rules, lists = _rules(vectors), _LIST_ATTRIBUTES in _gates(vectors)
    for index, raw in enumerate(_cases(vectors)):
        case: _AllocatorCase = _convert(raw, _AllocatorCase, f"case {index}")
        try:
            expected = _told(case.expect)
        except QuantityError as error:
            raise VectorError(f"case {index}, expect: {error}") from error
        yield Outcome(case.name, expected, _simulated(case, rules, lists=lists))


def _told(expected: _Expected) -> str:
    if expected.error:
        return _ERROR
    if not expected.fits:
        return _NO_FIT
    return _FITS if expected.results is None else _lines(map(_result, expected.results))


_ERROR, _FITS, _NO_FIT, _REFUSED = "error", "fits", "does not fit", "refused"
_CANNOT = "cannot simulate: "


def _simulated(case: _AllocatorCase, rules: Rules, *, lists: bool) -> str:
    held = [one for one in case.claims if one.status and one.status.allocation]
    results = [
        result
        for one in held
        if one.status and one.status.allocation
        for result in one.status.allocation.results()
    ]
    metadata = case.node.metadata
    spec = case.node.spec
    node = Node(
        metadata.name,
        metadata.labels or {},
        tuple(spec.taints or ()) if spec else (),
        bool(spec and spec.unschedulable),
    )
    try:
        claims = [_claim(one) for one in case.claims if not (one.status and one.status.allocation)]
        classes = {one.metadata.name: class_selectors(one.metadata.name, one.spec) for one in case.classes}
    except (SpecError, UnknownFieldError) as error:
        return f"{_CANNOT}{error}"
    cluster = Cluster(
        Slices(published(one, lists=lists) for one in case.slices),
        allocated(results, shares=rules.consumable_capacity),
        classes,
        {node.name: node},
        rules,
        Matches(),
    )
    (answer,) = simulate(cluster, claims, [node], Selection(classes, cluster.matches))
    return _answered(answer, case.expect)


def _claim(one: ResourceClaim) -> Claim:
    return claim(one.metadata.namespace, one.metadata.name, one.spec)


def _answered(answer: Answer, expected: _Expected) -> str:
    if answer.doubt is not None:
        return _CANNOT + str(answer.doubt).removeprefix(_CANNOT)
    if answer.attempt is None or answer.attempt.error:
        return _ERROR
    placements = answer.attempt.placements
    if placements is None:
        return _NO_FIT
    return _FITS if expected.fits and expected.results is None else _lines(map(_placement, placements))


def _result(result: _Result) -> str:
    consumed = {name: parse(str(amount)) for name, amount in result.consumed_capacity.items()}
    device = f"{result.driver}/{result.pool}/{result.device}"
    return _line(
        result.request, device, result.share_id is not None, consumed, result.admin_access, result.tolerations
    )


def _placement(placement: Placement) -> str:
    return _line(
        placement.request,
        str(placement.candidate.id),
        placement.shared,
        placement.consumed or {},
        placement.admin_access,
        placement.tolerations,
    )


def _line(
    request: str,
    device: str,
    shared: bool,  # noqa: FBT001
    consumed: Mapping[str, Any],
    admin_access: bool,  # noqa: FBT001
    tolerations: Iterable[Toleration],
) -> str:
    amounts = ", ".join(f"{name} {consumed[name]}" for name in sorted(consumed))
    parts = [
        f"{request} → {device}",
        "shared" if shared else "",
        amounts,
        "admin access" if admin_access else "",
        *map(_toleration, tolerations),
    ]
    return ", ".join(part for part in parts if part)


def _toleration(one: Toleration) -> str:
    compared = f"{one.key} {one.operator} {one.value}".strip()
    seconds = "" if one.toleration_seconds is None else f" for {one.toleration_seconds} s"
    return f"tolerates {compared}:{one.effect}{seconds}"


def _lines(results: Iterator[str]) -> str:
    return "; ".join(results)


# Selectors


class _CelCase(msgspec.Struct, frozen=True):
    expression: str
    result: str


def cel(vectors: Mapping[str, Any]) -> Iterator[Outcome]:
    """Raises VectorError."""
    device = subject(
        _convert(vectors.get("driver"), str, "driver"),
        _convert(vectors.get("device"), Device, "device"),
        lists=_LIST_ATTRIBUTES in _gates(vectors),
    )
    for index, raw in enumerate(_cases(vectors)):
        case: _CelCase = _convert(raw, _CelCase, f"case {index}")
        expected = case.result if case.result in ("true", "false") else _ERROR
        yield Outcome(case.expression, expected, _evaluated(case.expression, device))


def _evaluated(expression: str, device: Any) -> str:
    try:
        return "true" if compiled(expression).matches(device) else "false"
    except (CompileError, EvaluationError):
        return _ERROR
    except UnsupportedError as error:
        return f"{_CANNOT}{error.reason}"


# Consumed capacity


class _Policy(msgspec.Struct, frozen=True, rename="camel"):
    value: str
    default: str | None = None
    min: str | None = None
    max: str | None = None
    step: str | None = None
    valid_values: list[str] | None = None


class _CapacityCase(msgspec.Struct, frozen=True):
    policy: _Policy
    request: str | None
    # None: the policy refuses the request.
    consumed: str | None
    why: str = ""


def consumed_capacity(vectors: Mapping[str, Any]) -> Iterator[Outcome]:
    """Raises VectorError."""
    for index, raw in enumerate(_cases(vectors)):
        case: _CapacityCase = _convert(raw, _CapacityCase, f"case {index}")
        try:
            expected, found = _consumed(case)
        except QuantityError as error:
            raise VectorError(f"case {index}: {error}") from error
        yield Outcome(case.why or f"case {index}", expected, found)


def _consumed(case: _CapacityCase) -> tuple[str, str]:
    published = dimension(_capacity(case.policy))
    need = needed(published, None if case.request is None else parse(case.request))
    expected = _REFUSED if case.consumed is None else str(parse(case.consumed))
    return expected, _REFUSED if violation(published, need) else str(need)


def _capacity(policy: _Policy) -> Capacity:
    ranged = None if policy.min is None else ValidRange(policy.min, policy.max, policy.step)
    none = policy.default is None and ranged is None and policy.valid_values is None
    return Capacity(
        policy.value, None if none else RequestPolicy(policy.default, policy.valid_values, ranged)
    )


def _cases(vectors: Mapping[str, Any]) -> list[Any]:
    found = vectors.get("cases")
    if not isinstance(found, list):
        raise VectorError("expected an object with a list `cases`")
    return found


# Of the answers where the file does not say.
_RELEASE = "1.36"
# Off by default, and of no concern to the books.
_LIST_ATTRIBUTES = "DRAListTypeAttributes"


def _rules(vectors: Mapping[str, Any]) -> Rules:
    written = str(vectors.get("release", _RELEASE))
    read = re.fullmatch(r"v?(\d{1,3})\.(\d{1,3})(\..*)?", written)
    if read is None:
        raise VectorError(f"release: {written} is none; expected one such as {_RELEASE}")
    named = _gates(vectors)
    return rules_of((int(read[1]), int(read[2])), [gate for gate in GATES if gate.name in named])


def _gates(vectors: Mapping[str, Any]) -> set[str]:
    named = set(_convert(vectors.get("gates", []), list[str], "gates"))
    known = {_LIST_ATTRIBUTES, *(gate.name for gate in GATES)}
    if unknown := sorted(named - known):
        raise VectorError(f"gates: {', '.join(unknown)}: known are {', '.join(sorted(known))}")
    return named


KINDS: Mapping[str, Callable[[Mapping[str, Any]], Iterator[Outcome]]] = {
    "allocator": allocator,
    "cel": cel,
    "consumed-capacity": consumed_capacity,
}
