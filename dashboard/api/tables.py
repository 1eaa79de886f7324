"""Lists as CSV: one row a line, nested values as columns of their own, written as they are read."""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
from django.http import StreamingHttpResponse

from dashboard.api.wire import encode, wire
from inventory.kube.quantity import Quantity

# What a spreadsheet takes for the start of a formula, full-width forms included.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# Read by people on a device's page; a table of amounts is only made wider by it.
_LEFT_OUT = frozenset({"request_policy"})

Path = tuple[str, ...]


class _Line:
    """A file that hands back what is written to it."""

    def write(self, text: str) -> str:
        return text


def columns(
    row: type[msgspec.Struct], dimensions: Sequence[str], fields: Sequence[str] | None = None
) -> list[Path]:
    """The columns of a row type: paths into its wire form, one for each dimension where it has those."""
    hints = get_type_hints(row)
    return [
        (name, *path)
        for name in row.__struct_fields__
        if fields is None or name in fields
        for path in _below(hints[name], dimensions)
    ]


def streamed(
    name: str, paths: Sequence[Path], rows: Iterable[msgspec.Struct], *, titles: Sequence[str] = ()
) -> StreamingHttpResponse:
    """Without `titles`, columns are named by their paths."""
    lines = _lines(titles or [_title(path) for path in paths], paths, rows)
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


def _below(hint: Any, dimensions: Sequence[str]) -> list[Path]:
    hint = _without_none(hint)
    if hint is Quantity:
        return [("value",)]
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return [
            (name, *path)
            for name, inner in get_type_hints(hint).items()
            if name not in _LEFT_OUT
            for path in _below(inner, dimensions)
        ]
    if (amount := _amount(hint)) is not None:
        return [(dimension, *path) for dimension in dimensions for path in _below(amount, dimensions)]
    return [()]


def _amount(hint: Any) -> Any:
    """What a mapping from dimensions holds; None for any other type."""
    origin = get_origin(hint)
    if not (isinstance(origin, type) and issubclass(origin, Mapping)):
        return None
    value = get_args(hint)[1]
    inner = _without_none(value)
    return value if isinstance(inner, type) and issubclass(inner, msgspec.Struct) else None


def _without_none(hint: Any) -> Any:
    if get_origin(hint) not in (Union, UnionType):
        return hint
    found = [one for one in get_args(hint) if one is not NoneType]
    return found[0] if len(found) == 1 else hint


def _lines(titles: Sequence[str], paths: Sequence[Path], rows: Iterable[msgspec.Struct]) -> Iterator[str]:
    write: Callable[[Iterable[str]], str] = csv.writer(_Line()).writerow
    yield write(map(_safe, titles))
    for row in rows:
        wired = wire(row)
        yield write(_cell(_at(wired, path)) for path in paths)


def _title(path: Path) -> str:
    """Of an amount the number is shown; that goes without saying."""
    return ".".join(path).removesuffix(".value")


def _at(wired: Mapping[str, Any], path: Path) -> Any:
    found: Any = wired
    for step in path:
        if not isinstance(found, Mapping):
            return None
        found = found.get(step)
    return found


def _cell(value: Any) -> str:
    """Unknown is an empty cell; several names are one cell, the rest of what is nested is JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | Decimal):
        return format(value, "f") if isinstance(value, Decimal) else str(value)
    if isinstance(value, str):
        return _safe(str(value))
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return _safe(";".join(value))
    return _safe(encode(value).decode().strip('"'))


def _safe(text: str) -> str:
    """A text that a spreadsheet would run is led by an apostrophe, which makes it a text there too."""
    return f"'{text}" if text.startswith(_FORMULA) else text
