"""Claims as the allocator takes them: every request of them, and what binds them together."""

from collections.abc import Iterator, Mapping, Sequence, Sized
from typing import Any

import msgspec

from inventory.kube import claim_spec as wire
from inventory.kube.quantity import Quantity, QuantityError, parse

EXACT_COUNT = "ExactCount"
ALL = "All"
# Limits of the API (DeviceRequestsMaxSize and others): an API server takes no more.
_MOST = {"requests": 32, "firstAvailable": 8, "selectors": 32, "constraints": 32, "tolerations": 16}
MOST_RESULTS = 32
_LONGEST_NAME = 63


class SpecError(ValueError):
    """A claim that an API server would not take; the message says where and why."""


class UnknownFieldError(ValueError):
    """A claim with a field that is not known here: it may change where the claim goes."""


class Request(msgspec.Struct, frozen=True):
    """One request, or one entry of a `firstAvailable`, whose request is then its `parent`."""

    name: str
    device_class: str
    parent: str = ""
    selectors: tuple[str, ...] = ()
    everything: bool = False
    count: int = 1
    admin_access: bool = False
    tolerations: tuple[wire.Toleration, ...] = ()
    capacity: Mapping[str, Quantity] = {}

    @property
    def main(self) -> str:
        """The name that containers and constraints know it by."""
        return self.parent or self.name

    @property
    def result_name(self) -> str:
        """As an allocation result names it."""
        return f"{self.parent}/{self.name}" if self.parent else self.name


class Constraint(msgspec.Struct, frozen=True):
    """On all requests of the claim where it names none."""

    attribute: str
    distinct: bool
    requests: frozenset[str] = frozenset()

    def concerns(self, request: Request) -> bool:
        return not self.requests or request.main in self.requests or request.result_name in self.requests


class Claim(msgspec.Struct, frozen=True):
    """`requests`: of each, the alternatives in their order; only a `firstAvailable` has more than one."""

    namespace: str
    name: str
    requests: tuple[tuple[Request, ...], ...]
    constraints: tuple[Constraint, ...] = ()

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


def claim(namespace: str, name: str, spec: Mapping[str, Any]) -> Claim:
    """A claim from its spec, in the shape of resource.k8s.io/v1.

    Raises SpecError, or UnknownFieldError for a field of another release.
    """
    devices = _typed(spec).devices
    requests = tuple(tuple(_alternatives(one)) for one in devices.requests or ())
    if not requests:
        raise SpecError("spec.devices.requests: a claim without a request asks for nothing")
    _limited("spec.devices", "requests", requests)
    _limited("spec.devices", "constraints", devices.constraints)
    _told_apart("spec.devices.requests", [alternatives[0].main for alternatives in requests])
    known = {one.main for alternatives in requests for one in alternatives}
    known |= {one.result_name for alternatives in requests for one in alternatives}
    constraints = tuple(_constraint(index, one, known) for index, one in enumerate(devices.constraints or ()))
    return Claim(namespace, name, requests, constraints)


def _typed(spec: Mapping[str, Any]) -> wire.ClaimSpec:
    try:
        return msgspec.convert(spec, wire.ClaimSpec)
    except msgspec.ValidationError as error:
        text = f"spec: {str(error).replace('`$.', '`')}"
        unknown = str(error).startswith("Object contains unknown field")
        raise (UnknownFieldError if unknown else SpecError)(text) from error


def _limited(where: str, what: str, listed: Sized | None) -> None:
    if (count := len(listed or ())) > _MOST[what]:
        raise SpecError(f"{where}.{what}: {count} are more than the {_MOST[what]} that an API server takes")


def _told_apart(where: str, names: Sequence[str]) -> None:
    for name in names:
        if not 0 < len(name) <= _LONGEST_NAME:
            raise SpecError(f"{where}: a name has 1 to {_LONGEST_NAME} characters")
        if names.count(name) > 1:
            raise SpecError(f"{where}: two have the name {name}")


def _alternatives(request: wire.Request) -> Iterator[Request]:
    where = f"spec.devices.requests[{request.name}]"
    if (request.exactly is None) == (not request.first_available):
        raise SpecError(f"{where}: expected either exactly or firstAvailable")
    if request.exactly is not None:
        admin = bool(request.exactly.admin_access)
        yield _request(where, request.name, "", request.exactly, admin_access=admin)
    alternatives = request.first_available or ()
    _limited(where, "firstAvailable", alternatives)
    _told_apart(f"{where}.firstAvailable", [inner.name for inner in alternatives])
    for inner in alternatives:
        yield _request(f"{where}.firstAvailable[{inner.name}]", inner.name, request.name, inner)


def _request(
    where: str,
    name: str,
    parent: str,
    asked: wire.ExactRequest | wire.SubRequest,
    *,
    admin_access: bool = False,
) -> Request:
    mode = asked.allocation_mode or EXACT_COUNT
    if mode not in (EXACT_COUNT, ALL):
        raise UnknownFieldError(f"{where}: allocationMode {mode} is not known here")
    if not asked.device_class_name:
        raise SpecError(f"{where}: deviceClassName is missing")
    # The API server writes the default; an older object may lack it.
    count = 1 if asked.count is None or mode == ALL else asked.count
    if count < 1:
        raise SpecError(f"{where}: count {count} is below one")
    _limited(where, "tolerations", asked.tolerations)
    return Request(
        name=name,
        parent=parent,
        device_class=asked.device_class_name,
        selectors=selectors(where, asked.selectors),
        everything=mode == ALL,
        count=count,
        admin_access=admin_access,
        tolerations=tuple(asked.tolerations or ()),
        capacity=_capacity(where, asked.capacity),
    )


def selectors(where: str, listed: list[wire.Selector] | None) -> tuple[str, ...]:
    """The CEL expressions of a request or class.

    Raises SpecError, and UnknownFieldError for a selector of another kind.
    """
    _limited(where, "selectors", listed)
    if any(one.cel is None for one in listed or ()):
        raise UnknownFieldError(f"{where}: a selector that is not CEL is not known here")
    return tuple(one.cel.expression for one in listed or () if one.cel)


def _capacity(where: str, asked: wire.CapacityRequirements | None) -> dict[str, Quantity]:
    found = {}
    for name, amount in ((asked.requests if asked else None) or {}).items():
        try:
            found[name] = parse(str(amount))
        except QuantityError as error:
            raise SpecError(f"{where}.capacity.requests[{name}]: {error}") from error
        if found[name].nanos < 0:
            raise SpecError(f"{where}.capacity.requests[{name}]: {amount} is below zero")
    return found


def _constraint(index: int, published: wire.Constraint, known: set[str]) -> Constraint:
    where = f"spec.devices.constraints[{index}]"
    if (published.match_attribute is None) == (published.distinct_attribute is None):
        raise SpecError(f"{where}: expected either matchAttribute or distinctAttribute")
    if unknown := sorted(set(published.requests or ()) - known):
        raise SpecError(f"{where}: no request is named {', '.join(unknown)}")
    attribute = published.match_attribute or published.distinct_attribute or ""
    if "/" not in attribute:
        raise SpecError(f"{where}: {attribute or 'an empty name'} is no qualified name, expected domain/name")
    return Constraint(
        attribute, published.distinct_attribute is not None, frozenset(published.requests or ())
    )
