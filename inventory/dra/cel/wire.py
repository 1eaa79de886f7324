"""The wire format of protocol buffers, as far as cel.expr.CheckedExpr needs it."""

from collections.abc import Iterable, Iterator

# The number of a field, how its value is sent, and the value: of fixed width it stays bytes.
Field = tuple[int, int, int | bytes]


_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FIXED = {_FIXED64: 8, _FIXED32: 4}


def fields(message: bytes) -> Iterator[Field]:
    """Raises ValueError."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        number, wire = key >> 3, key & 7
        value: int | bytes
        if wire == _VARINT:
            value, at = _varint(message, at)
        else:
            length, at = _length(message, at, wire)
            value, at = message[at : at + length], at + length
        if at > len(message):
            raise ValueError("a field ends behind its message")
        yield number, wire, value


def message(encoded: Iterable[Field]) -> bytes:
    """The opposite of `fields`."""
    return b"".join(_encoded(number, wire, value) for number, wire, value in encoded)


def scalar(number: int, value: int) -> Field:
    return number, _VARINT, value


def chunk(number: int, value: bytes | str) -> Field:
    return number, _BYTES, value.encode() if isinstance(value, str) else value


def text(value: int | bytes) -> str:
    return octets(value).decode()


def octets(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ValueError("a number where bytes belong")
    return value


def whole(value: int | bytes) -> int:
    if isinstance(value, bytes):
        raise ValueError("bytes where a number belongs")
    return value


def signed(value: int | bytes) -> int:
    """An int64: negative ones are sent as their two's complement."""
    number = whole(value)
    return number - 2**64 if number >= 2**63 else number


def packed(value: int | bytes) -> list[int]:
    """A repeated number, packed into one field or not."""
    if isinstance(value, int):
        return [value]
    numbers, at = [], 0
    while at < len(value):
        number, at = _varint(value, at)
        numbers.append(number)
    return numbers


def _length(message: bytes, at: int, wire: int) -> tuple[int, int]:
    if wire == _BYTES:
        return _varint(message, at)
    if wire not in _FIXED:
        raise ValueError(f"wire type {wire}")
    return _FIXED[wire], at


def _varint(message: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while at < len(message) and shift < 70:
        octet = message[at]
        number, shift, at = number | (octet & 127) << shift, shift + 7, at + 1
        if octet < 128:
            return number, at
    raise ValueError("a number that does not end")


def _encoded(number: int, wire: int, value: int | bytes) -> bytes:
    key = _varint_bytes(number << 3 | wire)
    if isinstance(value, int):
        return key + _varint_bytes(value)
    return key + (_varint_bytes(len(value)) if wire == _BYTES else b"") + value


def _varint_bytes(number: int) -> bytes:
    octets = bytearray()
    while number > 127:
        octets.append(number & 127 | 128)
        number >>= 7
    octets.append(number)
    return bytes(octets)
