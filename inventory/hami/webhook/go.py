"""Text and whole numbers as Go has them, where Python differs."""

from inventory.hami.webhook.printable import is_printable

_SHORT = {
    '"': '\\"', "\\": "\\\\", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
    "\v": "\\v",
}  # fmt: skip
# What encoding/json writes as an escape though it is white space: a tab in a quantity is never trimmed.
ESCAPED_SPACE = "\t\n\v\f\r\u2028\u2029"
# White_Space of Unicode. Python's strip() also takes \x1c to \x1f.
_SPACE = ESCAPED_SPACE + (
    " \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)


def quote(text: str) -> str:
    """strconv.Quote: the characters that Go can print stay, everything else is escaped."""
    return f'"{"".join(map(_escaped, well_formed(text)))}"'


def _escaped(character: str) -> str:
    if short := _SHORT.get(character):
        return short
    code = ord(character)
    if is_printable(code):
        return character
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def trimmed(text: str, *, kept: str = "") -> str:
    """strings.TrimSpace; white space that is `kept` stays, and what is behind it."""
    return text.strip("".join(space for space in _SPACE if space not in kept))


def well_formed(text: str) -> str:
    """What encoding/json makes of half a surrogate pair."""
    if text.isascii():
        return text
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)


def int64(number: int) -> int:
    """With the overflow of a 64-bit integer."""
    return (number + 2**63) % 2**64 - 2**63


def quotient(dividend: int, divisor: int) -> int:
    """Towards zero."""
    whole = abs(dividend) // abs(divisor)
    return whole if (dividend < 0) == (divisor < 0) else -whole
