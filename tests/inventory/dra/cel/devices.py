"""Devices for tests of selectors."""

from typing import Any

import msgspec

from inventory.dra.cel.selectors import compiled
from inventory.dra.cel.subjects import Subject, subject
from inventory.kube.objects import Device

DRIVER = "gpu.example.com"


def device(
    attributes: dict[str, Any] | None = None, capacity: dict[str, str] | None = None, **fields: Any
) -> Device:
    """Attributes as plain values: a text, a number, a bool, or the one-of as published."""
    published = {
        "name": "gpu-0",
        "attributes": {name: _published(value) for name, value in (attributes or {}).items()},
        "capacity": {name: {"value": value} for name, value in (capacity or {}).items()},
        **fields,
    }
    return msgspec.convert(published, Device)


def _published(value: Any) -> Any:
    if isinstance(value, bool):
        return {"bool": value}
    if isinstance(value, int):
        return {"int": value}
    return {"string": value} if isinstance(value, str) else value


def seen(attributes: dict[str, Any] | None = None, capacity: dict[str, str] | None = None) -> Subject:
    return subject(DRIVER, device(attributes, capacity))


CARD = seen(
    {
        "model": "A100",
        "index": 3,
        "healthy": True,
        "driverVersion": {"version": "550.54.15"},
        "build": {"version": "550.54.15+7"},
        "other.example.com/rack": "r1",
    },
    {"memory": "40Gi", "cores": "100", "other.example.com/links": "1500m"},
)


def matches(expression: str, on: Subject = CARD) -> bool:
    return compiled(expression).matches(on)
