"""What teams should hold at most, beside what they hold and what waits.

Nothing of it is enforced in a cluster.
"""

import hashlib
from collections.abc import Collection, Iterable
from datetime import datetime
from fractions import Fraction
from typing import Any

import msgspec
from django.db.models import QuerySet

from inventory.dra.quotas.pending import CARD_EQUIVALENTS, CARDS
from inventory.dra.quotas.standing import Standing, State, at_least, at_most, measured
from inventory.dra.units import Unit, unit_of
from inventory.kube.quantity import Notation, Quantity
from inventory.models import TeamQuota
from inventory.models.visibility import visible
from inventory.queries.filters import Filters, Names, Ordering, Truth, cluster_filter, team_filter
from inventory.queries.uses import Uses
from inventory.viewer import Viewer

KINDS = ("resourceslices", "resourceclaims", "deviceclasses")


class QuotaRow(msgspec.Struct, frozen=True):
    """A limit, and how the team stands against it; `version` changes with what the limit says.

    Null for `cluster`, `driver`, `product` or `device_class`: any of them.

    `used`, `headroom` and `over` are null where they are not known; `used_at_least` is then what is known.
    `pending` is what claims would take that are not allocated yet, `pending_claims` so many of them, and of
    `pending_unknown` requests it cannot be told; `reasons` say why. `fraction` is `used` where no decimal
    number is exactly that. `cards` is how many known cards the limit is on: 0 where nothing has such a name;
    null where it is not known: of a device class that there is, or where no such card is known and a cluster
    was never read. Nothing of it is enforced in a cluster.
    """

    id: int
    version: str
    team: str
    dimension: str
    unit: Unit
    limit: Quantity
    hard: bool
    cluster: str | None
    driver: str | None
    product: str | None
    device_class: str | None
    starts_at: datetime | None
    ends_at: datetime | None
    in_force: bool
    note: str
    cards: int | None
    state: State
    used: Quantity | None
    used_at_least: Quantity
    fraction: str | None
    headroom: Quantity | None
    over: Quantity | None
    pending: Quantity | None
    pending_at_least: Quantity
    pending_claims: int
    pending_unknown: int
    shares_gone: int
    reasons: tuple[str, ...]


class QuotaFilter(Filters):
    team = team_filter("team__slug")
    cluster = cluster_filter()
    driver = Names(field_name="driver")
    product = Names(field_name="product")
    device_class = Names(field_name="device_class")
    dimension = Names(field_name="dimension")
    hard = Truth(field_name="hard")
    ordering = Ordering(
        fields={
            "id": "id",
            "team__slug": "team",
            "dimension": "dimension",
            "starts_at": "starts_at",
            "ends_at": "ends_at",
        }
    )

    class Meta:
        model = TeamQuota
        fields = ()


def queryset(*, viewer: Viewer) -> QuerySet[TeamQuota]:
    """Those of the teams that the viewer may see."""
    found = TeamQuota.objects.select_related("team", "cluster").order_by("team__name", "dimension", "pk")
    return found.filter(visible(TeamQuota, viewer))


def rows(page: Iterable[TeamQuota], now: datetime, uses: Uses | None = None) -> list[QuotaRow]:
    """A fixed number of queries, whatever the number of quotas. `uses`: of their teams, where it was read."""
    quotas = list(page)
    uses = uses or Uses.of(quotas)
    return [_row(one, uses, now) for one in quotas]


def one(quota_id: int, now: datetime, *, viewer: Viewer) -> QuotaRow | None:
    return next(iter(rows(queryset(viewer=viewer).filter(pk=quota_id), now)), None)


def in_force(now: datetime, teams: Collection[int] | None = None) -> list[TeamQuota]:
    """Of these teams, or of all."""
    found = TeamQuota.objects.in_force(now).select_related("team", "cluster").order_by("dimension", "pk")
    return list(found if teams is None else found.filter(team__in=teams))


def exceeded(quotas: Iterable[TeamQuota], uses: Uses) -> int:
    """How many of these limits are."""
    return sum(uses.standing(one).state is State.OVER for one in quotas)


def _row(quota: TeamQuota, uses: Uses, now: datetime) -> QuotaRow:
    pending, claims = uses.pending(quota)
    standing = Standing(measured(quota.limit), uses.used(quota), pending)
    notation, used = Notation(quota.notation), standing.used
    return QuotaRow(
        id=quota.pk,
        version=version(quota),
        team=quota.team.slug,
        dimension=quota.dimension,
        unit=_unit(quota, uses),
        limit=quota.limit,
        hard=quota.hard,
        cluster=quota.cluster.name if quota.cluster else None,
        driver=quota.driver or None,
        product=quota.product or None,
        device_class=quota.device_class or None,
        starts_at=quota.starts_at,
        ends_at=quota.ends_at,
        in_force=is_in_force(quota, now),
        note=quota.note,
        cards=uses.cards(quota),
        state=standing.state,
        used=_told(used.exact, notation),
        used_at_least=at_least(used.known, notation),
        fraction=_fraction(used.exact),
        headroom=None if standing.headroom is None else at_most(standing.headroom, notation),
        over=_told(standing.over, notation),
        pending=_told(pending.exact, notation),
        pending_at_least=at_least(pending.known, notation),
        pending_claims=claims,
        pending_unknown=pending.unknown,
        shares_gone=uses.number(quota).gone,
        reasons=tuple(dict.fromkeys((*used.reasons, *pending.reasons))),
    )


def version(quota: TeamQuota) -> str:
    """Of what people have written of it."""
    columns = [getattr(quota, field.attname) for field in TeamQuota._meta.concrete_fields]
    return hashlib.sha256(repr(columns).encode()).hexdigest()[:16]


def generation(now: datetime, *, viewer: Viewer) -> list[str]:
    """Changes with any quota that the viewer may see, and when one begins or ends."""
    return [f"{version(one)}:{is_in_force(one, now)}" for one in queryset(viewer=viewer).order_by("pk")]


def is_in_force(quota: TeamQuota, now: datetime) -> bool:
    begun = quota.starts_at is None or quota.starts_at <= now
    return begun and (quota.ends_at is None or now < quota.ends_at)


def _unit(quota: TeamQuota, uses: Uses) -> Unit:
    """As the amounts that are held, else as the dimension is usually read."""
    if quota.dimension in (CARDS, CARD_EQUIVALENTS):
        return Unit.COUNT
    found: set[Any] = uses.units(quota)
    if len(found) == 1:
        return Unit(found.pop())
    return unit_of(quota.driver or "*.project-hami.io", quota.dimension, Notation(quota.notation))


def _told(amount: Fraction | None, notation: Notation) -> Quantity | None:
    return None if amount is None else at_least(amount, notation)


def _fraction(amount: Fraction | None) -> str | None:
    """Where billionths do not hold it exactly."""
    if amount is None or measured(at_least(amount)) == amount:
        return None
    return str(amount)
