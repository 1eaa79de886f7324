"""A device as selectors see it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from threading import local
from typing import Any

from inventory.dra.cel import encoding
from inventory.dra.cel.engine import AMOUNTS, ATTRIBUTES, CAPACITY, DRIVER, MULTIPLE, engine
from inventory.dra.cel.errors import EvaluationError, SelectorError, UnsupportedError
from inventory.dra.cel.versions import VersionError
from inventory.kube.objects import Device
from inventory.kube.quantity import QuantityError

_INT64 = range(-(2**63), 2**63)
# The members of the one-of, in the order in which upstream looks for them.
_KINDS = ("int", "bool", "string", "version")
# The API's own limit, which the bounds on work rely on.
_LONGEST_TEXT = 64
# Activations take several times the memory of the device, and more with every use.
_KEPT, _USES = 64, 32


class Subject:
    """A device with its driver, for any number of selectors and threads.

    A device that cannot be told to the engine makes every selector on it raise the same error.
    """

    __slots__ = ("_refusal", "_variables")

    def __init__(self, variables: Mapping[str, Any], refusal: SelectorError | None = None) -> None:
        self._variables = variables
        self._refusal = refusal

    def activation(self, *, lasting: bool) -> Any:
        """What a program is evaluated on; a lasting one may serve the next program as well."""
        if self._refusal is not None:
            raise type(self._refusal)(self._refusal.reason)
        return _thread.lasting(self).next() if lasting else self.prepared()

    def prepared(self) -> Any:
        return engine().activation(self._variables)


class _Lasting:
    """An activation that is replaced now and then: the engine keeps a little of every evaluation in it."""

    __slots__ = ("_activation", "_subject", "_uses")

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._activation = subject.prepared()
        self._uses = 0

    def next(self) -> Any:
        self._uses += 1
        if self._uses > _USES:
            self._activation = self._subject.prepared()
            self._uses = 1
        return self._activation


class _Thread(local):
    """The engine looks for what an activation holds in the thread that made it, so each has its own.

    Those of the devices looked at last: whoever asks has several selectors for one device after the other.
    """

    def __init__(self) -> None:
        self.lasting = lru_cache(maxsize=_KEPT)(_Lasting)


_thread = _Thread()


def subject(driver: str, device: Device, *, lists: bool = False) -> Subject:
    """`lists`: whether the scheduler takes attributes that are lists (gate DRAListTypeAttributes)."""
    try:
        attributes = _by_domain(driver, "attribute", _attributes(device, lists=lists))
        capacity = _by_domain(driver, "capacity", _capacity(device, encoding.quantity))
        amounts = _by_domain(driver, "capacity", _capacity(device, encoding.amount))
    except SelectorError as error:
        return Subject({}, error.with_traceback(None))
    return Subject(
        {
            DRIVER: driver,
            ATTRIBUTES: attributes,
            CAPACITY: capacity,
            AMOUNTS: amounts,
            MULTIPLE: bool(device.allow_multiple_allocations),
        }
    )


def _attributes(device: Device, *, lists: bool) -> Iterator[tuple[str, Any]]:
    for name, published in (device.attributes or {}).items():
        yield name, _attribute(name, published, lists=lists)


def _capacity(device: Device, encode: Callable[[str], bytes]) -> Iterator[tuple[str, bytes]]:
    for name, capacity in (device.capacity or {}).items():
        try:
            yield name, encode(capacity.value.strip())
        except QuantityError as error:
            raise UnsupportedError(f"capacity {name}: {error}") from None


def _by_domain(driver: str, what: str, values: Iterable[tuple[str, Any]]) -> dict[str, dict[str, Any]]:
    """A name without a domain belongs to the driver's."""
    domains: dict[str, dict[str, Any]] = {}
    for name, value in values:
        domain, slash, identifier = name.partition("/")
        inside = domains.setdefault(domain if slash else driver, {})
        key = identifier if slash else name
        if key in inside:
            raise UnsupportedError(
                f"{what} {key} is published with and without {driver}/, and the scheduler takes either"
            )
        inside[key] = value
    return domains


def _attribute(name: str, published: Any, *, lists: bool) -> Any:
    """As upstream: the first member of the one-of that is there."""
    if not isinstance(published, dict):
        raise UnsupportedError(f"attribute {name} is no attribute")
    for kind in _KINDS:
        if published.get(kind) is not None:
            return _scalar(name, kind, published[kind])
    if lists:
        for kind in _KINDS:
            if isinstance(published.get(f"{kind}s"), list):
                return [_scalar(name, kind, value) for value in published[f"{kind}s"]]
    raise EvaluationError(f"attribute {name}: unsupported attribute value")


def _scalar(name: str, kind: str, value: Any) -> bool | int | str | bytes:
    if isinstance(value, bool):
        if kind == "bool":
            return value
    elif isinstance(value, int):
        if kind == "int" and value in _INT64:
            return value
    elif isinstance(value, str) and kind in {"string", "version"}:
        return _text(name, value) if kind == "string" else _version(name, value)
    raise UnsupportedError(f"attribute {name} is no {kind}")


def _text(name: str, text: str) -> str:
    if len(text) > _LONGEST_TEXT or len(text.encode()) > _LONGEST_TEXT:
        raise UnsupportedError(f"attribute {name} is longer than {_LONGEST_TEXT} bytes")
    return text


def _version(name: str, text: str) -> bytes:
    try:
        return encoding.version(_text(name, text))
    except VersionError as error:
        raise EvaluationError(f"attribute {name}: parse semantic version: {error}") from None
