"""JSON that is nested deeper than a decoder follows.

Anyone who may create a claim can put thousands of nested lists into its opaque parameters; the decoder then
gives up on the whole chunk. Nothing that Sliceboard reads is nested that deep.
"""

import re

DEEPEST = 100

_TEXT_OR_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]', re.DOTALL)


def without_deep_values(body: bytes) -> bytes:
    """`body` with null in place of every object or list nested deeper than DEEPEST levels."""
    kept: list[bytes] = []
    depth = start = 0
    for match in _TEXT_OR_BRACKET.finditer(body):
        bracket = match[0]
        if bracket in (b"[", b"{"):
            depth += 1
            if depth == DEEPEST + 1:
                kept += (body[start : match.start()], b"null")
        elif bracket in (b"]", b"}"):
            if depth == DEEPEST + 1:
                start = match.end()
            depth -= 1
    kept.append(body[start:] if depth <= DEEPEST else b"")
    return b"".join(kept)
