"""Teams: what each holds, what waits, what it should hold at most."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime
from fractions import Fraction
from typing import Any

import msgspec
from django.db.models import Count, Q, QuerySet

from inventory.dra.quotas.equivalents import of_card, summed
from inventory.dra.quotas.standing import at_least, measured
from inventory.dra.units import Unit, short_name, unit_of
from inventory.kube.quantity import Notation, Quantity, total
from inventory.models import Claim, Membership, Namespace, Share, Team, TeamQuota
from inventory.models.visibility import visible
from inventory.queries import holdings, pods, quotas
from inventory.queries.filters import Filters, Names, Ordering, Search
from inventory.queries.holdings import TEAM, Held, Number
from inventory.queries.pods import PodState
from inventory.queries.quotas import QuotaRow
from inventory.viewer import EVERYTHING, Viewer

KINDS = ("resourceslices", "resourceclaims", "deviceclasses", "pods", "namespaces")
_NOTHING = Number(0, 0, 0, 0, 0)
_BY_PRODUCT = ("device__pool__driver", "device__card__product")


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


def rows(page: Iterable[Team], now: datetime, *, viewer: Viewer, reader: int | None) -> list[TeamRow]:
    """A fixed number of queries. `reader` is the id of the user who reads, who may lead some of the teams."""
    teams = list(page)
    ids = [team.pk for team in teams]
    uses = _uses(Share.objects.filter(claim__team__in=ids), ids)
    namespaces, members = _namespaces(ids), _members(ids)
    led = _led(reader)
    limits = _quotas(ids, now)
    return [
        TeamRow(
            id=team.pk,
            slug=team.slug,
            name=team.name,
            colour=team.colour,
            namespaces=tuple(namespaces[team.pk]),
            members=tuple(members[team.pk]) if viewer.teams is None or team.pk in led else None,
            use=uses[team.pk],
            quotas=tuple(limits[team.slug]),
        )
        for team in teams
    ]


def one(slug: str, now: datetime, *, viewer: Viewer, reader: int | None) -> TeamRow | None:
    found = queryset(viewer=viewer).filter(slug=slug)
    return next(iter(rows(found, now, viewer=viewer, reader=reader)), None)


def others(*, viewer: Viewer) -> OthersRow:
    """All that no team holds which the viewer may see; for an operator, what belongs to no team."""
    return OthersRow(_use_of_others(viewer), withheld=viewer.teams is not None)


def _use_of_others(viewer: Viewer) -> Use:
    own = visible(Team, viewer, "claim__team")
    foreign = Q(claim__team=None) if viewer.teams is None else ~own | Q(claim__team=None)
    shares = Share.objects.filter(foreign)
    number = _added(holdings.numbers(shares, ()).values())
    parts = holdings.card_parts(shares, ())
    amounts = holdings.amounts(shares, _BY_PRODUCT)
    pending = Claim.objects.filter(state=Claim.State.PENDING)
    of_pods = Q(team=None) if viewer.teams is None else ~Q(team__in=viewer.teams) | Q(team=None)
    states = _pod_states(pods.queryset(viewer=EVERYTHING).filter(of_pods), by_team=False)
    return _use(
        number,
        [part for of_key in parts.values() for part in of_key.values()],
        [(*key, held) for key, held in amounts.items()],
        claims_pending=pending.filter(of_pods).count(),
        states=Counter({state: count for (_, state), count in states.items()}),
    )


def _uses(shares: QuerySet[Share], teams: Collection[int]) -> dict[int, Use]:
    numbers = holdings.numbers(shares, (TEAM,))
    parts = holdings.card_parts(shares, (TEAM,))
    amounts: defaultdict[int, list[tuple[str, str, dict[str, Held]]]] = defaultdict(list)
    for (team, driver, product), held in holdings.amounts(shares, (TEAM, *_BY_PRODUCT)).items():
        amounts[team].append((driver, product, held))
    pending = _pending(teams)
    states = _pod_states(pods.queryset(viewer=EVERYTHING).filter(team__in=teams), by_team=True)
    return {
        team: _use(
            numbers.get((team,), _NOTHING),
            list(parts.get((team,), {}).values()),
            amounts[team],
            claims_pending=pending[team],
            states=Counter({state: count for (of, state), count in states.items() if of == team}),
        )
        for team in teams
    }


def _use(
    number: Number,
    cards: Iterable[holdings.CardPart],
    amounts: Iterable[tuple[str, str, dict[str, Held]]],
    *,
    claims_pending: int,
    states: Counter[str],
) -> Use:
    equivalents = summed((card.name, of_card(card.parts, whole=card.whole)) for card in cards)
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
            for driver, product, of_key in sorted(amounts, key=lambda one: (one[0], one[1] or ""))
            for name, held in sorted(of_key.items())
        ),
        reasons=equivalents.reasons,
    )


def _is(one: HeldAmount, name: str, unit: Unit) -> bool:
    notation = one.held.notation if one.held else Notation.DECIMAL
    return short_name(one.dimension) == name and unit_of(one.driver, one.dimension, notation) is unit


def _fraction(amount: Fraction | None) -> str | None:
    return None if amount is None or measured(at_least(amount)) == amount else str(amount)


def _added(numbers: Iterable[Number]) -> Number:
    return next(iter(numbers), _NOTHING)


def _pending(teams: Collection[int]) -> Counter[int]:
    claims = Claim.objects.filter(team__in=teams, state=Claim.State.PENDING).order_by()
    return Counter(dict(claims.values_list("team_id").annotate(Count("pk"))))


def _pod_states(found: QuerySet[Any], *, by_team: bool) -> Counter[tuple[int | None, str]]:
    if not by_team:
        states = found.order_by().values_list("state").annotate(Count("pk", distinct=True))
        return Counter({(None, state): count for state, count in states})
    rows = found.order_by().values_list("team_id", "state").annotate(Count("pk", distinct=True))
    return Counter({(team, state): count for team, state, count in rows})


def _namespaces(teams: Collection[int]) -> defaultdict[int, list[TeamNamespaceRow]]:
    found: defaultdict[int, list[TeamNamespaceRow]] = defaultdict(list)
    rows = Namespace.objects.filter(team__in=teams).order_by("cluster__name", "name")
    for team, cluster, name in rows.values_list("team_id", "cluster__name", "name"):
        if team is not None:
            found[team].append(TeamNamespaceRow(cluster, name))
    return found


def _members(teams: Collection[int]) -> defaultdict[int, list[MemberRow]]:
    found: defaultdict[int, list[MemberRow]] = defaultdict(list)
    rows = Membership.objects.filter(team__in=teams).order_by("role", "user__username")
    for team, user, role in rows.values_list("team_id", "user__username", "role"):
        found[team].append(MemberRow(user, role))
    return found


def _led(reader: int | None) -> frozenset[int]:
    rows = Membership.objects.filter(user=reader, role=Membership.Role.LEAD)
    return frozenset(rows.values_list("team_id", flat=True))


def _quotas(teams: Collection[int], now: datetime) -> defaultdict[str, list[QuotaRow]]:
    found: defaultdict[str, list[QuotaRow]] = defaultdict(list)
    limits = TeamQuota.objects.in_force(now).filter(team__in=teams).select_related("team", "cluster")
    for row in quotas.rows(limits.order_by("dimension", "pk"), now):
        found[row.team].append(row)
    return found


def generation(*, viewer: Viewer, reader: int | None) -> list[str]:
    """Changes with the teams that the viewer sees, their members, and what the reader leads."""
    teams = queryset(viewer=viewer).order_by("pk").values_list("pk", "slug", "name", "colour")
    members = Membership.objects.filter(team__in=teams.values("pk")).order_by("pk")
    return [
        *map(repr, teams),
        *map(repr, members.values_list("pk", "team_id", "user__username", "role")),
        *map(str, sorted(_led(reader))),
    ]
