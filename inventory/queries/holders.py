"""Who holds how much: shares summed by team; the teams that the viewer may not know are one."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from django.db.models import Case, Count, F, Q, QuerySet, Value, When

from inventory.kube.quantity import Quantity
from inventory.models import Share
from inventory.queries.pods import PodState
from inventory.queries.slices import OTHERS, TeamBrief, known_teams
from inventory.queries.sums import halves, summed
from inventory.viewer import Viewer

_TEAM = "claim__team_id"
# Stands for the id of all teams that the viewer may not know, and of no team where that is not his to know.
_OTHERS = 0
_PARTITIONED = "device__card__partitioned"


class _Key(NamedTuple):
    team: int | None
    partitioned: bool
    driver: str
    product: str
    dimension: str


class HeldAmount(msgspec.Struct, frozen=True):
    """How much of one dimension a team's shares hold, but for `shares_unknown`, whose amount is not known."""

    driver: str
    product: str | None
    dimension: str
    held: Quantity | None
    shares_unknown: int


class TeamCounts(msgspec.Struct, frozen=True):
    """How many things a team holds. Null for `slug` and `name`: namespaces that belong to no team.

    A card that two teams share counts for each of them, so `cards` does not add up over teams. `withheld`:
    all that the viewer may not know the teams of, together.
    """

    slug: str | None
    name: str | None
    colour: int
    withheld: bool
    cards: int
    shares: int
    pods: int
    waiting: int


class TeamRow(TeamCounts, frozen=True):
    """The same with how much of what."""

    amounts: tuple[HeldAmount, ...]


def by_team(shares: QuerySet[Share], pods: QuerySet[Any], *, viewer: Viewer) -> list[TeamRow]:
    """Every team that there is, those which hold nothing included, and last what is others', or nobody's.

    `shares` and `pods` are everybody's, so that sums are true.

    Only accelerators are counted, and no admin access. A claim that many Pods use is one share.
    """
    known = known_teams(viewer=viewer)
    amounts: defaultdict[TeamBrief | None, list[HeldAmount]] = defaultdict(list)
    for (team, _), found in amounts_by_kind(shares, known, viewer=viewer).items():
        amounts[team] += found
    return [
        TeamRow(**msgspec.structs.asdict(one), amounts=tuple(amounts[whose(one)]))
        for one in counts_by_team(shares, pods, known, viewer=viewer)
    ]


def counts_by_team(
    shares: QuerySet[Share], pods: QuerySet[Any], known: Mapping[int, TeamBrief], *, viewer: Viewer
) -> list[TeamCounts]:
    """The same without the amounts. `known`: the teams that the viewer may know, in their order."""
    held = {team: counts for team, *counts in _counts(_with_whose(_counted(shares), _TEAM, viewer))}
    states = _pods(_with_whose(pods, "team_id", viewer))
    seen = held.keys() | {team for team, _ in states}
    keys = [*known, *(key for key in (_OTHERS, None) if key in seen)]
    return [_row(key, _brief(key, known), held.get(key, [0, 0]), states) for key in keys]


def amounts_by_kind(
    shares: QuerySet[Share], known: Mapping[int, TeamBrief], *, viewer: Viewer
) -> dict[tuple[TeamBrief | None, bool], list[HeldAmount]]:
    """What each team holds, that of partitioned cards (True) apart from that of others."""
    held = _with_whose(_counted(shares), _TEAM, viewer)
    consumed = _groups(held.filter(dedicated=False), "consumed", "amount")
    offered = _groups(held.filter(dedicated=True), "device__balances", "total")
    sums = _summed(consumed.union(offered, all=True))
    found: defaultdict[tuple[TeamBrief | None, bool], list[HeldAmount]] = defaultdict(list)
    for key, one in sorted(sums.items(), key=lambda item: item[0][2:]):
        amount = HeldAmount(key.driver, key.product or None, key.dimension, one.held, one.unknown)
        found[_brief(key.team, known), key.partitioned].append(amount)
    return found


def whose(row: TeamCounts) -> TeamBrief | None:
    if row.withheld:
        return OTHERS
    return None if row.slug is None else TeamBrief(row.slug, row.name or "", row.colour)


def _brief(key: int | None, known: Mapping[int, TeamBrief]) -> TeamBrief | None:
    return None if key is None else OTHERS if key == _OTHERS else known[key]


def _with_whose(rows: QuerySet[Any], column: str, viewer: Viewer) -> QuerySet[Any]:
    """With `whose`: the id of the team, where the viewer may know it."""
    if viewer.teams is None:
        whose: F | Case = F(column)
    else:
        mine = Q(**{f"{column}__in": viewer.teams})
        whose = Case(When(mine, then=F(column)), default=Value(_OTHERS))
    found: QuerySet[Any] = rows.annotate(whose=whose)
    return found


def _counts(shares: QuerySet[Any]) -> Iterable[tuple[Any, ...]]:
    found: Iterable[tuple[Any, ...]] = shares.values_list("whose").annotate(
        Count("device__card", distinct=True), Count("pk")
    )
    return found


def _pods(pods: QuerySet[Any]) -> Counter[tuple[int | None, str]]:
    found = pods.order_by().values_list("whose", "state").annotate(Count("pk"))
    return Counter({(team, state): count for team, state, count in found})


class _Sum(msgspec.Struct):
    held: Quantity | None = None
    unknown: int = 0


def _counted(shares: QuerySet[Share]) -> QuerySet[Share]:
    return shares.filter(admin_access=False, device__accelerator=True).order_by()


def _groups(shares: QuerySet[Any], path: str, column: str) -> QuerySet[Any, Any]:
    """What a share holds is what it consumes, or all of a device that it has to itself."""
    amount = f"{path}__{column}"
    keys = ("whose", _PARTITIONED, "device__pool__driver", "device__card__product")
    found: QuerySet[Any, Any] = (
        shares.filter(**{f"{path}__isnull": False})
        .values_list(*keys, *(f"{path}__{field}" for field in ("dimension", "exponent", "notation")))
        .annotate(
            known=Count(amount),
            unknown=Count("pk", filter=Q(**{f"{amount}__isnull": True})),
            **halves("held", amount),
        )
    )
    return found


def _summed(rows: Iterable[Sequence[Any]]) -> dict[_Key, _Sum]:
    sums: defaultdict[_Key, _Sum] = defaultdict(_Sum)
    for team, partitioned, driver, product, dimension, exponent, notation, known, unknown, high, low in rows:
        one = sums[_Key(team, bool(partitioned), driver, product or "", dimension)]
        one.unknown += unknown
        if known:
            group = {"exponent": exponent, "notation": notation, "held_high": high, "held_low": low}
            amount = summed(group, "held")
            one.held = amount if one.held is None else one.held + amount
    return sums


def _row(
    key: int | None,
    team: TeamBrief | None,
    held: list[int],
    states: Counter[tuple[int | None, str]],
) -> TeamCounts:
    return TeamCounts(
        slug=team.slug or None if team else None,
        name=team.name or None if team else None,
        colour=team.colour if team else 0,
        withheld=team is OTHERS,
        cards=held[0],
        shares=held[1],
        pods=states[key, PodState.HOLDING],
        waiting=states[key, PodState.WAITING],
    )
