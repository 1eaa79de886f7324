"""The card wall in numbers: one row for each kind of card."""

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import msgspec
from django.db.models import Count, Q, QuerySet

from inventory.dra.units import Unit, short_name
from inventory.models import Card
from inventory.models.devices import DeviceState
from inventory.queries.dimensions import ratio
from inventory.queries.kinds import Kind, KindSum, by_kind, over, sharing
from inventory.viewer import Viewer

_NOBODY = Viewer(frozenset())


class GroupRow(msgspec.Struct, frozen=True):
    """Every card is in one of the states; `unknown` ones are not published, or were never read."""

    kind: Kind | None
    nodes: int
    cards: int
    free: int
    partly: int
    full: int
    over: int
    unavailable: int
    unknown: int
    tainted: int
    memory_left: Decimal | None
    cores_left: Decimal | None


_COUNTS = ("cards", "free", "partly", "full", "over", "unavailable", "unknown", "tainted")


def groups(cards: QuerySet[Card]) -> tuple[tuple[GroupRow, ...], GroupRow]:
    """The rows, and the row of all. They tell of no team."""
    sums = {one.kind: one for one in by_kind(cards, {}, viewer=_NOBODY)}
    counted: dict[Kind, dict[str, int]] = defaultdict(lambda: dict.fromkeys((*_COUNTS, "nodes"), 0))
    for driver, product, partitioned, *numbers, shareable in _counted(cards):
        kind = Kind(driver, product, sharing(partitioned=partitioned, shareable=bool(shareable)))
        counted[kind] = dict(zip((*_COUNTS, "nodes"), numbers, strict=True))
    rows = tuple(_row(kind, counted[kind], [sums[kind]] if kind in sums else []) for kind in sorted(counted))
    total = {name: sum(one[name] for one in counted.values()) for name in _COUNTS}
    total["nodes"] = cards.order_by().aggregate(nodes=Count("node", distinct=True))["nodes"]
    return rows, _row(None, total, list(sums.values()))


def _counted(cards: QuerySet[Card]) -> Iterable[tuple[Any, ...]]:
    states = {
        "free": (DeviceState.FREE,),
        "partly": (DeviceState.PARTLY_ALLOCATED,),
        "full": (DeviceState.FULL, DeviceState.DEDICATED),
        "over": (DeviceState.OVER_ALLOCATED,),
        "unavailable": (DeviceState.UNAVAILABLE,),
        "unknown": (DeviceState.NOT_PUBLISHED, DeviceState.UNKNOWN),
    }
    return (
        cards.order_by()
        .values_list("pool__driver", "product", "partitioned")
        .annotate(
            n_cards=Count("pk"),
            **{f"n_{name}": Count("pk", filter=Q(state__in=some)) for name, some in states.items()},
            n_tainted=Count("pk", filter=Q(tainted=True)),
            n_nodes=Count("node", distinct=True),
            n_shareable=Count("pk", filter=Q(shareable=True)),
        )
    )


def _row(kind: Kind | None, counts: dict[str, int], sums: list[KindSum]) -> GroupRow:
    return GroupRow(kind=kind, **counts, memory_left=_left(sums, "memory"), cores_left=_left(sums, "cores"))


def _left(sums: list[KindSum], name: str) -> Decimal | None:
    """Of several units, only percent of a card can be added up over kinds of cards; null: there is none."""
    units = {one.unit for kind in sums for one in kind.dimensions if short_name(one.name) == name}
    if not units:
        return None
    summed = over(sums, name, units.pop() if len(units) == 1 else Unit.PERCENT)
    return ratio(summed.remaining, summed.total)


def states(cards: QuerySet[Card]) -> dict[str, int]:
    """How many cards there are, and how many of them are in which state; tainted ones are in a state too."""
    counted = cards.order_by().aggregate(
        cards=Count("pk"),
        free=Count("pk", filter=Q(state=DeviceState.FREE)),
        partly=Count("pk", filter=Q(state=DeviceState.PARTLY_ALLOCATED)),
        full=Count("pk", filter=Q(state__in=(DeviceState.FULL, DeviceState.DEDICATED))),
        over=Count("pk", filter=Q(state=DeviceState.OVER_ALLOCATED)),
        cards_unavailable=Count("pk", filter=Q(state=DeviceState.UNAVAILABLE)),
        cards_unknown=Count("pk", filter=Q(state__in=(DeviceState.NOT_PUBLISHED, DeviceState.UNKNOWN))),
        tainted_cards=Count("pk", filter=Q(tainted=True)),
    )
    return dict(counted)
