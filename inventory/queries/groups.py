"""The card wall in numbers: one row for each kind of card."""

from collections import defaultdict
from decimal import Decimal
from typing import Any

import msgspec
from django.db.models import Count, Q, QuerySet

from inventory.dra.units import Unit, short_name
from inventory.models import Card
from inventory.models.devices import DeviceState
from inventory.queries.at_once import Questions, number_of_different
from inventory.queries.dimensions import ratio
from inventory.queries.kinds import Kind, Kinds, KindSum, over, sharing
from inventory.viewer import EVERYTHING


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


class Groups:
    """The rows, and the row of all; asked with other things. They tell of no team."""

    def __init__(self, cards: QuerySet[Card], questions: Questions) -> None:
        self._kinds = Kinds(cards, EVERYTHING, questions)
        self._counted = questions.ask(_counted(cards))
        on_nodes = cards.filter(node__isnull=False).order_by()
        self._nodes = questions.ask(number_of_different(on_nodes, "node"))

    def found(self) -> tuple[tuple[GroupRow, ...], GroupRow]:
        sums = {one.kind: one for one in self._kinds.found()}
        counted: dict[Kind, dict[str, int]] = defaultdict(lambda: dict.fromkeys((*_COUNTS, "nodes"), 0))
        for driver, product, partitioned, *numbers, shareable in self._counted.rows:
            kind = Kind(driver, product, sharing(partitioned=partitioned, shareable=bool(shareable)))
            counted[kind] = dict(zip((*_COUNTS, "nodes"), numbers, strict=True))
        rows = tuple(
            _row(kind, counted[kind], [sums[kind]] if kind in sums else []) for kind in sorted(counted)
        )
        total = {name: sum(one[name] for one in counted.values()) for name in _COUNTS}
        total["nodes"] = self._nodes.number
        return rows, _row(None, total, list(sums.values()))


def groups(cards: QuerySet[Card]) -> tuple[tuple[GroupRow, ...], GroupRow]:
    return Groups(cards, Questions()).found()


def _counted(cards: QuerySet[Card]) -> QuerySet[Any, Any]:
    states = {
        "free": (DeviceState.FREE,),
        "partly": (DeviceState.PARTLY_ALLOCATED,),
        "full": (DeviceState.FULL, DeviceState.DEDICATED),
        "over": (DeviceState.OVER_ALLOCATED,),
        "unavailable": (DeviceState.UNAVAILABLE,),
        "unknown": (DeviceState.NOT_PUBLISHED, DeviceState.UNKNOWN),
    }
    found: QuerySet[Any, Any] = (
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
    return found


def _row(kind: Kind | None, counts: dict[str, int], sums: list[KindSum]) -> GroupRow:
    return GroupRow(kind=kind, **counts, memory_left=_left(sums, "memory"), cores_left=_left(sums, "cores"))


def _left(sums: list[KindSum], name: str) -> Decimal | None:
    """Of several units, only percent of a card can be added up over kinds of cards; null: there is none."""
    units = {one.unit for kind in sums for one in kind.dimensions if short_name(one.name) == name}
    if not units:
        return None
    summed = over(sums, name, units.pop() if len(units) == 1 else Unit.PERCENT)
    return ratio(summed.remaining, summed.total)


class States:
    """How many cards there are, and how many of them are in which state; tainted ones are in a state too."""

    def __init__(self, cards: QuerySet[Card], questions: Questions) -> None:
        counted = cards.order_by().values_list("state", "tainted").annotate(number=Count("pk"))
        self._rows = questions.ask(counted)

    def found(self) -> dict[str, int]:
        found = dict.fromkeys(("cards", "tainted_cards", *_NAMES.values()), 0)
        for state, tainted, number in self._rows.rows:
            found["cards"] += number
            found[_NAMES[state]] += number
            found["tainted_cards"] += number if tainted else 0
        return found


_NAMES = {
    DeviceState.FREE: "free",
    DeviceState.PARTLY_ALLOCATED: "partly",
    DeviceState.FULL: "full",
    DeviceState.DEDICATED: "full",
    DeviceState.OVER_ALLOCATED: "over",
    DeviceState.UNAVAILABLE: "cards_unavailable",
    DeviceState.NOT_PUBLISHED: "cards_unknown",
    DeviceState.UNKNOWN: "cards_unknown",
}
