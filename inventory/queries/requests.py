"""What a claim asks for, read from its spec as the API server keeps it."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from inventory.kube.objects import Wire


class _Cel(Wire, frozen=True):
    expression: str = ""


class _Selector(Wire, frozen=True):
    cel: _Cel | None = None


class _Capacity(Wire, frozen=True):
    requests: dict[str, Any] | None = None


class _Request(Wire, frozen=True):
    """A request of one kind of device: `exactly`, or one entry of `firstAvailable`."""

    name: str = ""
    device_class_name: str = ""
    selectors: list[_Selector] | None = None
    allocation_mode: str = ""
    count: int | None = None
    admin_access: bool | None = None
    capacity: _Capacity | None = None


class _Outer(Wire, frozen=True):
    name: str
    exactly: _Request | None = None
    first_available: list[_Request] | None = None


class RequestRow(msgspec.Struct, frozen=True):
    """One request; the entries of a `firstAvailable` are rows of their own, named `request/subrequest`.

    `capacity` is the quantity asked for in each dimension, as written.
    """

    name: str
    device_class: str | None
    allocation_mode: str
    count: int | None
    admin_access: bool
    selectors: tuple[str, ...]
    capacity: dict[str, str]


def requests(spec: Mapping[str, Any]) -> tuple[RequestRow, ...]:
    """The requests of a claim spec in its order; one that cannot be read is left out."""
    return tuple(_rows(spec))


def device_class(spec: Mapping[str, Any], request: str) -> str | None:
    """The class that a result's request names; None where the spec has no such request."""
    return next((row.device_class for row in _rows(spec) if row.name == request), None)


def expressions(selectors: Any) -> tuple[str, ...]:
    """The CEL expressions of a list of selectors."""
    try:
        return _expressions(msgspec.convert(selectors or [], list[_Selector]))
    except msgspec.ValidationError:
        return ()


def _rows(spec: Mapping[str, Any]) -> Iterator[RequestRow]:
    devices = spec.get("devices")
    listed = devices.get("requests") if isinstance(devices, dict) else None
    for raw in listed if isinstance(listed, list) else ():
        try:
            outer = msgspec.convert(raw, _Outer)
        except msgspec.ValidationError:
            continue
        if outer.exactly is not None:
            yield _row(outer.name, outer.exactly)
        for inner in outer.first_available or ():
            yield _row(f"{outer.name}/{inner.name}", inner)


def _row(name: str, request: _Request) -> RequestRow:
    mode = request.allocation_mode or "ExactCount"
    asked = (request.capacity.requests if request.capacity else None) or {}
    return RequestRow(
        name=name,
        device_class=request.device_class_name or None,
        allocation_mode=mode,
        # The API server writes the default; an older object may lack it.
        count=None if mode == "All" else request.count or 1,
        admin_access=bool(request.admin_access),
        selectors=_expressions(request.selectors or []),
        capacity={dimension: str(quantity) for dimension, quantity in asked.items()},
    )


def _expressions(selectors: list[_Selector]) -> tuple[str, ...]:
    return tuple(selector.cel.expression for selector in selectors if selector.cel)
