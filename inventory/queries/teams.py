"""Teams: what each holds, what waits, what it should hold at most."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import msgspec
from django.db.models import Count, QuerySet

from inventory.dra.quotas.standing import at_least, measured
from inventory.dra.units import Unit, short_name, unit_of
from inventory.kube.quantity import Notation, Quantity, total
from inventory.models import Membership, Namespace, Team, TeamQuota
from inventory.models.visibility import visible
from inventory.queries import card_holdings, pods, quotas
from inventory.queries.card_holdings import Kept
from inventory.queries.filters import Filters, Names, Ordering, Search
from inventory.queries.holdings import Held
from inventory.queries.pods import PodState
from inventory.queries.quotas import QuotaRow
from inventory.queries.uses import Uses, amounts_over
from inventory.viewer import EVERYTHING, Viewer

KINDS = ("resourceslices", "resourceclaims", "deviceclasses", "pods", "namespaces")


class TeamNamespaceRow(msgspec.Struct, frozen=True):
    cluster: str
    name: str


class HeldAmount(msgspec.Struct, frozen=True):
    """How much of one dimension is held, but for `shares_unknown`, whose amount is not known."""

    driver: str
    product: str | None
    dimension: str
    held: Quantity | None
    shares_unknown: int


class MemberRow(msgspec.Struct, frozen=True):
    user: str
    role: str


class Use(msgspec.Struct, frozen=True):
    """What is held and what waits.

    A card that two teams share counts for each of them; `cards_whole` are held alone. `card_equivalents`:
    per card the larger share of any dimension, added up; null where that is not known of some card. `reasons`
    then say why, and `card_equivalents_at_least` is what is known. `fraction` is the same where no decimal
    number is exactly that. `shares_gone` are on devices that no resource slice lists any more.
    """

    cards: int
    cards_whole: int
    card_equivalents: Quantity | None
    card_equivalents_at_least: Quantity
    fraction: str | None
    shares: int
    shares_gone: int
    claims_pending: int
    pods: int
    pods_waiting: int
    amounts: tuple[HeldAmount, ...]
    reasons: tuple[str, ...]

    def over_products(self, name: str, unit: Unit) -> Quantity | None:
        """What is held of a dimension in this unit; None where it is not known of some share."""
        found = [one for one in self.amounts if _is(one, name, unit)]
        if any(one.shares_unknown for one in found):
            return None
        notation = Notation.BINARY if unit is Unit.BYTES else Notation.DECIMAL
        return total((one.held for one in found if one.held is not None), notation)

    @property
    def memory(self) -> Quantity | None:
        return self.over_products("memory", Unit.BYTES)

    @property
    def cores(self) -> Quantity | None:
        """In per cent of a card."""
        return self.over_products("cores", Unit.PERCENT)


class TeamRow(msgspec.Struct, frozen=True):
    """A team with its use and its quotas in force. `members` are told to leads of the team and operators."""

    id: int
    slug: str
    name: str
    colour: int
    namespaces: tuple[TeamNamespaceRow, ...]
    members: tuple[MemberRow, ...] | None
    use: Use
    quotas: tuple[QuotaRow, ...]


class OthersRow(msgspec.Struct, frozen=True):
    """What all others hold, whose names the viewer may not read, and namespaces of no team."""

    use: Use
    withheld: bool


class TeamFilter(Filters):
    team = Names(field_name="slug")
    q = Search("slug", "name")
    ordering = Ordering(fields={"id": "id", "name": "name", "slug": "slug"})

    class Meta:
        model = Team
        fields = ()


def queryset(*, viewer: Viewer) -> QuerySet[Team]:
    return Team.objects.filter(visible(Team, viewer)).order_by("name", "pk")


class Figures:
    """What some teams hold and wait for, read once for all rows; of all, and nobody, where none is named."""

    def __init__(self, teams: Collection[int] | None = None) -> None:
        self.uses = Uses(teams)
        self._teams = teams

    def use_of(self, team: int | None) -> Use:
        return _use(
            self.uses.kept_of(team),
            self.uses.amounts_of(team),
            claims_pending=self.uses.pending_claims[team],
            states=self._states[team],
        )

    def others(self, *, viewer: Viewer) -> OthersRow:
        """All that no team holds which the viewer may see; for an operator, what belongs to no team.

        Where the figures are of everybody.
        """
        if viewer.teams is None:
            return OthersRow(self.use_of(None), withheld=False)
        mine, pending = viewer.teams, self.uses.pending_claims
        use = _use(
            card_holdings.of_others(mine, self.uses.unkept),
            amounts_over(held for held in self.uses.held.items() if held[0][0] not in mine),
            claims_pending=sum(number for team, number in pending.items() if team not in mine),
            states=sum((found for team, found in self._states.items() if team not in mine), Counter()),
        )
        return OthersRow(use, withheld=True)

    @cached_property
    def _states(self) -> defaultdict[int | None, Counter[str]]:
        rows = pods.queryset(viewer=EVERYTHING).order_by()
        if self._teams is not None:
            rows = rows.filter(team__in=self._teams)
        found: defaultdict[int | None, Counter[str]] = defaultdict(Counter)
        for team, state, number in rows.values_list("team_id", "state").annotate(Count("pk")):
            found[team][state] = number
        return found


def rows(
    page: Iterable[Team],
    now: datetime,
    *,
    viewer: Viewer,
    reader: int | None,
    figures: Figures | None = None,
    limits: Iterable[TeamQuota] | None = None,
) -> list[TeamRow]:
    """A fixed number of queries. `reader` is the id of the user who reads, who may lead some of the teams.

    `figures` and `limits`, which are those in force: where they were asked for, also of more teams.
    """
    teams = list(page)
    ids = {team.pk for team in teams}
    found = figures or Figures(ids)
    namespaces, members = _namespaces(ids), _members(ids)
    in_force = quotas.in_force(now, ids) if limits is None else limits
    by_team: defaultdict[str, list[QuotaRow]] = defaultdict(list)
    for row in quotas.rows((one for one in in_force if one.team_id in ids), now, found.uses):
        by_team[row.team].append(row)
    return [
        TeamRow(
            id=team.pk,
            slug=team.slug,
            name=team.name,
            colour=team.colour,
            namespaces=tuple(namespaces[team.pk]),
            members=_told(members[team.pk], viewer, reader),
            use=found.use_of(team.pk),
            quotas=tuple(by_team[team.slug]),
        )
        for team in teams
    ]


def one(slug: str, now: datetime, *, viewer: Viewer, reader: int | None) -> TeamRow | None:
    found = queryset(viewer=viewer).filter(slug=slug)
    return next(iter(rows(found, now, viewer=viewer, reader=reader)), None)


def _use(
    kept: Kept,
    amounts: Mapping[tuple[str, str], Mapping[str, Held]],
    *,
    claims_pending: int,
    states: Counter[str],
) -> Use:
    number, equivalents = kept.number, kept.equivalents
    return Use(
        cards=number.cards,
        cards_whole=number.whole,
        card_equivalents=None if equivalents.unknown else at_least(equivalents.known),
        card_equivalents_at_least=at_least(equivalents.known),
        fraction=_fraction(equivalents.exact),
        shares=number.shares,
        shares_gone=number.gone,
        claims_pending=claims_pending,
        pods=states[PodState.HOLDING],
        pods_waiting=states[PodState.WAITING],
        amounts=tuple(
            HeldAmount(driver, product or None, name, held.amount, held.unknown)
            for (driver, product), of_key in sorted(
                amounts.items(), key=lambda one: (one[0][0], one[0][1] or "")
            )
            for name, held in sorted(of_key.items())
        ),
        reasons=equivalents.reasons,
    )


def _is(one: HeldAmount, name: str, unit: Unit) -> bool:
    notation = one.held.notation if one.held else Notation.DECIMAL
    return short_name(one.dimension) == name and unit_of(one.driver, one.dimension, notation) is unit


def _fraction(amount: Fraction | None) -> str | None:
    return None if amount is None or measured(at_least(amount)) == amount else str(amount)


def _namespaces(teams: Collection[int]) -> defaultdict[int, list[TeamNamespaceRow]]:
    found: defaultdict[int, list[TeamNamespaceRow]] = defaultdict(list)
    rows = Namespace.objects.filter(team__in=teams).order_by("cluster__name", "name")
    for team, cluster, name in rows.values_list("team_id", "cluster__name", "name"):
        if team is not None:
            found[team].append(TeamNamespaceRow(cluster, name))
    return found


class _Member(NamedTuple):
    name: str
    role: str
    user: int


def _members(teams: Collection[int]) -> defaultdict[int, list[_Member]]:
    found: defaultdict[int, list[_Member]] = defaultdict(list)
    rows = Membership.objects.filter(team__in=teams).order_by("role", "user__username")
    for team, name, role, user in rows.values_list("team_id", "user__username", "role", "user_id"):
        found[team].append(_Member(name, role, user))
    return found


def _told(members: Sequence[_Member], viewer: Viewer, reader: int | None) -> tuple[MemberRow, ...] | None:
    """To operators, and to who leads the team."""
    leads = any(one.user == reader and one.role == Membership.Role.LEAD for one in members)
    if viewer.teams is not None and not leads:
        return None
    return tuple(MemberRow(one.name, one.role) for one in members)


def _led(reader: int | None) -> frozenset[int]:
    rows = Membership.objects.filter(user=reader, role=Membership.Role.LEAD)
    return frozenset(rows.values_list("team_id", flat=True))


def generation(*, viewer: Viewer, reader: int | None) -> list[str]:
    """Changes with the teams that the viewer sees, their members, and what the reader leads."""
    teams = queryset(viewer=viewer).order_by("pk").values_list("pk", "slug", "name", "colour")
    members = Membership.objects.filter(team__in=teams.values("pk")).order_by("pk")
    return [
        *map(repr, teams),
        *map(repr, members.values_list("pk", "team_id", "user__username", "role")),
        *map(str, sorted(_led(reader))),
    ]
