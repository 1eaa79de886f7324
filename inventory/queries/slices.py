"""Which share holds how much of which dimension, ready to be laid end to end in a bar."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal

import msgspec

from inventory.dra.units import Unit, reading_order, unit_of
from inventory.kube.quantity import Notation, Quantity
from inventory.models import Team
from inventory.queries.dimensions import Dimension, ratio
from inventory.queries.shares import ShareRow
from inventory.viewer import Viewer

OTHER_COLOUR = 0
_LAST = 9


class TeamBrief(msgspec.Struct, frozen=True):
    """`colour` is kept with the team; 0 is the colour of all others."""

    slug: str
    name: str
    colour: int


# All those whose names the viewer may not read, namespaces of no team among them.
OTHERS = TeamBrief("", "", OTHER_COLOUR)


class OthersShares(msgspec.Struct, frozen=True):
    """What others hold of one device or card together, whose names the viewer may not read."""

    shares: int
    held: Mapping[str, Quantity | None]


class Slice(msgspec.Struct, frozen=True):
    """One share in one dimension; `ratio` is its part of the total, None where either is not known.

    Without `share` it is what others hold together.
    """

    share: ShareRow | None
    team: TeamBrief | None
    amount: Quantity | None
    ratio: Decimal | None


class Track(msgspec.Struct, frozen=True):
    """One dimension of a device or card with the slices held of it.

    `stranded`: there is room here, but another dimension of the same device is used up.
    """

    name: str
    unit: Unit
    total: Quantity | None
    allocated: Quantity | None
    remaining: Quantity | None
    ratio: Decimal | None
    reason: str | None
    stranded: bool
    slices: tuple[Slice, ...]


def teams(*, viewer: Viewer) -> dict[str, TeamBrief]:
    """The teams that the viewer may know, by their slugs and in the order of their colours."""
    return by_colour(known_teams(viewer=viewer).values())


def known_teams(*, viewer: Viewer) -> dict[int, TeamBrief]:
    """The teams that the viewer may know, by their ids and in the order of their names."""
    return briefs(Team.objects.visible_to(viewer).order_by("name", "pk"))


def by_colour(teams: Iterable[TeamBrief]) -> dict[str, TeamBrief]:
    """By their slugs, in the order of their colours."""
    return {team.slug: team for team in sorted(teams, key=lambda team: (team.colour or _LAST, team.slug))}


def briefs(teams: Iterable[Team]) -> dict[int, TeamBrief]:
    """By their ids."""
    return {team.pk: TeamBrief(team.slug, team.name, team.colour) for team in teams}


def in_bar_order(shares: Iterable[ShareRow], known: Mapping[str, TeamBrief]) -> list[ShareRow]:
    """By the colour of their team, then by age."""
    return sorted(shares, key=lambda share: _bar_order(share, known))


def tracks(
    driver: str,
    dimensions: Mapping[str, Dimension],
    shares: Iterable[ShareRow],
    known: Mapping[str, TeamBrief],
    others: OthersShares | None = None,
) -> tuple[Track, ...]:
    """The dimensions of one device or card in reading order, the slices by team and age, others' last."""
    holders = in_bar_order(shares, known)
    used_up = {
        name
        for name, one in dimensions.items()
        if one.total and one.remaining is not None and not one.remaining
    }
    return tuple(
        _track(driver, name, dimensions[name], holders, known, others, stranded=bool(used_up - {name}))
        for name in sorted(dimensions, key=reading_order)
    )


def _bar_order(share: ShareRow, known: Mapping[str, TeamBrief]) -> tuple[int, str, datetime, int]:
    team = known.get(share.team or "")
    colour = team.colour if team and team.colour else _LAST
    return colour, share.team or "", share.started_at, share.id


def _track(
    driver: str,
    name: str,
    dimension: Dimension,
    shares: Iterable[ShareRow],
    known: Mapping[str, TeamBrief],
    others: OthersShares | None,
    *,
    stranded: bool,
) -> Track:
    notation = dimension.total.notation if dimension.total else Notation.DECIMAL
    return Track(
        name=name,
        unit=unit_of(driver, name, notation),
        total=dimension.total,
        allocated=dimension.allocated,
        remaining=dimension.remaining,
        ratio=dimension.ratio,
        reason=dimension.reason,
        stranded=stranded and bool(dimension.remaining),
        slices=(
            *(_slice(share, name, dimension, known) for share in shares if name in share.held),
            *_of_others(others, name, dimension),
        ),
    )


def _slice(share: ShareRow, name: str, dimension: Dimension, known: Mapping[str, TeamBrief]) -> Slice:
    amount = share.held[name]
    return Slice(share, known.get(share.team or ""), amount, ratio(amount, dimension.total))


def _of_others(others: OthersShares | None, name: str, dimension: Dimension) -> Iterator[Slice]:
    if others is not None and name in others.held:
        amount = others.held[name]
        yield Slice(None, OTHERS, amount, ratio(amount, dimension.total))
