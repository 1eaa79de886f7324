"""Whether something taken from JSON has the shape of a type."""

from functools import cache
from typing import Any

import msgspec


def mismatch(value: Any, shape: Any) -> str:
    """Why `value` is not of the shape; empty if it is."""
    try:
        # By way of JSON, so that a number kept as written is judged as the number it is.
        _decoder(shape).decode(msgspec.json.encode(value))
    except msgspec.ValidationError as error:
        return str(error)
    return ""


def as_json(value: Any, longest: int) -> str:
    """Its JSON text, cut."""
    return msgspec.json.encode(value).decode()[:longest]


@cache
def _decoder(shape: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(shape)
