"""Rows as they go over the wire: exact numbers, UTC times, names as in the row types."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from inventory.kube.quantity import Quantity

# Decimals print as JSON numbers digit by digit, never by way of a float.
_ENCODER = msgspec.json.Encoder(decimal_format="number")


def wire(value: Any) -> Any:
    """A row, or anything in one, as plain mappings and lists of what JSON has."""
    if isinstance(value, Quantity):
        return {"quantity": str(value), "value": value.as_decimal()}
    if isinstance(value, msgspec.Struct):
        return {name: wire(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, Mapping):
        return {key: wire(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [wire(one) for one in value]
    return value


def encode(value: Any) -> bytes:
    """JSON of what `wire` gives."""
    return _ENCODER.encode(value)


def wire_time(instant: datetime) -> str:
    """As in a body."""
    return encode(instant).decode().strip('"')
