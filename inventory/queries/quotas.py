"""What teams should hold at most, beside what they hold and what waits.

Nothing of it is enforced in a cluster.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from functools import cached_property
from typing import Any

import msgspec
from django.db.models import QuerySet

from inventory.dra.quotas.equivalents import of_card, summed
from inventory.dra.quotas.pending import CARD_EQUIVALENTS, CARDS, is_named, of_request
from inventory.dra.quotas.standing import Measured, Standing, State, at_least, at_most, measured
from inventory.dra.units import Unit, unit_of
from inventory.kube.quantity import Notation, Quantity
from inventory.models import Cluster, KindState, Share, TeamQuota
from inventory.models.visibility import visible
from inventory.queries import holdings, pending_use
from inventory.queries.filters import Filters, Names, Ordering, Truth, cluster_filter, team_filter
from inventory.queries.holdings import TEAM, CardPart, Held, Key, Number
from inventory.queries.pending_use import KindOf, PendingClaim
from inventory.queries.requested import ClassOf
from inventory.viewer import Viewer

KINDS = ("resourceslices", "resourceclaims", "deviceclasses")
UNREADABLE = "shares that say nothing of how much they hold"
AMOUNT_UNKNOWN = "shares whose amount cannot be read"
UNITS = "amounts of different units cannot be added up: limit a single driver"
NEVER_READ = "resource claims were never read"

# What a quota may choose devices by, as paths from a share; the device class is added where one is named.
_SET = ("cluster_id", "device__pool__driver", "device__card__product")
_CLASS = "requested_class"


class QuotaRow(msgspec.Struct, frozen=True):
    """A limit, and how the team stands against it; `version` changes with what the limit says.

    Null for `cluster`, `driver`, `product` or `device_class`: any of them.

    `used`, `headroom` and `over` are null where they are not known; `used_at_least` is then what is known.
    `pending` is what claims would take that are not allocated yet, `pending_claims` so many of them, and of
    `pending_unknown` requests it cannot be told; `reasons` say why. `fraction` is `used` where no decimal
    number is exactly that. Nothing of it is enforced in a cluster.
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


def rows(page: Iterable[TeamQuota], now: datetime) -> list[QuotaRow]:
    """A fixed number of queries, whatever the number of quotas."""
    quotas = list(page)
    uses = Uses(quotas)
    return [_row(one, uses, now) for one in quotas]


def one(quota_id: int, now: datetime, *, viewer: Viewer) -> QuotaRow | None:
    return next(iter(rows(queryset(viewer=viewer).filter(pk=quota_id), now)), None)


class Uses:
    """What the teams of some quotas hold and wait for, read once for all of them."""

    def __init__(self, quotas: Sequence[TeamQuota]) -> None:
        self._quotas = quotas
        self._teams = {one.team_id for one in quotas}
        self._with_class = any(one.device_class for one in quotas)

    def standing(self, quota: TeamQuota) -> Standing:
        return Standing(measured(quota.limit), self.used(quota), self.pending(quota)[0])

    def used(self, quota: TeamQuota) -> Measured:
        unread = [name for pk, name in self._unread.items() if quota.cluster_id in (None, pk)]
        found = self._used(quota)
        return found + Measured(unknown=len(unread), reasons=tuple(f"{one}: {NEVER_READ}" for one in unread))

    def number(self, quota: TeamQuota) -> list[Number]:
        found = self._numbers_by_class if quota.device_class else self._numbers
        return [one for key, one in found.items() if _is_in(quota, key)]

    def pending(self, quota: TeamQuota) -> tuple[Measured, int]:
        """With how many claims there are that wait for such devices, or may do so."""
        total, claims = Measured(), 0
        for claim in self._pending[quota.team_id]:
            if quota.cluster_id not in (None, claim.cluster):
                continue
            found = _of_claim(quota, claim)
            total, claims = total + found, claims + bool(found.known or found.unknown)
        return total, claims

    def units(self, quota: TeamQuota) -> set[Unit]:
        return {
            unit_of(key[2], name, held.amount.notation if held.amount else Notation.DECIMAL)
            for key, name, held in self._of_dimension(quota)
        }

    def _used(self, quota: TeamQuota) -> Measured:
        if quota.dimension == CARDS:
            return Measured(Fraction(sum(one.cards for one in self.number(quota))))
        if quota.dimension == CARD_EQUIVALENTS:
            return self._equivalents(quota)
        if len(self.units(quota)) > 1:
            return Measured(unknown=1, reasons=(UNITS,))
        found = Measured()
        for _key, _name, held in self._of_dimension(quota):
            found += _measured(held)
        unreadable = sum(one.unreadable for one in self.number(quota))
        return found + Measured(unknown=unreadable, reasons=(UNREADABLE,) if unreadable else ())

    def _equivalents(self, quota: TeamQuota) -> Measured:
        found = self._parts_by_class if quota.device_class else self._parts
        cards: list[CardPart] = [
            part for key, parts in found.items() if _is_in(quota, key) for part in parts.values()
        ]
        total = summed((card.name, of_card(card.parts, whole=card.whole)) for card in cards)
        return Measured(total.known, total.unknown, total.reasons)

    def _of_dimension(self, quota: TeamQuota) -> Iterable[tuple[Key, str, Held]]:
        for key, amounts in self._amounts.items():
            if _is_in(quota, key):
                yield from (
                    (key, name, held) for name, held in amounts.items() if is_named(quota.dimension, name)
                )

    @property
    def _shares(self) -> QuerySet[Share]:
        return Share.objects.filter(claim__team__in=self._teams)

    @property
    def _shares_with_class(self) -> QuerySet[Share]:
        return self._shares.annotate(**{_CLASS: ClassOf("claim__spec", "request")})

    @cached_property
    def _amounts(self) -> dict[Key, dict[str, Held]]:
        """Sums of sums: by class too, where one of the quotas names a class."""
        if self._with_class:
            return holdings.amounts(self._shares_with_class, (TEAM, *_SET, _CLASS))
        return holdings.amounts(self._shares, (TEAM, *_SET))

    @cached_property
    def _numbers(self) -> dict[Key, Number]:
        return holdings.numbers(self._shares, (TEAM, *_SET))

    @cached_property
    def _numbers_by_class(self) -> dict[Key, Number]:
        return holdings.numbers(self._shares_with_class, (TEAM, *_SET, _CLASS))

    @cached_property
    def _parts(self) -> dict[Key, dict[int, CardPart]]:
        return holdings.card_parts(self._shares, (TEAM, *_SET))

    @cached_property
    def _parts_by_class(self) -> dict[Key, dict[int, CardPart]]:
        return holdings.card_parts(self._shares_with_class, (TEAM, *_SET, _CLASS))

    @cached_property
    def _pending(self) -> defaultdict[int, list[PendingClaim]]:
        found: defaultdict[int, list[PendingClaim]] = defaultdict(list)
        for claim in pending_use.of_teams(self._teams):
            found[claim.team].append(claim)
        return found

    @cached_property
    def _unread(self) -> Mapping[int, str]:
        """Clusters of which it is not known who holds what."""
        read = KindState.objects.filter(kind="resourceclaims", succeeded_at__isnull=False).values("cluster")
        clusters = Cluster.objects.filter(observed_at=None).exclude(pk__in=read).order_by("name")
        return dict(clusters.values_list("pk", "name"))


def _is_in(quota: TeamQuota, key: Key) -> bool:
    """`key` is (team, cluster, driver, product), and the device class where it was asked for."""
    team, cluster, driver, product, *of_class = key
    return (
        team == quota.team_id
        and quota.cluster_id in (None, cluster)
        and quota.driver in ("", driver)
        and quota.product in ("", product)
        and (not quota.device_class or of_class == [quota.device_class])
    )


def _measured(held: Held) -> Measured:
    known = measured(held.amount) if held.amount is not None else Fraction(0)
    return Measured(known, held.unknown, (AMOUNT_UNKNOWN,) if held.unknown else ())


def _of_claim(quota: TeamQuota, claim: PendingClaim) -> Measured:
    name = f"{claim.namespace}/{claim.name}"
    if claim.problem:
        return Measured(unknown=1, reasons=(f"{name}: {claim.problem}",))
    total = Measured()
    for alternatives in claim.requests:
        asked = [
            (
                one.request,
                one.kinds
                if isinstance(one.kinds, str)
                else [
                    msgspec.structs.replace(
                        kind.kind,
                        counted=kind.kind.counted and _may_be_in(quota, one.request.device_class, kind),
                    )
                    for kind in one.kinds
                ],
            )
            for one in alternatives
        ]
        total += of_request(quota.dimension, asked)
    return Measured(total.known, total.unknown, tuple(f"{name}: {reason}" for reason in total.reasons))


def _may_be_in(quota: TeamQuota, device_class: str, kind: KindOf) -> bool:
    return (
        quota.driver in ("", kind.driver)
        and quota.product in ("", kind.product)
        and quota.device_class in ("", device_class)
    )


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
        shares_gone=sum(one.gone for one in uses.number(quota)),
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
