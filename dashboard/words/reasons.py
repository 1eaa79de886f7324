"""The reasons that the domain wrote down, in the reader's language."""

import re
from collections.abc import Mapping

from django.utils.translation import get_language, gettext

from inventory.reasons import Reason

_PLACE = re.compile(r"\\{(\w+)\\}")
_ONE, _SEVERAL = "reason", "reasons"
# Numbers, quantities and dimensions have no space in them; names of cards and what is written in objects may.
_WORDS = ("amount", "dimension", "expected", "generation", "left", "needed", "number", "quantity", "seen")


def _pattern(text: str) -> re.Pattern[str]:
    def place(found: re.Match[str]) -> str:
        return f"(?P<{found[1]}>{r'[^ ]+' if found[1] in _WORDS else '.*?'})"

    return re.compile(_PLACE.sub(place, re.escape(text)), re.DOTALL)


_PATTERNS = [(_pattern(one.value), one.value) for one in Reason]


def said(reason: str) -> str:
    """In the reader's language; what is none of ours as it came."""
    return translated(reason) or reason


def translated(reason: str) -> str | None:
    """None where it is none of ours: then it is English, or what another program says."""
    if (get_language() or "en").startswith("en"):
        return reason
    for pattern, text in _PATTERNS:
        if (found := pattern.fullmatch(reason)) and (places := _places(found.groupdict())) is not None:
            return gettext(text).format(**places)
    return None


def _places(found: Mapping[str, str]) -> dict[str, str] | None:
    """With the reasons inside translated; None where they are no reasons."""
    places = dict(found)
    if _ONE in places:
        inside = translated(places[_ONE])
        if inside is None:
            return None
        places[_ONE] = inside
    if _SEVERAL in places:
        places[_SEVERAL] = ", ".join(map(said, places[_SEVERAL].split(", ")))
    return places
