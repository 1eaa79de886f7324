"""What teams hold and what they wait for, measured against each of their quotas."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, Self

import msgspec
from django.db.models import Count, Exists, OuterRef, Q

from inventory.dra.quotas.equivalents import Told, total
from inventory.dra.quotas.pending import CARD_EQUIVALENTS, CARDS, is_named, of_request
from inventory.dra.quotas.standing import Measured, Standing, measured
from inventory.dra.units import Unit, unit_of
from inventory.kube.quantity import Notation
from inventory.models import Card, Cluster, DeviceClass, KindState, Share, TeamQuota
from inventory.queries import card_holdings, holdings, pending_use
from inventory.queries.card_holdings import HeldBy, Holdings, Kept
from inventory.queries.holdings import TEAM, Held, Key, Number
from inventory.queries.pending_use import Alike, KindOf, Waiting
from inventory.reasons import Reason

# What a quota may choose devices by, as paths from a share.
_SET = ("cluster_id", "device__pool__driver", "device__card__product", "device_class")


class Uses:
    """What some teams hold and wait for, read once for all their quotas; of all, where none is named."""

    def __init__(self, teams: Collection[int] | None = None) -> None:
        """Everything is read when it is needed first."""
        self._teams = teams

    @classmethod
    def of(cls, quotas: Sequence[TeamQuota]) -> Self:
        return cls({one.team_id for one in quotas})

    @cached_property
    def held(self) -> Mapping[Key, Mapping[str, Held]]:
        """By team, cluster, driver, product and device class, and by dimension."""
        whose = {} if self._teams is None else {"claim__team__in": self._teams}
        return holdings.amounts(Share.objects.filter(**whose), (TEAM, *_SET))

    @cached_property
    def cards_held(self) -> Holdings:
        return card_holdings.of_teams(self._teams, self.unkept)

    @property
    def unkept(self) -> list[int]:
        """Clusters of which what is held of each card is told by shares alone."""
        return [cluster for cluster, seen in self._seen.items() if not seen.cards_kept]

    def kept_of(self, team: int | None) -> Kept:
        found = self._kept_by_team[team]
        return Kept(card_holdings.added(found), total(one.equivalents for one in found))

    def amounts_of(self, team: int | None) -> dict[tuple[str, str], dict[str, Held]]:
        """By driver and product, and by dimension."""
        return amounts_over(self._held_by_team[team])

    @cached_property
    def _kept_by_team(self) -> defaultdict[int | None, list[Kept]]:
        found: defaultdict[int | None, list[Kept]] = defaultdict(list)
        for key, one in self.cards_held.of_all.items():
            found[key.team].append(one)
        return found

    @cached_property
    def _held_by_team(self) -> defaultdict[int | None, list[tuple[Key, Mapping[str, Held]]]]:
        found: defaultdict[int | None, list[tuple[Key, Mapping[str, Held]]]] = defaultdict(list)
        for key, amounts in self.held.items():
            found[key[0]].append((key, amounts))
        return found

    def standing(self, quota: TeamQuota) -> Standing:
        return Standing(measured(quota.limit), self.used(quota), self.pending(quota)[0])

    def used(self, quota: TeamQuota) -> Measured:
        unread = [reason for pk, reason in self._unread.items() if quota.cluster_id in (None, pk)]
        return self._used(quota) + Measured(unknown=len(unread), reasons=tuple(unread))

    def number(self, quota: TeamQuota) -> Number:
        return card_holdings.added(self._kept(quota))

    def cards(self, quota: TeamQuota) -> int | None:
        """How many known cards the limit is on; None where none is known and one may be there.

        Which cards a class selects is not asked, so that of a class that there is it is not told either.
        """
        clusters = [one for one in self._seen if quota.cluster_id in (None, one)]
        if quota.device_class:
            return None if any(self._may_have(one, quota.device_class) for one in clusters) else 0
        found = sum(
            number
            for (cluster, driver, product), number in self._cards.items()
            if cluster in clusters and quota.driver in ("", driver) and quota.product in ("", product)
        )
        is_unread = any(not self._seen[one].slices_read for one in clusters)
        return None if not found and is_unread else found

    def _may_have(self, cluster: int, device_class: str) -> bool:
        return device_class in self._device_classes[cluster] or not self._seen[cluster].classes_read

    def pending(self, quota: TeamQuota) -> tuple[Measured, int]:
        """With how many claims there are that wait for such devices, or may do so."""
        waits, claims = Measured(), 0
        unknown: dict[str, Told] = {}
        for one in self._waiting(quota):
            found = _asked(quota, one)
            waits += Measured(found.known * one.claims, found.unknown * one.claims)
            claims += one.claims * bool(found.known or found.unknown)
            for reason in found.reasons:
                unknown[reason] = unknown.get(reason, Told(one.name)).and_more(one.claims)
        reasons = tuple(told.of(reason) for reason, told in unknown.items())
        if claims and len(self.units(quota)) > 1:
            return Measured(
                unknown=max(1, waits.unknown), reasons=(Reason.UNITS_DIFFER.value, *reasons)
            ), claims
        return Measured(waits.known, waits.unknown, reasons), claims

    def units(self, quota: TeamQuota) -> set[Unit]:
        """In which what is held, and what waits, is counted."""
        waiting = (unit for one in self._waiting(quota) for unit in _units_of(quota, one))
        return {*self._units_held(quota), *waiting}

    def _units_held(self, quota: TeamQuota) -> set[Unit]:
        return {
            unit_of(key[2], name, held.amount.notation if held.amount else Notation.DECIMAL)
            for key, name, held in self._of_dimension(quota)
        }

    def _waiting(self, quota: TeamQuota) -> Iterator[Waiting]:
        return (one for one in self._pending[quota.team_id] if quota.cluster_id in (None, one.cluster))

    def _used(self, quota: TeamQuota) -> Measured:
        if quota.dimension == CARDS:
            return Measured(Fraction(self.number(quota).cards))
        if quota.dimension == CARD_EQUIVALENTS:
            return self._in_equivalents(quota)
        if len(self._units_held(quota)) > 1:
            return Measured(unknown=1, reasons=(Reason.UNITS_DIFFER.value,))
        found = Measured()
        for _key, _name, held in self._of_dimension(quota):
            found += _measured(held)
        unreadable = self.number(quota).unreadable
        return found + Measured(
            unknown=unreadable, reasons=(Reason.SHARES_UNREADABLE.value,) if unreadable else ()
        )

    def _in_equivalents(self, quota: TeamQuota) -> Measured:
        sum_ = total(one.equivalents for one in self._kept(quota))
        return Measured(sum_.known, sum_.unknown, sum_.reasons)

    def _of_dimension(self, quota: TeamQuota) -> Iterable[tuple[Key, str, Held]]:
        for key, amounts in self._held_by_team[quota.team_id]:
            if _is_in(quota, HeldBy(*key[:-1]), key[-1]):
                yield from (
                    (key, name, held) for name, held in amounts.items() if is_named(quota.dimension, name)
                )

    def _kept(self, quota: TeamQuota) -> list[Kept]:
        """A card counts once in its class and once in all, so these are not sums of sums."""
        found = self.cards_held
        if quota.device_class:
            return [one for key, one in found.of_classes.items() if _is_in(quota, *key)]
        return [one for key, one in found.of_all.items() if _is_in(quota, key, "")]

    @cached_property
    def _pending(self) -> defaultdict[int | None, list[Waiting]]:
        found: defaultdict[int | None, list[Waiting]] = defaultdict(list)
        of_teams = [one for one in self._alike if one.team is not None]
        for one in pending_use.waiting(of_teams, self._device_classes) if of_teams else ():
            found[one.team].append(one)
        return found

    @cached_property
    def pending_claims(self) -> Counter[int | None]:
        """How many claims of each team wait for devices."""
        found: Counter[int | None] = Counter()
        for one in self._alike:
            found[one.team] += one.number
        return found

    @cached_property
    def _alike(self) -> list[Alike]:
        return pending_use.alike(self._teams)

    @cached_property
    def _cards(self) -> dict[tuple[Any, ...], int]:
        counted = Card.objects.order_by().values_list("cluster_id", "pool__driver", "product")
        return {tuple(of): number for *of, number in counted.annotate(Count("pk"))}

    @cached_property
    def _device_classes(self) -> defaultdict[int, dict[str, Any]]:
        """Their specs, by cluster and name."""
        found: defaultdict[int, dict[str, Any]] = defaultdict(dict)
        for cluster, name, spec in DeviceClass.objects.order_by().values_list("cluster_id", "name", "spec"):
            found[cluster][name] = spec
        return found

    @property
    def _unread(self) -> dict[int, str]:
        """Clusters of which it is not known who holds what, and why, by name."""
        return {
            cluster: Reason.OF_DEVICE.format(name=seen.name, reason=Reason.CLAIMS_NEVER_READ.value)
            for cluster, seen in self._seen.items()
            if not seen.claims_read
        }

    @cached_property
    def _seen(self) -> "dict[int, _Seen]":
        """By cluster, in the order of their names."""
        read = KindState.objects.filter(cluster=OuterRef("pk"), succeeded_at__isnull=False)
        found = Cluster.objects.order_by("name").annotate(
            slices_read=Exists(read.filter(kind="resourceslices")),
            classes_read=Exists(read.filter(kind="deviceclasses")),
            claims_read=Q(observed_at__isnull=False) | Exists(read.filter(kind="resourceclaims")),
            cards_kept=~card_holdings.not_kept(),
        )
        return {pk: _Seen(*row) for pk, *row in found.values_list("pk", *_Seen._fields)}


class _Seen(NamedTuple):
    """What of a cluster was read, and whether what is held of its cards is kept."""

    name: str
    slices_read: bool
    classes_read: bool
    claims_read: bool
    cards_kept: bool


def amounts_over(
    held: Iterable[tuple[Key, Mapping[str, Held]]],
) -> dict[tuple[str, str], dict[str, Held]]:
    """Over teams, clusters and device classes: by driver and product, and by dimension."""
    found: defaultdict[tuple[str, str], dict[str, Held]] = defaultdict(dict)
    for (_team, _cluster, driver, product, _class), amounts in held:
        of_product = found[driver, product]
        for name, one in amounts.items():
            of_product[name] = of_product[name] + one if name in of_product else one
    return dict(found)


def _is_in(quota: TeamQuota, of: HeldBy, device_class: str) -> bool:
    return (
        of.team == quota.team_id
        and quota.cluster_id in (None, of.cluster)
        and quota.driver in ("", of.driver)
        and quota.product in ("", of.product)
        and quota.device_class in ("", device_class)
    )


def _measured(held: Held) -> Measured:
    known = measured(held.amount) if held.amount is not None else Fraction(0)
    return Measured(known, held.unknown, (Reason.SHARES_AMOUNT_UNKNOWN.value,) if held.unknown else ())


def _asked(quota: TeamQuota, claim: Waiting) -> Measured:
    """Of one of the claims."""
    if claim.problem:
        return Measured(unknown=1, reasons=(claim.problem,))
    waits = Measured()
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
        waits += of_request(quota.dimension, asked)
    return waits


def _units_of(quota: TeamQuota, claim: Waiting) -> Iterator[Unit]:
    """Of the devices of the quota that it may get."""
    for one in chain.from_iterable(claim.requests):
        for kind in () if isinstance(one.kinds, str) else one.kinds:
            if kind.kind.counted and _may_be_in(quota, one.request.device_class, kind):
                for name, dimension in kind.kind.dimensions.items():
                    if is_named(quota.dimension, name):
                        yield unit_of(kind.driver, name, dimension.total.notation)


def _may_be_in(quota: TeamQuota, device_class: str, kind: KindOf) -> bool:
    return (
        quota.driver in ("", kind.driver)
        and quota.product in ("", kind.product)
        and quota.device_class in ("", device_class)
    )
