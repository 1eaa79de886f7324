"""How many cards teams hold, and how much of them: added up from what polls keep of each card.

The larger share of a card's dimensions is a fraction. Those of the same denominator are added up in the
database, and only one number for each of these is left to add. Of clusters that were last read before this
was kept, shares tell it, as polls put it together.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import msgspec
from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet, Sum

from inventory.dra.quotas.equivalents import Equivalents, Told, summed, total
from inventory.models import CardHolding, Share
from inventory.queries import holdings
from inventory.queries.holdings import Key, Number
from inventory.queries.sums import halves, whole

_TEAM, _CLASS = CardHolding.Scope.TEAM, CardHolding.Scope.CLASS
_EVERYBODY = CardHolding.Scope.EVERYBODY
_SET = ("team_id", "card__cluster_id", "card__pool__driver", "card__product")
# The same, seen from a share.
_SET_OF_SHARES = (holdings.TEAM, "cluster_id", "device__pool__driver", "device__card__product")


class HeldBy(NamedTuple):
    """Somebody, and the cards of one cluster, driver and product."""

    team: int | None
    cluster: int
    driver: str
    product: str


class Kept(msgspec.Struct, frozen=True):
    """Over some cards."""

    number: Number
    equivalents: Equivalents


class Holdings(msgspec.Struct, frozen=True):
    """What each team holds, and the same through each device class."""

    of_all: Mapping[HeldBy, Kept]
    of_classes: Mapping[tuple[HeldBy, str], Kept]


def of_teams(teams: Collection[int] | None, unkept: Collection[int] = ()) -> Holdings:
    """Of these teams; of all, and of nobody, where it is None. One query, where no cluster is `not_kept`."""
    kept = _kept(teams)
    return _with_shares(kept, teams, unkept) if unkept else kept


def _kept(teams: Collection[int] | None) -> Holdings:
    rows = CardHolding.objects.filter(scope__in=(_TEAM, _CLASS))
    if teams is not None:
        rows = rows.filter(team__in=teams)
    of_all: defaultdict[HeldBy, _Sum] = defaultdict(_Sum)
    of_classes: defaultdict[tuple[HeldBy, str], _Sum] = defaultdict(_Sum)
    for row in _summed(rows, (*_SET, "scope", "single_class", "device_class")):
        team, cluster, driver, product, scope, single_class, device_class, *rest = row
        held_by, group = HeldBy(team, cluster, driver, product), _Group(*rest)
        if scope == _TEAM:
            of_all[held_by].add(group)
        if scope == _CLASS or single_class:
            of_classes[held_by, device_class].add(group)
    return Holdings(
        {key: one.kept() for key, one in of_all.items()},
        {key: one.kept() for key, one in of_classes.items()},
    )


def _with_shares(kept: Holdings, teams: Collection[int] | None, unkept: Collection[int]) -> Holdings:
    shares = Share.objects.filter(cluster__in=unkept, device__card__isnull=False)
    if teams is not None:
        shares = shares.filter(claim__team__in=teams)
    of_all = _of_shares(shares, _SET_OF_SHARES)
    of_classes = _of_shares(shares, (*_SET_OF_SHARES, "device_class"))
    return Holdings(
        {**kept.of_all, **{HeldBy(*key): one for key, one in of_all.items()}},
        {**kept.of_classes, **{(HeldBy(*key), name): one for (*key, name), one in of_classes.items()}},
    )


def _of_shares(shares: QuerySet[Share], keys: Sequence[str]) -> dict[Key, Kept]:
    """Whoever holds a share of a card has a part of it."""
    parts = holdings.card_parts(shares, keys)
    return {
        key: Kept(number, summed((card.name, card.equivalent) for card in parts.get(key, {}).values()))
        for key, number in holdings.numbers(shares, keys).items()
    }


def of_others(teams: Collection[int], unkept: Collection[int] = ()) -> Kept:
    """What all but these, and nobody, hold together: a card of which several have a part counts once.

    Cards of which these teams hold nothing are held by the others as by everybody. On the rest it is put
    together from shares: they are no more cards than these teams hold, but for clusters that are `not_kept`.
    """
    own = CardHolding.objects.filter(scope=_TEAM, team__in=teams)
    without_us = ~Exists(own.filter(card=OuterRef("card")))
    elsewhere = _Sum()
    for row in _summed(CardHolding.objects.filter(without_us, scope=_EVERYBODY), ()):
        elsewhere.add(_Group(*row))
    return _together(elsewhere.kept(), _beside(own, teams, unkept))


def _beside(own: QuerySet[CardHolding], teams: Collection[int], unkept: Collection[int]) -> Kept:
    """What others hold of the cards that these teams hold too, and of all cards of the clusters."""
    of_others = ~Q(claim__team__in=teams) | Q(claim__team=None)
    where = Q(device__card__in=own.order_by().values("card"))
    if unkept:
        where |= Q(cluster__in=unkept, device__card__isnull=False)
    return _together(*_of_shares(Share.objects.filter(of_others, where), ()).values())


def _together(*several: Kept) -> Kept:
    """Of different cards."""
    return Kept(added(several), total(one.equivalents for one in several))


def not_kept() -> Q:
    """Of clusters: that what is held there was read before it was kept by cards."""
    held = holdings.counted(Share.objects.filter(cluster=OuterRef("pk"), device__card__isnull=False))
    kept = CardHolding.objects.filter(card__cluster=OuterRef("pk"))
    return Q(Exists(held)) & ~Q(Exists(kept))


def added(found: Iterable[Kept]) -> Number:
    """A card is of one cluster, driver and product, so that cards add up over them."""
    return holdings.added(one.number for one in found)


class _Group(NamedTuple):
    """Cards whose parts have the same denominator, or are not known for the same reason."""

    per: int | None
    problem: str
    first: str
    cards: int
    shares: int
    whole: int
    gone: int
    unreadable: int
    high: int
    low: int


class _Sum:
    def __init__(self) -> None:
        self._numbers: list[Number] = []
        self._parts: defaultdict[int, int] = defaultdict(int)
        self._unknown: dict[str, Told] = {}

    def add(self, group: _Group) -> None:
        self._numbers.append(Number(group.shares, group.cards, group.whole, group.gone, group.unreadable))
        if group.per is None:
            told = self._unknown.get(group.problem, Told(group.first))
            self._unknown[group.problem] = Told(min(told.first, group.first), told.number + group.cards)
        else:
            self._parts[group.per] += whole(group.high, group.low)

    def kept(self) -> Kept:
        known = sum((Fraction(part, per) for per, part in self._parts.items()), Fraction(0))
        reasons = sorted(self._unknown.items(), key=lambda one: (one[1].first, one[0]))
        equivalents = Equivalents(
            known,
            sum(told.number for _, told in reasons),
            tuple(told.of(problem) for problem, told in reasons),
        )
        return Kept(holdings.added(self._numbers), equivalents)


def _summed(rows: QuerySet[CardHolding], keys: Collection[str]) -> QuerySet[Any, Any]:
    """By the keys, and then as `_Group` has it."""
    grouped = rows.order_by().values_list(*keys, "per", "problem")
    found: QuerySet[Any, Any] = grouped.annotate(
        first=Min("card__key"),
        n_cards=Count("pk"),
        n_shares=Sum("shares"),
        n_whole=Count("pk", filter=Q(whole=True)),
        n_gone=Sum("gone"),
        n_unreadable=Sum("unreadable"),
        **halves("part_sum", "part"),
    )
    return found
