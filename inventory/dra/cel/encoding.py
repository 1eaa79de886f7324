"""How values that the engine does not know pass through it.

Versions and quantities travel as bytes that compare as the values do: the engine itself tells their order.
A driver publishes no bytes, so what is legal on bytes alone is no legal use of an attribute.

Where an expression asks how a quantity is held, it travels as its `Amount`, and functions compare it.
"""

from functools import lru_cache

from inventory.dra.cel.amounts import Amount, parse
from inventory.dra.cel.errors import UnsupportedError
from inventory.dra.cel.versions import Version, parse_tolerantly
from inventory.dra.cel.versions import parse as parse_version

_VERSION, _QUANTITY, _AMOUNT = b"v", b"q", b"f"
# Hexadecimal: the engine takes bytes for a C string, which a zero ends.
_PART = 16
# Beside it, every quantity is positive.
_ZERO, _QUANTITY_SIZE = 2**127, 32
# A release comes after its pre-releases, and what ends an identifier before whatever may be in one.
_RELEASE, _PRERELEASE, _NUMBER, _TEXT, _END = "~", "-", "0", "1", "!"
_CACHED = 4096


def of_version(version: Version) -> bytes:
    numbers = "".join(f"{number:0{_PART}x}" for number in (version.major, version.minor, version.patch))
    identifiers = "".join(map(_identifier, version.prerelease))
    rest = f"{_PRERELEASE}{identifiers}{_END}" if version.prerelease else _RELEASE
    return _VERSION + (numbers + rest).encode()


def of_quantity(amount: Amount) -> bytes:
    encoded = f"{amount.nanos + _ZERO:0{_QUANTITY_SIZE}x}"
    if encoded.startswith("-") or len(encoded) > _QUANTITY_SIZE:
        raise UnsupportedError("a quantity of more than 28 digits is not read here")
    return _QUANTITY + encoded.encode()


def of_amount(amount: Amount) -> bytes:
    return _AMOUNT + f"{amount.nanos} {'' if amount.scale is None else amount.scale}".encode()


@lru_cache(maxsize=_CACHED)
def version(text: str) -> bytes:
    """Raises VersionError."""
    return of_version(parse_version(text))


@lru_cache(maxsize=_CACHED)
def tolerant_version(text: str) -> bytes:
    """Raises VersionError."""
    return of_version(parse_tolerantly(text))


@lru_cache(maxsize=_CACHED)
def quantity(text: str) -> bytes:
    """Raises QuantityError, or UnsupportedError."""
    return of_quantity(parse(text))


@lru_cache(maxsize=_CACHED)
def amount(text: str) -> bytes:
    """The same quantity, with how it is held. Raises QuantityError, or UnsupportedError."""
    return of_amount(parse(text))


def is_version(encoded: bytes | bytearray) -> bool:
    return encoded.startswith(_VERSION)


def part(encoded: bytes | bytearray, index: int) -> int:
    """Major, minor or patch of a version."""
    start = len(_VERSION) + index * _PART
    return int(encoded[start : start + _PART], 16)


def is_amount(encoded: bytes | bytearray) -> bool:
    return encoded.startswith(_AMOUNT)


def decoded(encoded: bytes | bytearray) -> Amount:
    """The quantity; one that travelled as its value alone is held as an integer."""
    if not is_amount(encoded):
        return Amount(int(encoded[1:], 16) - _ZERO)
    nanos, _, scale = encoded[1:].decode().partition(" ")
    return Amount(int(nanos), int(scale) if scale else None)


def _identifier(identifier: int | str) -> str:
    if isinstance(identifier, int):
        return f"{_NUMBER}{identifier:0{_PART}x}"
    return f"{_TEXT}{identifier}{_END}"
