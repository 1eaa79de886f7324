"""How values that the engine does not know pass through it.

Versions and quantities travel as bytes: a driver publishes none, so what is legal on bytes alone is no legal
use of an attribute. Equal versions are equal bytes; equal quantities need not be, their `==` is a function.
"""

from functools import lru_cache

from inventory.dra.cel.amounts import Amount
from inventory.dra.cel.amounts import parse as parse_amount
from inventory.dra.cel.versions import Version, parse

_VERSION, _QUANTITY = b"v", b"q"
_CACHED = 4096


def of_version(version: Version) -> bytes:
    return _VERSION + str(version).encode()


def of_amount(amount: Amount) -> bytes:
    return _QUANTITY + f"{amount.nanos} {'' if amount.scale is None else amount.scale}".encode()


@lru_cache(maxsize=_CACHED)
def version(text: str) -> bytes:
    """Raises VersionError."""
    return of_version(parse(text))


@lru_cache(maxsize=_CACHED)
def quantity(text: str) -> bytes:
    """Raises QuantityError, or UnsupportedError."""
    return of_amount(parse_amount(text))


def value(encoded: bytes | bytearray) -> Version | Amount:
    return _value(bytes(encoded))


@lru_cache(maxsize=_CACHED)
def _value(encoded: bytes) -> Version | Amount:
    kind, content = encoded[:1], encoded[1:].decode()
    if kind == _VERSION:
        return parse(content)
    nanos, _, scale = content.partition(" ")
    return Amount(int(nanos), int(scale) if scale else None)
