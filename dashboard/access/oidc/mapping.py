"""Which groups of the provider give which rights here: `group=team`, `group=team:lead`."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from inventory.models import Membership

Role = Membership.Role


class MappingError(ValueError):
    """A rule cannot be read; the message quotes it."""


class Grant(NamedTuple):
    group: str
    team: str
    role: Role


def parse(text: str) -> Grant:
    """Raises MappingError. A group may have `=` in its name, a team has neither that nor `:`."""
    group, _, given = (part.strip() for part in text.rpartition("="))
    team, _, role = (part.strip() for part in given.partition(":"))
    if not group or not team:
        raise MappingError(f"{text!r}: write group=team, or group=team:{Role.LEAD}.")
    if role and role not in Role.values:
        raise MappingError(f"{text!r}: {role!r} is none of {', '.join(Role.values)}.")
    return Grant(group, team, Role(role) if role else Role.MEMBER)


def teams(grants: Sequence[Grant], groups: Collection[str]) -> Mapping[str, Role]:
    """By the slug of the team; of several groups the one that gives more counts."""
    found: dict[str, Role] = {}
    for group, team, role in grants:
        if group in groups and found.get(team) != Role.LEAD:
            found[team] = role
    return found
