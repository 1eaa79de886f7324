"""Regular expressions as Go's regexp finds them: RE2, which takes time in proportion to the text."""

from functools import lru_cache
from typing import Any

from inventory.dra.cel.errors import UnsupportedError

try:
    import re2
except ImportError:  # No wheel for this platform or this Python.
    re2 = None

# Bytes. Some 5,000 instructions fit, which take 30 ms to prepare; the time grows with their square.
_LARGEST = 64 * 1024

# Instructions.
_SMALL = 256


class PatternError(ValueError):
    """The pattern cannot be compiled."""


def check(pattern: str) -> None:
    """Raises PatternError, or UnsupportedError for one that takes too long to prepare."""
    _compiled(pattern)


def is_small(pattern: str) -> bool:
    """Whether preparing it takes next to no time."""
    return int(_compiled(pattern).programsize) <= _SMALL


def matches(text: str, pattern: str) -> bool:
    """Whether the pattern is found anywhere in the text."""
    return _compiled(pattern).search(text) is not None


def find(text: str, pattern: str) -> str:
    """The first match, or nothing."""
    match = _compiled(pattern).search(text)
    return str(match.group(0)) if match else ""


def find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
    """Every match, left to right; an empty one right behind another does not count, as in Go."""
    found: list[str] = []
    previous = -1
    for match in _compiled(pattern).finditer(text):
        if len(found) == limit:
            break
        start, end = match.span()
        if start != end or start != previous:
            found.append(match.group(0))
        previous = end
    return found


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> Any:
    if re2 is None:
        raise UnsupportedError("regular expressions need RE2, which is not installed on this platform")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _LARGEST
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0].decode(errors="replace")
    if "too large" in reason:
        raise UnsupportedError(f"a regular expression that takes too much memory: {pattern[:80]}")
    raise PatternError(f"invalid regular expression: {reason[:200]}")
