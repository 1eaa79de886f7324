"""Text and whole numbers as Go has them, where Python differs."""

import re
from functools import lru_cache

from inventory.hami.webhook.printable import is_printable

_SHORT = {
    '"': '\\"', "\\": "\\\\", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
    "\v": "\\v",
}  # fmt: skip
_PLAIN = re.compile(r"[ !#-\[\]-~]*")
# White_Space of Unicode. Python's strip() also takes \x1c to \x1f.
_WIDE_SPACE = (
    " \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
_SPACE = f"\t\n\v\f\r\u2028\u2029{_WIDE_SPACE}"


def quote(text: str) -> str:
    """strconv.Quote: the characters that Go can print stay, everything else is escaped."""
    if _PLAIN.fullmatch(text):
        return f'"{text}"'
    return f'"{"".join(map(_escaped, well_formed(text)))}"'


@lru_cache(maxsize=1024)
def _escaped(character: str) -> str:
    if short := _SHORT.get(character):
        return short
    code = ord(character)
    if is_printable(code):
        return character
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def trimmed(text: str) -> str:
    """strings.TrimSpace"""
    return text.strip(_SPACE)


def trimmed_in_json(text: str) -> str:
    """The same of a text as JSON writes it, where tabs, line breaks and the like are escapes and stay."""
    return text.strip(_WIDE_SPACE)


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
