"""What teams hold and what they wait for, measured against each of their quotas."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Self

import msgspec
from django.db.models import Count, QuerySet

from inventory.dra.quotas.equivalents import Equivalents, Told, total
from inventory.dra.quotas.pending import CARD_EQUIVALENTS, CARDS, is_named, of_request
from inventory.dra.quotas.standing import Measured, Standing, measured
from inventory.dra.units import Unit, unit_of
from inventory.kube.quantity import Notation
from inventory.models import Card, Cluster, DeviceClass, KindState, Share, TeamQuota
from inventory.queries import holdings, pending_use
from inventory.queries.holdings import TEAM, Held, Key, Number, added
from inventory.queries.pending_use import KindOf, Waiting
from inventory.queries.requested import ClassOf

UNREADABLE = "shares that say nothing of how much they hold"
AMOUNT_UNKNOWN = "shares whose amount cannot be read"
UNITS = "amounts of different units cannot be added up: limit a single driver"
NEVER_READ = "resource claims were never read"

# What a quota may choose devices by, as paths from a share; the device class is added where one is named.
_SET = ("cluster_id", "device__pool__driver", "device__card__product")
_CLASS = "requested_class"


class _Sums:
    """What shares hold, by the values of the keys; each sum is made once, when it is asked for."""

    def __init__(self, shares: QuerySet[Share], keys: Sequence[str]) -> None:
        self._shares, self._keys = shares, keys

    @cached_property
    def amounts(self) -> dict[Key, dict[str, Held]]:
        return holdings.amounts(self._shares, self._keys)

    @cached_property
    def numbers(self) -> dict[Key, Number]:
        return holdings.numbers(self._shares, self._keys)

    @cached_property
    def equivalents(self) -> dict[Key, Equivalents]:
        return holdings.equivalents(self._shares, self._keys)


class Uses:
    """What some teams hold and wait for, read once for all their quotas."""

    def __init__(self, teams: Collection[int], *, by_class: bool = False) -> None:
        """`by_class` where one of the quotas names a device class."""
        shares = Share.objects.filter(claim__team__in=teams)
        classed = shares.annotate(**{_CLASS: ClassOf("claim__spec", "request")})
        self._teams = teams
        self._all = _Sums(shares, (TEAM, *_SET))
        self._by_class = _Sums(classed, (TEAM, *_SET, _CLASS))
        # Amounts add up over classes: where they are read by class, that is enough.
        self._finest = self._by_class if by_class else self._all

    @classmethod
    def of(cls, quotas: Sequence[TeamQuota]) -> Self:
        return cls({one.team_id for one in quotas}, by_class=any(one.device_class for one in quotas))

    def number_of(self, team: int) -> Number:
        """A card is of one cluster, driver and product, so that cards add up too."""
        return added(one for key, one in self._all.numbers.items() if key[0] == team)

    def equivalents_of(self, team: int) -> Equivalents:
        return total(one for key, one in self._all.equivalents.items() if key[0] == team)

    def amounts_of(self, team: int) -> dict[Key, dict[str, Held]]:
        """By driver and product, and by dimension."""
        found: defaultdict[Key, dict[str, Held]] = defaultdict(dict)
        for key, amounts in self._finest.amounts.items():
            if key[0] == team:
                of_product = found[key[2], key[3]]
                for name, held in amounts.items():
                    of_product[name] = of_product[name] + held if name in of_product else held
        return dict(found)

    def standing(self, quota: TeamQuota) -> Standing:
        return Standing(measured(quota.limit), self.used(quota), self.pending(quota)[0])

    def used(self, quota: TeamQuota) -> Measured:
        unread = [name for pk, name in self._unread.items() if quota.cluster_id in (None, pk)]
        found = self._used(quota)
        return found + Measured(unknown=len(unread), reasons=tuple(f"{one}: {NEVER_READ}" for one in unread))

    def number(self, quota: TeamQuota) -> list[Number]:
        return [one for key, one in self._of(quota).numbers.items() if _is_in(quota, key)]

    def cards(self, quota: TeamQuota) -> int | None:
        """How many known cards the limit is on; None where none is known and one may be there.

        Which cards a class selects is not asked, so that of a class that there is it is not told either.
        """
        clusters = [one for one in self._clusters if quota.cluster_id in (None, one)]
        if quota.device_class:
            return None if any(self._may_have(one, quota.device_class) for one in clusters) else 0
        found = sum(
            number
            for (cluster, driver, product), number in self._cards.items()
            if cluster in clusters and quota.driver in ("", driver) and quota.product in ("", product)
        )
        is_unread = any((one, "resourceslices") not in self._read for one in clusters)
        return None if not found and is_unread else found

    def _may_have(self, cluster: int, device_class: str) -> bool:
        return (cluster, device_class) in self._classes or (cluster, "deviceclasses") not in self._read

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
        reasons = tuple(f"{told}: {reason}" for reason, told in unknown.items())
        if claims and len(self.units(quota)) > 1:
            return Measured(unknown=max(1, waits.unknown), reasons=(UNITS, *reasons)), claims
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
            return Measured(Fraction(sum(one.cards for one in self.number(quota))))
        if quota.dimension == CARD_EQUIVALENTS:
            return self._in_equivalents(quota)
        if len(self._units_held(quota)) > 1:
            return Measured(unknown=1, reasons=(UNITS,))
        found = Measured()
        for _key, _name, held in self._of_dimension(quota):
            found += _measured(held)
        unreadable = sum(one.unreadable for one in self.number(quota))
        return found + Measured(unknown=unreadable, reasons=(UNREADABLE,) if unreadable else ())

    def _in_equivalents(self, quota: TeamQuota) -> Measured:
        sum_ = total(one for key, one in self._of(quota).equivalents.items() if _is_in(quota, key))
        return Measured(sum_.known, sum_.unknown, sum_.reasons)

    def _of_dimension(self, quota: TeamQuota) -> Iterable[tuple[Key, str, Held]]:
        for key, amounts in self._finest.amounts.items():
            if _is_in(quota, key):
                yield from (
                    (key, name, held) for name, held in amounts.items() if is_named(quota.dimension, name)
                )

    def _of(self, quota: TeamQuota) -> _Sums:
        """A card counts once in its class and once in all, so these are not sums of sums."""
        return self._by_class if quota.device_class else self._all

    @cached_property
    def _pending(self) -> defaultdict[int, list[Waiting]]:
        found: defaultdict[int, list[Waiting]] = defaultdict(list)
        for one in pending_use.of_teams(self._teams):
            found[one.team].append(one)
        return found

    @cached_property
    def _cards(self) -> dict[tuple[int, str, str], int]:
        columns = ("cluster_id", "pool__driver", "product")
        counts = Card.objects.order_by().values_list(*columns).annotate(Count("pk"))
        return {(cluster, driver, product): number for cluster, driver, product, number in counts}

    @cached_property
    def _classes(self) -> frozenset[tuple[int, str]]:
        return frozenset(DeviceClass.objects.order_by().values_list("cluster_id", "name"))

    @cached_property
    def _clusters(self) -> Sequence[int]:
        return list(Cluster.objects.order_by().values_list("pk", flat=True))

    @cached_property
    def _read(self) -> frozenset[tuple[int, str]]:
        """Clusters, and which kinds of them were read at some time."""
        kinds = KindState.objects.filter(kind__in=("resourceslices", "deviceclasses")).order_by()
        return frozenset(kinds.exclude(succeeded_at=None).values_list("cluster_id", "kind"))

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
