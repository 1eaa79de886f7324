"""How values that the engine does not know pass through it.

Versions and quantities travel as bytes: a driver publishes none, so what is legal on bytes alone is no legal
use of an attribute. Equal versions are equal bytes; equal quantities need not be, their `==` is a function.
"""

from inventory.dra.cel.amounts import Amount
from inventory.dra.cel.versions import Version, parse

_VERSION, _QUANTITY = b"v", b"q"


def of_version(version: Version) -> bytes:
    return _VERSION + str(version).encode()


def of_amount(amount: Amount) -> bytes:
    return _QUANTITY + f"{amount.nanos} {'' if amount.scale is None else amount.scale}".encode()


def value(encoded: bytes | bytearray) -> Version | Amount:
    kind, content = bytes(encoded[:1]), bytes(encoded[1:]).decode()
    if kind == _VERSION:
        return parse(content)
    nanos, _, scale = content.partition(" ")
    return Amount(int(nanos), int(scale) if scale else None)
