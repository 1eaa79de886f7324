"""Ids of events: up to where each cluster has been told of, and of which stream.

`9f2c41d07e:3.118,4.75.90211.1` is of a stream with that stamp: of cluster 3 all up to generation 118, of
cluster 4 all up to step 1 of interval 90211 in generation 75.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping

from inventory.models import Cluster
from inventory.queries.news.events import Mark
from inventory.queries.news.rows import Audience

_MARK = r"\d{1,18}\.\d{1,18}(?:\.\d{1,18}\.\d)?"
_ID = re.compile(rf"([0-9a-f]{{10}}):((?:{_MARK}(?:,{_MARK})*)?)", re.ASCII)
LONGEST = 8192


def stamp(audience: Audience, clusters: Iterable[Cluster]) -> str:
    """Changes with what somebody may see, asks for, and could be told of: then no id goes on from it."""
    known = sorted((one.pk, one.name, one.created_at) for one in clusters if one.pk in audience.clusters)
    parts = (audience.viewer.scope, sorted(audience.namespaces), sorted(audience.teams), known)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:10]


def text(stamp: str, marks: Mapping[int, Mark]) -> str:
    return f"{stamp}:{','.join(_mark(pk, mark) for pk, mark in sorted(marks.items()))}"


def marks_of(text: str, stamp: str, generations: Mapping[int, int]) -> dict[int, Mark] | None:
    """None where it is no id of this stream, or of clusters that are not as far yet."""
    found = _ID.fullmatch(text) if len(text) <= LONGEST else None
    if found is None or found[1] != stamp:
        return None
    marks = dict(_parsed(part) for part in found[2].split(",") if part)
    if marks.keys() != generations.keys():
        return None
    ahead = any(mark.generation > generations[pk] for pk, mark in marks.items())
    return None if ahead else marks


def _mark(pk: int, mark: Mark) -> str:
    place = "" if mark.is_whole else f".{mark.interval}.{mark.step}"
    return f"{pk}.{mark.generation}{place}"


def _parsed(part: str) -> tuple[int, Mark]:
    pk, generation, *place = map(int, part.split("."))
    return pk, Mark(generation, *place)
