"""Messages of other programs, short enough for a line."""

import re

_LONGEST = 160
_MARKUP = re.compile(r"<(!doctype|html|head|body)\b.*", re.IGNORECASE | re.DOTALL)


def short(message: str) -> str:
    """One line of a message that may be long or end in the markup of a page; the whole stands elsewhere."""
    line = " ".join(_MARKUP.sub("…", message).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1].rstrip()}…"
