"""What is held, summed in the database: amounts by dimension, cards, and of each card the parts of a team.

Only accelerators are counted, and no admin access: what it sees it does not hold. A claim that many Pods use
is one share. A share that has a device to itself holds all that the device publishes.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import msgspec
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Value

from inventory.dra.quotas.equivalents import Part, of_card
from inventory.kube.quantity import Quantity
from inventory.models import Balance, ConsumedCapacity, Share
from inventory.models.amounts import to_quantity
from inventory.queries.sums import halves, summed

TEAM = "claim__team_id"
_GONE = Q(device__listed=False)
# Of a card that a share has to itself, and not a partition of it. Of what is not listed, nobody knows.
WHOLE_CARD = (
    Q(dedicated=True)
    & (Q(device__card__partitioned=False) | Q(device__name=F("device__card__key")))
    & Q(device__listed=True)
)
_CONSUMED = Exists(ConsumedCapacity.objects.filter(share=OuterRef("pk")))
_UNREADABLE = (Q(dedicated=True) & _GONE) | (Q(dedicated=False) & ~Q(problem="") & ~Q(_CONSUMED))

Key = tuple[Any, ...]


class Held(msgspec.Struct, frozen=True):
    """Of one dimension, but for `unknown` shares, whose amount is not known."""

    amount: Quantity | None = None
    unknown: int = 0

    def __add__(self, other: "Held") -> "Held":
        if self.amount is None or other.amount is None:
            return Held(self.amount if other.amount is None else other.amount, self.unknown + other.unknown)
        return Held(self.amount + other.amount, self.unknown + other.unknown)


class Number(msgspec.Struct, frozen=True):
    """How many shares, and on how many cards; `whole` cards are held alone.

    `gone` shares are on devices that no resource slice lists any more, `unreadable` ones say nothing of how
    much they hold.
    """

    shares: int
    cards: int
    whole: int
    gone: int
    unreadable: int


class CardPart(msgspec.Struct, frozen=True):
    """What a team holds of a card, by dimension, and how much of it there is.

    `unreadable`: a share of it says nothing of how much it holds.
    """

    parts: Mapping[str, Part]
    whole: bool
    unreadable: bool
    name: str

    @property
    def equivalent(self) -> Fraction | str:
        """How much of a card that is; a text says why it is not known."""
        return of_card(self.parts, whole=self.whole, unreadable=self.unreadable)


def counted(shares: QuerySet[Share]) -> QuerySet[Share]:
    return shares.filter(admin_access=False, device__accelerator=True).order_by()


def amounts(shares: QuerySet[Share], keys: Sequence[str]) -> dict[Key, dict[str, Held]]:
    """By the values of the keys, which are paths from a share, and by dimension."""
    held = counted(shares)
    consumed = _groups(held.filter(dedicated=False), keys, "consumed", "amount")
    offered = _groups(held.filter(dedicated=True), keys, "device__balances", "total")
    found: defaultdict[Key, dict[str, Held]] = defaultdict(dict)
    for *key, dimension, exponent, notation, known, unknown, high, low in consumed.union(offered, all=True):
        group = {"exponent": exponent, "notation": notation, "held_high": high, "held_low": low}
        one = Held(summed(group, "held") if known else None, unknown)
        of_key = found[tuple(key)]
        of_key[dimension] = of_key[dimension] + one if dimension in of_key else one
    return dict(found)


def numbers(shares: QuerySet[Share], keys: Sequence[str]) -> dict[Key, Number]:
    """A card that is held through several values of a key counts for each of them."""
    card = "device__card"
    groups = (
        counted(shares)
        # Without any key, all are one group.
        .annotate(all=Value(0))
        .values_list("all", *keys)
        .annotate(
            n_shares=Count("pk"),
            n_cards=Count(card, distinct=True),
            n_whole=Count(card, distinct=True, filter=WHOLE_CARD),
            n_gone=Count("pk", filter=_GONE),
            n_unreadable=Count("pk", filter=_UNREADABLE),
        )
    )
    ends = len(keys) + 1
    return {tuple(row[1:ends]): Number(*row[ends:]) for row in groups}


def added(numbers: Iterable[Number]) -> Number:
    """Over groups that have no card in common."""
    found = list(numbers)
    return Number(*(sum(getattr(one, name) for one in found) for name in Number.__struct_fields__))


def card_parts(shares: QuerySet[Share], keys: Sequence[str]) -> dict[Key, dict[int, CardPart]]:
    """Of each card that is held; what of it is not known is None in its part."""
    shares = shares.filter(device__card__isnull=False)
    columns = (*keys, "device__card_id", "device__card__key")
    held = amounts(shares, columns)
    marks = _marks(shares, columns)
    totals = _totals(counted(shares))
    found: defaultdict[Key, dict[int, CardPart]] = defaultdict(dict)
    for place in dict.fromkeys((*held, *marks)):
        *key, card, name = place
        whole, unreadable = marks.get(place, (False, False))
        parts = _parts(held.get(place, {}), totals[card])
        found[tuple(key)][card] = CardPart(parts, whole, unreadable, name)
    return dict(found)


def _marks(shares: QuerySet[Share], columns: Sequence[str]) -> dict[Key, tuple[bool, bool]]:
    """Whether it is held whole, whether a share is unreadable: of cards whose amounts do not say it all."""
    special = counted(shares).filter(Q(dedicated=True) | ~Q(problem="") | ~Q(_CONSUMED))
    marked = special.values_list(*columns).annotate(
        n_whole=Count("pk", filter=WHOLE_CARD), n_unreadable=Count("pk", filter=_UNREADABLE)
    )
    return {tuple(place): (bool(whole), bool(unreadable)) for *place, whole, unreadable in marked}


def _parts(held: Mapping[str, Held], totals: Mapping[str, Quantity | None]) -> dict[str, Part]:
    return {
        dimension: Part(None if one.unknown else one.amount, totals.get(dimension))
        for dimension, one in held.items()
    }


def _totals(shares: QuerySet[Share]) -> defaultdict[int, dict[str, Quantity | None]]:
    balances = Balance.objects.filter(card__in=shares.values("device__card")).order_by()
    found: defaultdict[int, dict[str, Quantity | None]] = defaultdict(dict)
    columns = ("card_id", "dimension", "total", "exponent", "notation")
    for card, dimension, total, exponent, notation in balances.values_list(*columns).iterator():
        found[card][dimension] = to_quantity(total, exponent, notation)
    return found


def _groups(shares: QuerySet[Share], keys: Sequence[str], path: str, column: str) -> QuerySet[Any, Any]:
    amount = f"{path}__{column}"
    found: QuerySet[Any, Any] = (
        shares.filter(**{f"{path}__isnull": False})
        .values_list(*keys, *(f"{path}__{field}" for field in ("dimension", "exponent", "notation")))
        .annotate(
            n_known=Count(amount),
            n_unknown=Count("pk", filter=Q(**{f"{amount}__isnull": True})),
            **halves("held", amount),
        )
    )
    return found
