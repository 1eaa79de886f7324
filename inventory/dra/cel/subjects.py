"""A device as selectors see it."""

from collections.abc import Mapping
from typing import Any

from inventory.dra.cel import amounts, encoding, versions
from inventory.dra.cel.engine import ATTRIBUTES, CAPACITY, DRIVER, MULTIPLE, engine
from inventory.dra.cel.errors import EvaluationError, SelectorError, UnsupportedError
from inventory.kube.objects import Device
from inventory.kube.quantity import QuantityError

_INT64 = range(-(2**63), 2**63)
# The API's own limit, which the bounds on work rely on.
_LONGEST_TEXT = 64
# What the engine needs in one evaluation stays with the activation: a little each time.
_USES = 32


class Subject:
    """A device with its driver, for any number of selectors and threads.

    A device that cannot be told to the engine makes every selector on it raise the same error.
    """

    __slots__ = ("_activation", "_refusal", "_uses", "_variables")

    def __init__(self, variables: Mapping[str, Any], refusal: SelectorError | None = None) -> None:
        self._variables = variables
        self._refusal = refusal
        self._activation: Any = None
        self._uses = 0

    def activation(self, *, lasting: bool) -> Any:
        """What a program is evaluated on; a lasting one is kept for the next program."""
        if self._refusal is not None:
            raise type(self._refusal)(self._refusal.reason)
        if not lasting:
            return engine().activation(self._variables)
        activation = self._activation
        if activation is None or self._uses >= _USES:
            activation = self._activation = engine().activation(self._variables)
            self._uses = 0
        self._uses += 1
        return activation


def subject(driver: str, device: Device, *, lists: bool = False) -> Subject:
    """`lists`: whether the scheduler takes attributes that are lists (gate DRAListTypeAttributes)."""
    try:
        attributes = _by_domain(driver, "attribute", _attributes(device, lists=lists))
        capacity = _by_domain(driver, "capacity", _capacity(device))
    except SelectorError as error:
        return Subject({}, error.with_traceback(None))
    return Subject(
        {
            DRIVER: driver,
            ATTRIBUTES: attributes,
            CAPACITY: capacity,
            MULTIPLE: bool(device.allow_multiple_allocations),
        }
    )


def _attributes(device: Device, *, lists: bool) -> dict[str, Any]:
    return {
        name: _attribute(f"attribute {name}", published, lists=lists)
        for name, published in (device.attributes or {}).items()
    }


def _capacity(device: Device) -> dict[str, bytes]:
    return {name: _amount(name, capacity.value) for name, capacity in (device.capacity or {}).items()}


def _by_domain(driver: str, what: str, values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """A name without a domain belongs to the driver's."""
    domains: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        domain, slash, identifier = name.partition("/")
        inside = domains.setdefault(domain if slash else driver, {})
        key = identifier if slash else name
        if key in inside:
            raise UnsupportedError(
                f"{what} {key} is published with and without {driver}/, and the scheduler takes either"
            )
        inside[key] = value
    return domains


def _attribute(what: str, published: Any, *, lists: bool) -> Any:
    """As upstream: the first member of the one-of that is there."""
    if not isinstance(published, Mapping):
        raise UnsupportedError(f"{what} is no attribute")
    for kind in ("int", "bool", "string", "version"):
        if published.get(kind) is not None:
            return _scalar(what, kind, published[kind])
    if lists:
        for kind in ("int", "bool", "string", "version"):
            if isinstance(published.get(f"{kind}s"), list):
                return [_scalar(what, kind, value) for value in published[f"{kind}s"]]
    raise EvaluationError(f"{what}: unsupported attribute value")


def _scalar(what: str, kind: str, value: Any) -> bool | int | str | bytes:
    if kind == "int" and isinstance(value, int) and not isinstance(value, bool) and value in _INT64:
        return value
    if kind == "bool" and isinstance(value, bool):
        return value
    if isinstance(value, str) and len(value.encode()) > _LONGEST_TEXT:
        raise UnsupportedError(f"{what} is longer than {_LONGEST_TEXT} bytes")
    if kind == "string" and isinstance(value, str):
        return value
    if kind == "version" and isinstance(value, str):
        return _version(what, value)
    raise UnsupportedError(f"{what} is no {kind}")


def _version(what: str, text: str) -> bytes:
    try:
        return encoding.of_version(versions.parse(text))
    except versions.VersionError as error:
        raise EvaluationError(f"{what}: parse semantic version: {error}") from None


def _amount(name: str, text: str) -> bytes:
    try:
        return encoding.of_amount(amounts.parse(text.strip()))
    except QuantityError as error:
        raise UnsupportedError(f"capacity {name}: {error}") from None
