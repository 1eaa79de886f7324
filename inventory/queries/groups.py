"""The card wall in numbers: one row for each kind of card."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec
from django.db.models import Count, Q, QuerySet

from inventory.dra.units import Unit, short_name
from inventory.models import Card
from inventory.models.devices import DeviceState
from inventory.queries.dimensions import ratio
from inventory.queries.kinds import Kind, KindKey, KindSum, added_up, over


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


_STATES = {
    "free": (DeviceState.FREE,),
    "partly": (DeviceState.PARTLY_ALLOCATED,),
    "full": (DeviceState.FULL, DeviceState.DEDICATED),
    "over": (DeviceState.OVER_ALLOCATED,),
    "unavailable": (DeviceState.UNAVAILABLE,),
    "unknown": (DeviceState.NOT_PUBLISHED, DeviceState.UNKNOWN),
}
_COUNTS = ("cards", *_STATES, "tainted")
_COLUMNS = (*_COUNTS, "nodes", "shareable")


class Counted:
    """The cards of each kind, by their states: one query."""

    def __init__(self, cards: QuerySet[Card]) -> None:
        self._cards = cards
        self._rows: dict[KindKey, dict[str, int]] = {
            tuple(row[:3]): dict(zip(_COLUMNS, row[3:], strict=True)) for row in _counted(cards)
        }
        # Tainted ones are in a state too.
        self.total = {name: sum(one[name] for one in self._rows.values()) for name in _COUNTS}

    def groups(self) -> tuple[tuple[GroupRow, ...], GroupRow]:
        """The rows, and the row of all. They tell of no team."""
        numbers = {key: (one["cards"], one["shareable"]) for key, one in self._rows.items()}
        sums = added_up(self._cards, numbers)
        rows = [_row(one.kind, self._rows[key], [one]) for key, one in _by_name(sums)]
        nodes = self._cards.order_by().aggregate(nodes=Count("node", distinct=True))
        return tuple(rows), _row(None, {**self.total, **nodes}, list(sums.values()))


def _by_name(sums: Mapping[KindKey, KindSum]) -> list[tuple[KindKey, KindSum]]:
    return sorted(sums.items(), key=lambda found: found[1].kind)


def _counted(cards: QuerySet[Card]) -> Iterable[tuple[Any, ...]]:
    return (
        cards.order_by()
        .values_list("partitioned", "pool__driver", "product")
        .annotate(
            n_cards=Count("pk"),
            **{f"n_{name}": Count("pk", filter=Q(state__in=some)) for name, some in _STATES.items()},
            n_tainted=Count("pk", filter=Q(tainted=True)),
            n_nodes=Count("node", distinct=True),
            n_shareable=Count("pk", filter=Q(shareable=True)),
        )
    )


def _row(kind: Kind | None, counts: Mapping[str, int], sums: Sequence[KindSum]) -> GroupRow:
    return GroupRow(
        kind=kind,
        **{name: counts[name] for name in (*_COUNTS, "nodes")},
        memory_left=_left(sums, "memory"),
        cores_left=_left(sums, "cores"),
    )


def _left(sums: Iterable[KindSum], name: str) -> Decimal | None:
    """Of several units, only percent of a card can be added up over kinds of cards; null: there is none."""
    found = [one for kind in sums for one in kind.dimensions if short_name(one.name) == name and one.total]
    units = {one.unit for one in found}
    if not units:
        return None
    summed = over(sums, name, units.pop() if len(units) == 1 else Unit.PERCENT)
    return ratio(summed.remaining, summed.total)
