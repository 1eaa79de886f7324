"""What is held of each card, and by whom: put together from shares once, when they change.

The rules are those by which `inventory.queries.holdings` reads shares, and a test compares the two.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Exists, OuterRef

from inventory.dra.quotas.equivalents import Part, of_card
from inventory.kube.quantity import Quantity
from inventory.models import CardHolding, Cluster, Device, Share, Team
from inventory.models.amounts import LARGEST
from inventory.reasons import Reason
from inventory.sync import amounts
from inventory.sync.reconcile import Key, Values, reconcile
from inventory.sync.touched import Touched, batches

KEY = ("card_id", "scope", "team_id", "device_class")
FIELDS = ("single_class", "shares", "gone", "unreadable", "whole", "part", "per", "problem")
# Pools that are put together at once: most have the cards of one node.
_POOLS = 100

_EVERYBODY, _TEAM, _CLASS = (one.value for one in CardHolding.Scope)
_Amounts = Mapping[str, Quantity | None]


class _Place(NamedTuple):
    """A device as a part of its card."""

    card: int
    all_of_it: bool
    listed: bool


class _Share(NamedTuple):
    """`held` is None in a dimension whose amount is not known."""

    place: _Place
    team: int | None
    device_class: str
    dedicated: bool
    unreadable: bool
    held: _Amounts


@dataclass
class _Sum:
    """Several shares of one card, as one who holds them all."""

    shares: int = 0
    gone: int = 0
    unreadable: int = 0
    whole: bool = False
    held: dict[str, Quantity | None] = field(default_factory=dict)
    classes: set[str] = field(default_factory=set)

    def add(self, share: _Share) -> None:
        self.shares += 1
        self.gone += not share.place.listed
        self.unreadable += share.unreadable
        self.whole |= share.dedicated and share.place.all_of_it and share.place.listed
        self.classes.add(share.device_class)
        for name, amount in share.held.items():
            self.held[name] = _added(self.held[name], amount) if name in self.held else amount


def write(cluster: Cluster, touched: Touched) -> None:
    """Of the cards of pools that were touched, and of those whose shares are somebody else's now."""
    passed_on = _pools_of_claims(cluster, touched.passed_on)
    touched.changes += rewrite(touched.pools | passed_on | _never_kept(cluster))


def pass_on(cluster: Cluster, uids: Iterable[str]) -> int:
    """Of the cards that these claims hold, and of those of teams that are gone; how many rows changed."""
    team = Team.objects.filter(pk=OuterRef("team"))
    orphaned = CardHolding.objects.filter(card__cluster=cluster, team__isnull=False).exclude(Exists(team))
    of_gone = set(orphaned.order_by().values_list("card__pool", flat=True).distinct())
    return rewrite(of_gone | _pools_of_claims(cluster, uids) | _never_kept(cluster))


def _never_kept(cluster: Cluster) -> set[int]:
    """Pools with shares that were read before this was kept: all of them, so that what is kept is whole."""
    if CardHolding.objects.filter(card__cluster=cluster).exists():
        return set()
    held = Share.objects.filter(cluster=cluster).order_by()
    return set(held.values_list("device__pool", flat=True).distinct())


def rewrite(pools: Collection[int]) -> int:
    """How many rows changed."""
    changes = 0
    for batch in batches(sorted(pools), _POOLS):
        stored = CardHolding.objects.filter(card__pool__in=batch)
        changes += reconcile(CardHolding, stored, KEY, FIELDS, desired(batch)).changes
    return changes


def desired(pools: Sequence[int]) -> dict[Key, Values]:
    """Everybody's, each team's, and where a team's came through several classes, that of each."""
    found: dict[Key, Values] = {}
    of_cards = _sums(pools)
    totals = amounts.totals("card", of_cards)
    for card, sums in of_cards.items():
        for (team, device_class), one in _by_team(sums).items():
            scope = _TEAM if device_class is None else _CLASS
            single = next(iter(one.classes)) if len(one.classes) == 1 else ""
            key = card, scope, team, single if device_class is None else device_class
            found[key] = _values(one, totals[card], single_class=scope == _TEAM and len(one.classes) == 1)
        everybody = _together(sums.values())
        found[card, _EVERYBODY, None, ""] = _values(everybody, totals[card], single_class=False)
    return found


_ByHolder = dict[tuple[int | None, str], _Sum]


def _sums(pools: Sequence[int]) -> dict[int, _ByHolder]:
    """Of each card, by team and device class."""
    found: defaultdict[int, defaultdict[tuple[int | None, str], _Sum]] = defaultdict(
        lambda: defaultdict(_Sum)
    )
    for share in _shares(pools):
        found[share.place.card][share.team, share.device_class].add(share)
    return {card: dict(sums) for card, sums in found.items()}


def _by_team(sums: _ByHolder) -> dict[tuple[int | None, str | None], _Sum]:
    """By team alone, and where that is not the same, by each of its classes too."""
    of_team: defaultdict[int | None, list[tuple[str, _Sum]]] = defaultdict(list)
    for (team, device_class), one in sums.items():
        of_team[team].append((device_class, one))
    found: dict[tuple[int | None, str | None], _Sum] = {}
    for team, several in of_team.items():
        if len(several) > 1:
            found.update({(team, device_class): one for device_class, one in several})
        found[team, None] = several[0][1] if len(several) == 1 else _together(one for _, one in several)
    return found


def _together(sums: Iterable[_Sum]) -> _Sum:
    found = _Sum()
    for one in sums:
        found.shares += one.shares
        found.gone += one.gone
        found.unreadable += one.unreadable
        found.whole |= one.whole
        found.classes |= one.classes
        for name, amount in one.held.items():
            found.held[name] = _added(found.held[name], amount) if name in found.held else amount
    return found


def _added(one: Quantity | None, other: Quantity | None) -> Quantity | None:
    """Not known where one of them is not."""
    return None if one is None or other is None else one + other


def _values(one: _Sum, totals: _Amounts, *, single_class: bool) -> Values:
    parts = {name: Part(amount, totals.get(name)) for name, amount in one.held.items()}
    part = of_card(parts, whole=one.whole, unreadable=one.unreadable > 0)
    counts = (single_class, one.shares, one.gone, one.unreadable, one.whole)
    if isinstance(part, str):
        return *counts, None, None, part
    if part.denominator > LARGEST:
        return *counts, None, None, Reason.PART_TOO_FINE.value
    return *counts, part.numerator, part.denominator, ""


def _shares(pools: Sequence[int]) -> Iterator[_Share]:
    places = _places(pools)
    columns = ("pk", "device_id", "dedicated", "device_class", "problem", "claim__team_id")
    for batch in batches(places):
        counted = Share.objects.filter(device__in=batch, admin_access=False).order_by()
        rows = list(counted.values_list(*columns))
        consumed = amounts.consumed([pk for pk, _, dedicated, *_ in rows if not dedicated])
        # What devices have, which who has one to himself holds.
        offered = amounts.totals("device", {device for _, device, dedicated, *_ in rows if dedicated})
        for pk, device, dedicated, device_class, problem, team in rows:
            place = places[device]
            held = offered[device] if dedicated else consumed[pk]
            unreadable = not place.listed if dedicated else bool(problem) and not held
            yield _Share(place, team, device_class, dedicated, unreadable, held)


def _places(pools: Sequence[int]) -> dict[int, _Place]:
    rows = Device.objects.filter(pool__in=pools, accelerator=True, card__isnull=False).order_by()
    columns = ("pk", "name", "listed", "card_id", "card__key", "card__partitioned")
    return {
        pk: _Place(card, not partitioned or name == key, listed)
        for pk, name, listed, card, key, partitioned in rows.values_list(*columns)
    }


def _pools_of_claims(cluster: Cluster, uids: Iterable[str]) -> set[int]:
    found: set[int] = set()
    for batch in batches(uids):
        held = Share.objects.filter(cluster=cluster, claim__cluster=cluster, claim__uid__in=batch)
        found.update(held.order_by().values_list("device__pool", flat=True).distinct())
    return found
