"""Sums over cards: how much there is, how much of it is allocated, what is left and can be had.

Every sum says what it leaves out. Amounts of different drivers or products are never added up.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec
from django.db.models import Count, Q, QuerySet

from inventory.kube.quantity import Quantity
from inventory.models import Balance, Card
from inventory.models.devices import DeviceState
from inventory.queries.dimensions import ratio
from inventory.queries.sums import halves, summed

_IN_USE = (
    DeviceState.PARTLY_ALLOCATED,
    DeviceState.FULL,
    DeviceState.DEDICATED,
    DeviceState.OVER_ALLOCATED,
)
_GROUPED_BY = (
    "card__pool__driver",
    "card__product",
    "card__state",
    "card__tainted",
    "dimension",
    "exponent",
    "notation",
)
_KNOWN = Q(total__isnull=False, allocated__isnull=False, remaining__isnull=False)


class TotalRow(msgspec.Struct, frozen=True):
    """One dimension over the cards of a driver and product.

    `remaining` falls apart into `usable`, `stranded` (on cards where another dimension is used up) and
    `unavailable` (on cards that are tainted or cannot be used now). The amounts cover `cards`, and leave
    out `cards_unknown`, of which a number is not known. Null: no card is covered.
    """

    driver: str
    product: str | None
    dimension: str
    cards: int
    cards_unknown: int
    total: Quantity | None
    allocated: Quantity | None
    remaining: Quantity | None
    usable: Quantity | None
    stranded: Quantity | None
    unavailable: Quantity | None
    ratio: Decimal | None


class CardCounts(msgspec.Struct, frozen=True):
    """How many cards of a driver and product are in each state; `tainted` ones are in a state too."""

    driver: str
    product: str | None
    cards: int
    in_use: int
    tainted: int
    states: dict[str, int]


class _Sums(msgspec.Struct):
    cards: int = 0
    cards_unknown: int = 0
    amounts: dict[str, Quantity] = {}

    def add(self, name: str, amount: Quantity) -> None:
        self.amounts[name] = self.amounts[name] + amount if name in self.amounts else amount


def by_product(cards: QuerySet[Card]) -> list[TotalRow]:
    """One row for each driver, product and dimension, in that order."""
    return [row for rows in grouped(cards, None).values() for row in rows]


def by_node(cards: QuerySet[Card]) -> dict[int | None, list[TotalRow]]:
    """The same for each node, by its id; None for cards of no single node."""
    return grouped(cards, "node_id")


def grouped(cards: QuerySet[Card], field: str | None) -> dict[Any, list[TotalRow]]:
    """The same for each value of a field of the cards; all under None where there is no field."""
    found = grouped_by(cards, [field] if field else [])
    return {values[0] if values else None: rows for values, rows in found.items()}


def grouped_by(cards: QuerySet[Card], fields: Sequence[str]) -> dict[tuple[Any, ...], list[TotalRow]]:
    """The same for each combination of the values of several fields."""
    sums: defaultdict[tuple[Any, ...], dict[tuple[str, str, str], _Sums]] = defaultdict(dict)
    for group in _groups(cards, [f"card__{field}" for field in fields]):
        key = (group["card__pool__driver"], group["card__product"], group["dimension"])
        values = tuple(group[f"card__{field}"] for field in fields)
        _add(sums[values].setdefault(key, _Sums()), group)
    return {values: [_row(*key, one) for key, one in sorted(rows.items())] for values, rows in sums.items()}


def card_counts(cards: QuerySet[Card]) -> list[CardCounts]:
    """One row for each driver and product, in that order."""
    counted = (
        cards.order_by().values_list("pool__driver", "product", "state", "tainted").annotate(Count("pk"))
    )
    states: defaultdict[tuple[str, str], defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    tainted: defaultdict[tuple[str, str], int] = defaultdict(int)
    for driver, product, state, is_tainted, count in counted:
        states[driver, product][state] += count
        tainted[driver, product] += count if is_tainted else 0
    return [
        CardCounts(
            driver=driver,
            product=product or None,
            cards=sum(found.values()),
            in_use=sum(found[state] for state in _IN_USE),
            tainted=tainted[driver, product],
            states={state.value: found[state] for state in DeviceState},
        )
        for (driver, product), found in sorted(states.items())
    ]


def over_products(rows: Iterable[TotalRow]) -> list[TotalRow]:
    """Rows of one driver's products added up by driver and dimension; their product is null."""
    sums: dict[tuple[str, str], list[TotalRow]] = {}
    for row in rows:
        sums.setdefault((row.driver, row.dimension), []).append(row)
    return [_added(driver, dimension, found) for (driver, dimension), found in sorted(sums.items())]


def _groups(cards: QuerySet[Card], fields: Sequence[str]) -> Iterable[Mapping[str, Any]]:
    balances = Balance.objects.filter(card__in=cards.order_by().values("pk")).order_by()
    groups: Iterable[Mapping[str, Any]] = balances.values(*dict.fromkeys((*fields, *_GROUPED_BY))).annotate(
        known=Count("pk", filter=_KNOWN),
        unknown=Count("pk", filter=~_KNOWN),
        **halves("total_sum", "total", _KNOWN),
        **halves("allocated_sum", "allocated", _KNOWN),
        **halves("remaining_sum", "remaining", _KNOWN),
    )
    return groups


def _add(sums: _Sums, group: Mapping[str, Any]) -> None:
    sums.cards += group["known"]
    sums.cards_unknown += group["unknown"]
    if not group["known"]:
        return
    remaining = summed(group, "remaining_sum")
    sums.add("total", summed(group, "total_sum"))
    sums.add("allocated", summed(group, "allocated_sum"))
    sums.add("remaining", remaining)
    kind = _kind_of_room(group["card__state"], tainted=group["card__tainted"])
    for name in ("usable", "stranded", "unavailable"):
        sums.add(name, remaining if name == kind else Quantity(0, remaining.notation))


def _kind_of_room(state: str, *, tainted: bool) -> str:
    if tainted or state in (DeviceState.UNAVAILABLE, DeviceState.NOT_PUBLISHED, DeviceState.UNKNOWN):
        return "unavailable"
    return "usable" if state in (DeviceState.FREE, DeviceState.PARTLY_ALLOCATED) else "stranded"


def _row(driver: str, product: str, dimension: str, sums: _Sums) -> TotalRow:
    found = sums.amounts
    return TotalRow(
        driver=driver,
        product=product or None,
        dimension=dimension,
        cards=sums.cards,
        cards_unknown=sums.cards_unknown,
        total=found.get("total"),
        allocated=found.get("allocated"),
        remaining=found.get("remaining"),
        usable=found.get("usable"),
        stranded=found.get("stranded"),
        unavailable=found.get("unavailable"),
        ratio=ratio(found.get("allocated"), found.get("total")),
    )


def _added(driver: str, dimension: str, rows: Sequence[TotalRow]) -> TotalRow:
    sums = _Sums(sum(row.cards for row in rows), sum(row.cards_unknown for row in rows))
    for row in rows:
        for name in ("total", "allocated", "remaining", "usable", "stranded", "unavailable"):
            if (amount := getattr(row, name)) is not None:
                sums.add(name, amount)
    return _row(driver, "", dimension, sums)
