"""What gopkg.in/yaml.v3 makes of a document that is decoded into a Go type, with its complaints.

A complaint names the line, and of a document that came as values there is only one.
"""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from inventory.hami.webhook.go import well_formed

_LONGEST_QUOTED, _QUOTED = 10, 7
_TRUE, _FALSE = ("y", "Y", "yes", "on"), ("n", "N", "no", "off")


class MismatchError(ValueError):
    """A value of another type."""


class Decoder:
    """Gives the value of each field, None where it is null or of another type, and gathers the complaints."""

    def __init__(self) -> None:
        self.complaints: list[str] = []

    def read(self, value: Any, reader: "Reader") -> Any:
        if value is None:
            return None
        try:
            return reader(self, value)
        except MismatchError as error:
            self.complaints.append(str(error))
            return None

    def failure(self) -> str:
        return "\n  ".join(("yaml: unmarshal errors:", *self.complaints))


# Takes a value that is not null. Raises MismatchError.
Reader = Callable[[Decoder, Any], Any]


def text(name: str = "string") -> Reader:
    """Any scalar, as it is written."""

    def read(_: Decoder, value: Any) -> str:
        if isinstance(value, dict | list):
            raise _mismatch(value, name)
        return _written(value)

    return read


def integer(name: str, bits: int, *, signed: bool = True) -> Reader:
    """A number; its fraction is cut off."""
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)

    def read(_: Decoder, value: Any) -> int:
        if _is_number(value) and low <= (whole := int(value)) <= high:
            return whole
        raise _mismatch(value, name)

    return read


def real(_: Decoder, value: Any) -> Any:
    if _is_number(value):
        return value
    raise _mismatch(value, "float64")


def truth(_: Decoder, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if value in _TRUE or value in _FALSE:
        return value in _TRUE
    raise _mismatch(value, "bool")


def sequence(name: str, item: Reader) -> Reader:
    """Without the items that are null or of another type."""

    def read(decoder: Decoder, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise _mismatch(value, name)
        found = [decoder.read(one, item) for one in value]
        return [one for one in found if one is not None]

    return read


def struct(name: str, fields: Mapping[str, Reader]) -> Reader:
    """The fields that are set; those that are unknown are skipped."""

    def read(decoder: Decoder, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise _mismatch(value, name)
        found = {key: decoder.read(one, fields[key]) for key, one in value.items() if key in fields}
        return {key: one for key, one in found.items() if one is not None}

    return read


def _mismatch(value: Any, type_name: str) -> MismatchError:
    return MismatchError(f"line 1: cannot unmarshal {_tag(value)}{_quoted(value)} into {type_name}")


def _quoted(value: Any) -> str:
    if isinstance(value, dict | list):
        return ""
    written = _written(value).encode()
    if len(written) > _LONGEST_QUOTED:
        return f" `{written[:_QUOTED].decode(errors='replace')}...`"
    return f" `{written.decode()}`"


def _tag(value: Any) -> str:
    match value:
        case dict():
            return "!!map"
        case list():
            return "!!seq"
        case bool():
            return "!!bool"
        case str():
            return "!!str"
        case _:
            return "!!int" if re.fullmatch(r"-?\d+", str(value)) else "!!float"


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return well_formed(str(value))


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    return is_number and Decimal(str(value)).is_finite()
