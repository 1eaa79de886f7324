"""JSON that is valid for an API server and yet stops a decoder or a database.

Anyone who may create a claim may put any JSON into its opaque parameters, and the API server hands it on as
it came: thousands of nested lists, half a surrogate pair, bytes that are no UTF-8, numbers of thousands of
digits. One such claim must neither stop the poll of its cluster nor vanish from the books. Nothing that
Sliceboard reads looks like that, so what cannot be taken is replaced: U+FFFD for characters, null for values.
"""

import re

DEEPEST = 100
# PostgreSQL stores no NUL character, in text as in JSON.
NUL = rb"\u0000"

# Also what begins a line for YAML, and what turns the text around it.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_REPLACEMENT = rb"\ufffd"
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<unusable>u0000|u[dD][89a-fA-F][0-9a-fA-F]{2})"
    rb"|.)",
    re.DOTALL,
)
# Python refuses whole numbers of more than some thousand digits.
_TEXT_BRACKET_OR_LONG_NUMBER = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]|-?\d{1000,}[\d.eE+-]*', re.DOTALL)


def readable(body: bytes) -> bytes:
    """The same JSON without what cannot be taken; harmless JSON comes back byte for byte."""
    return _without_values_out_of_bounds(_with_usable_escapes(_in_utf_8(body)))


def printable(text: str, longest: int | None = None) -> str:
    """`text`, cut to the `longest` length, with U+FFFD for what is no character or controls others.

    Controls are those of terminals, of lines and of directions.
    """
    return _UNPRINTABLE.sub("\ufffd", text[:longest])


def _without_values_out_of_bounds(body: bytes) -> bytes:
    """`body` with null for long numbers, and for objects and lists nested deeper than DEEPEST levels."""
    kept: list[bytes] = []
    depth = start = 0
    for found in _TEXT_BRACKET_OR_LONG_NUMBER.finditer(body):
        match body[found.start() : found.start() + 1]:
            case b'"':
                continue
            case b"[" | b"{":
                depth += 1
                if depth == DEEPEST + 1:
                    kept += (body[start : found.start()], b"null")
            case b"]" | b"}":
                if depth == DEEPEST + 1:
                    start = found.end()
                depth -= 1
            case _ if depth <= DEEPEST:
                kept += (body[start : found.start()], b"null")
                start = found.end()
    kept.append(body[start:] if depth <= DEEPEST else b"")
    return b"".join(kept)


def _in_utf_8(body: bytes) -> bytes:
    return body.decode(errors="replace").encode()


def _with_usable_escapes(body: bytes) -> bytes:
    return _ESCAPE.sub(lambda match: _REPLACEMENT if match["unusable"] else match[0], body)
