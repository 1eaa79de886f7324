"""What our own functions do at run time, for the kinds of values that the engine tells apart.

The engine looks a function up by its name and the kinds of its arguments, where quantities and versions are
bytes. Names with an @ cannot be written in an expression: `rewrite` puts them in.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from inventory.dra.cel import encoding, lists, patterns, versions
from inventory.dra.cel.amounts import Amount
from inventory.dra.cel.errors import UnsupportedError
from inventory.kube.quantity import NANO, QuantityError

AMOUNT, EQUAL, PLAIN, PRESENT = "@amount", "@equal", "@plain", "@present"
MATCHES, INDEX_OF, LAST_INDEX_OF = "@matches", "@indexOf", "@lastIndexOf"

_PLAIN_KINDS = ("BOOL", "INT", "UINT", "DOUBLE", "STRING", "LIST", "MAP")
_KINDS = (*_PLAIN_KINDS, "BYTES")


class Implementation(NamedTuple):
    name: str
    parameters: tuple[str, ...]
    result: str
    run: Callable[..., Any]
    member: bool


def implementations() -> Iterator[Implementation]:
    yield from _quantities()
    yield from _versions()
    yield from _texts()
    yield from _lists()
    yield from _guards()


def _global(name: str, parameters: tuple[str, ...], result: str, run: Callable[..., Any]) -> Implementation:
    return Implementation(name, parameters, result, run, member=False)


def _member(name: str, parameters: tuple[str, ...], result: str, run: Callable[..., Any]) -> Implementation:
    return Implementation(name, parameters, result, run, member=True)


def _quantities() -> Iterator[Implementation]:
    yield _global("quantity", ("STRING",), "BYTES", encoding.quantity)
    yield _global(AMOUNT, ("STRING",), "BYTES", encoding.amount)
    yield _global("isQuantity", ("STRING",), "BOOL", _is_quantity)
    yield _global("sign", ("BYTES",), "INT", lambda held: _sign(_amount(held).nanos))
    yield _global(EQUAL, ("BYTES", "BYTES"), "BOOL", lists.equal)
    yield from (_global(EQUAL, ("BYTES", kind), "BOOL", lists.equal) for kind in _PLAIN_KINDS)
    yield from (_global(EQUAL, (kind, "BYTES"), "BOOL", lists.equal) for kind in _PLAIN_KINDS)
    yield _member("isInteger", ("BYTES",), "BOOL", lambda held: _amount(held).as_integer() is not None)
    yield _member("asInteger", ("BYTES",), "INT", _as_integer)
    yield _member("asApproximateFloat", ("BYTES",), "DOUBLE", _as_float)
    for kind in ("BYTES", "INT"):
        yield _member("add", ("BYTES", kind), "BYTES", lambda one, other: _sum(one, _operand(other)))
        yield _member(
            "sub", ("BYTES", kind), "BYTES", lambda one, other: _sum(one, _operand(other).negated())
        )


def _versions() -> Iterator[Implementation]:
    for parameters in (("STRING",), ("STRING", "BOOL")):
        yield _global("semver", parameters, "BYTES", _version_in)
        yield _global("isSemver", parameters, "BOOL", _is_version)
    yield _member("major", ("BYTES",), "INT", lambda held: _part(held, 0))
    yield _member("minor", ("BYTES",), "INT", lambda held: _part(held, 1))
    yield _member("patch", ("BYTES",), "INT", lambda held: _part(held, 2))
    # The same names for quantities.
    yield _member("compareTo", ("BYTES", "BYTES"), "INT", _compared)
    yield _member("isGreaterThan", ("BYTES", "BYTES"), "BOOL", lambda one, other: _compared(one, other) > 0)
    yield _member("isLessThan", ("BYTES", "BYTES"), "BOOL", lambda one, other: _compared(one, other) < 0)


def _texts() -> Iterator[Implementation]:
    yield _global(MATCHES, ("STRING", "STRING"), "BOOL", patterns.matches)
    yield _member("find", ("STRING", "STRING"), "STRING", patterns.find)
    yield _member("findAll", ("STRING", "STRING"), "LIST", patterns.find_all)
    yield _member("findAll", ("STRING", "STRING", "INT"), "LIST", patterns.find_all)
    yield _member(INDEX_OF, ("STRING", "STRING"), "INT", str.find)
    yield _member(INDEX_OF, ("STRING", "STRING", "INT"), "INT", _index_from)
    yield _member(LAST_INDEX_OF, ("STRING", "STRING"), "INT", _last_index)
    yield _member(LAST_INDEX_OF, ("STRING", "STRING", "INT"), "INT", _last_index_before)


def _lists() -> Iterator[Implementation]:
    for kind in _KINDS:
        yield _member(INDEX_OF, ("LIST", kind), "INT", lists.index_of)
        yield _member(LAST_INDEX_OF, ("LIST", kind), "INT", lists.last_index_of)
    for target, sought in product(_KINDS, _KINDS):
        yield _member("includes", (target, sought), "BOOL", lists.includes)
    yield _global("sets.contains", ("LIST", "LIST"), "BOOL", lists.contains)
    yield _global("sets.equivalent", ("LIST", "LIST"), "BOOL", lists.equivalent)
    yield _global("sets.intersects", ("LIST", "LIST"), "BOOL", lists.intersects)
    yield _member("sum", ("LIST",), "DYN", lists.total)
    yield _member("min", ("LIST",), "DYN", lists.least)
    yield _member("max", ("LIST",), "DYN", lists.greatest)
    yield _member("isSorted", ("LIST",), "BOOL", lists.is_sorted)


def _guards() -> Iterator[Implementation]:
    """Values as they are, but no version: it has no size, no order, no text."""
    yield from (_global(PLAIN, (kind,), kind, lambda value: value) for kind in _PLAIN_KINDS)
    # has() of what is no map is false upstream, and no error.
    yield _global(PRESENT, ("MAP", "STRING"), "BOOL", lambda value, field: field in value)
    yield from (
        _global(PRESENT, (kind, "STRING"), "BOOL", lambda value, field: False)
        for kind in ("BOOL", "INT", "UINT", "DOUBLE", "STRING", "BYTES")
    )


def _amount(held: bytearray) -> Amount:
    if encoding.is_version(held):
        raise ValueError("no such overload")
    return encoding.decoded(held)


def _part(held: bytearray, index: int) -> int:
    if not encoding.is_version(held):
        raise ValueError("no such overload")
    number = encoding.part(held, index)
    # Go's conversion of an uint64 wraps around.
    return number - 2**64 if number >= 2**63 else number


def _compared(one: bytearray, other: bytearray) -> int:
    if encoding.is_version(one) and encoding.is_version(other):
        return (one > other) - (one < other)
    return _sign(_amount(one).nanos - _amount(other).nanos)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _operand(value: bytearray | int) -> Amount:
    return Amount.of(value) if isinstance(value, int) else _amount(value)


def _sum(one: bytearray, other: Amount) -> bytes:
    total = _amount(one).added(other)
    return encoding.of_amount(total) if encoding.is_amount(one) else encoding.of_quantity(total)


def _as_integer(held: bytearray) -> int:
    whole = _amount(held).as_integer()
    if whole is None:
        raise ValueError("cannot convert value to integer")
    return whole


def _as_float(held: bytearray) -> float:
    return float(Fraction(_amount(held).nanos, NANO))


def _is_quantity(text: str) -> bool:
    try:
        encoding.quantity(text)
    except QuantityError:
        return False
    return True


def _version_in(text: str, *tolerantly: bool) -> bytes:
    return encoding.tolerant_version(text) if any(tolerantly) else encoding.version(text)


def _is_version(text: str, *tolerantly: bool) -> bool:
    try:
        _version_in(text, *tolerantly)
    except versions.VersionError:
        return False
    return True


def _last_index(text: str, sought: str) -> int:
    if sought and not text:
        raise UnsupportedError("lastIndexOf() in an empty text differs between versions of CEL")
    return text.rfind(sought)


def _index_from(text: str, sought: str, offset: int) -> int:
    if not sought:
        return offset
    if offset < 0:
        raise ValueError(f"index out of range: {offset}")
    if offset >= len(text):
        raise UnsupportedError("indexOf() behind the end of a text differs between versions of CEL")
    return text.find(sought, offset)


def _last_index_before(text: str, sought: str, offset: int) -> int:
    """The last one that starts at the offset or before it."""
    if not sought:
        return offset
    if not 0 <= offset < len(text):
        raise ValueError(f"index out of range: {offset}")
    return text.rfind(sought, 0, offset + len(sought))
