"""Who or what holds how much of which dimension: shares added up by any of the groups, or by two of them.

Amounts of different drivers or products are never added up, so each has a row of its own. A group of devices
(cluster, node, pool, driver, product) has a capacity; a team, a namespace or a device class only holds.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Any, NamedTuple, overload

import msgspec
from django.db.models import Q, QuerySet

from inventory.dra.units import Unit, unit_of
from inventory.kube.quantity import Notation, Quantity
from inventory.models import Card, Namespace, Pod, Share, Team
from inventory.models.devices import DeviceState
from inventory.models.visibility import visible
from inventory.queries import holdings, totals
from inventory.queries.cards import CardFilter
from inventory.queries.filters import (
    Filters,
    LabelSelector,
    Names,
    Related,
    Search,
    States,
    cluster_filter,
    team_filter,
)
from inventory.queries.holdings import Held, Number
from inventory.queries.requested import RequestedClass
from inventory.queries.totals import TotalRow
from inventory.viewer import Viewer

KINDS = ("resourceslices", "resourceclaims")
_CLASS = "device_class"
_PRODUCT = ("device__pool__driver", "device__card__product")
_NO_NUMBER = Number(0, 0, 0, 0, 0)


class Group(StrEnum):
    TEAM = "team"
    NAMESPACE = "namespace"
    NODE = "node"
    PRODUCT = "product"
    DRIVER = "driver"
    POOL = "pool"
    DEVICE_CLASS = "device_class"
    CLUSTER = "cluster"


class _Column(NamedTuple):
    """Where a group stands, seen from a share, and from a card where cards belong to one.

    `names`: not to everybody may it be told.
    """

    share: str
    card: str = ""
    names: bool = False


# A node, pool or namespace is one of its cluster.
_COLUMNS: Mapping[Group, Sequence[_Column]] = {
    Group.TEAM: (_Column("claim__team_id", names=True),),
    Group.NAMESPACE: (_Column("claim__namespace_id", names=True),),
    Group.NODE: (
        _Column("cluster__name", "cluster__name"),
        _Column("device__card__node__name", "node__name"),
    ),
    Group.PRODUCT: (),
    Group.DRIVER: (),
    Group.POOL: (
        _Column("cluster__name", "cluster__name"),
        _Column("device__pool__name", "pool__name"),
    ),
    Group.DEVICE_CLASS: (_Column(_CLASS),),
    Group.CLUSTER: (_Column("cluster__name", "cluster__name"),),
}
_ONLY_HELD = (Group.TEAM, Group.NAMESPACE, Group.DEVICE_CLASS)


class OccupancyRow(msgspec.Struct, frozen=True):
    """One dimension of the cards of a driver and product, in one group.

    Of the fields that name groups, those are null that were not asked for, and `team` also for namespaces of
    no team. `withheld`: the viewer may not read the names behind the row, which adds up all of these. `held`
    is what shares hold, but for `shares_unknown`; `total`, `allocated`, `remaining` and `ratio` are of the
    cards of the group, but for `cards_unknown`, and null where a group has no cards of its own. `cards` are
    those that are held, or a part of which is; one that two groups share counts for both.
    """

    cluster: str | None
    team: str | None
    namespace: str | None
    node: str | None
    pool: str | None
    device_class: str | None
    withheld: bool
    driver: str
    product: str | None
    dimension: str | None
    unit: Unit | None
    cards: int
    cards_whole: int
    shares: int
    held: Quantity | None
    shares_unknown: int
    total: Quantity | None
    allocated: Quantity | None
    remaining: Quantity | None
    ratio: Decimal | None
    cards_unknown: int | None


class OccupancyFilter(Filters):
    """On shares; those of cards that a `CardFilter` has too are on cards."""

    cluster = cluster_filter()
    namespace = Names(field_name="claim__namespace__name")
    team = team_filter("claim__team__slug")
    node = Names(field_name="device__card__node__name")
    driver = Names(field_name="device__pool__driver")
    pool = Names(field_name="device__pool__name")
    device = Names(field_name="device__name")
    device_class = RequestedClass(spec="claim__spec", request="request")
    product = Names(field_name="device__card__product")
    pod = Related(
        field_name="claim__pod_claims__pod__name",
        also={"claim__pod_claims__reserved": True},
        whose=(Pod, "claim__pod_claims__pod"),
    )
    claim = Names(field_name="claim__name")
    state = States(field_name="device__card__state", choices=DeviceState.choices)
    q = Search("device__card__key", "device__card__uuid", "device__card__product", "device__card__node__name")
    label_selector = LabelSelector(field_name="device__card__node__labels")

    class Meta:
        model = Share
        fields = ()


# Whoever asks for one of these asks about what some team holds.
_BY_HOLDER = ("namespace", "team", "pod", "claim")


def narrowed(filters: OccupancyFilter, *, viewer: Viewer) -> QuerySet[Share]:
    """Shares of those who may not be named are found by no name of theirs."""
    found = filters.filter_queryset(Share.objects.order_by())
    if any(filters.form.cleaned_data.get(name) for name in _BY_HOLDER):
        found = found.filter(visible(Share, viewer))
    return found


def rows(
    shares: QuerySet[Share], cards: QuerySet[Card], groups: Sequence[Group], *, viewer: Viewer
) -> Sequence[OccupancyRow]:
    """A fixed number of queries; `cards` are those whose capacity counts.

    Of two fine groups there are very many: a row is made when it is looked at.
    """
    found = _Occupancy(groups, viewer)
    found.add_held(shares)
    if not any(group in _ONLY_HELD for group in groups):
        found.add_capacity(cards)
    return found.rows()


class _Key(NamedTuple):
    """`values` are those of the columns of the groups; withheld ones are all the same."""

    values: tuple[Any, ...]
    withheld: bool
    driver: str
    product: str


class _Occupancy:
    def __init__(self, groups: Sequence[Group], viewer: Viewer) -> None:
        self._viewer = viewer
        # Two groups may have the cluster in common.
        pairs = dict.fromkeys((group, column) for group in groups for column in _COLUMNS[group])
        self._columns = list(dict.fromkeys(column for _, column in pairs))
        self._groups = groups
        self._held: defaultdict[_Key, dict[str, Held]] = defaultdict(dict)
        self._numbers: dict[_Key, Number] = {}
        self._totals: defaultdict[_Key, dict[str, TotalRow]] = defaultdict(dict)

    def add_held(self, shares: QuerySet[Share]) -> None:
        """What may be named and what may not are counted apart: of these, cards must count once."""
        named = Q()
        if self._viewer.teams is not None and any(one.names for one in self._columns):
            named = self._may_be_named()
            self._add(shares.filter(~named), withheld=True)
        self._add(shares.filter(named), withheld=False)

    def _may_be_named(self) -> Q:
        """Negated by the ORM, what belongs to no team is among those that may not."""
        found = Q()
        if Group.TEAM in self._groups:
            found &= visible(Team, self._viewer, "claim__team")
        if Group.NAMESPACE in self._groups:
            found &= visible(Share, self._viewer)
        return found

    def _add(self, shares: QuerySet[Share], *, withheld: bool) -> None:
        keys = (*(one.share for one in self._columns if not (withheld and one.names)), *_PRODUCT)
        for key, amounts in holdings.amounts(shares, keys).items():
            self._held[self._key(key, withheld=withheld)] = amounts
        for key, number in holdings.numbers(shares, keys).items():
            self._numbers[self._key(key, withheld=withheld)] = number

    def add_capacity(self, cards: QuerySet[Card]) -> None:
        fields = [one.card for one in self._columns]
        for values, found in totals.grouped_by(cards, fields).items():
            for row in found:
                key = _Key(values, withheld=False, driver=row.driver, product=row.product or "")
                self._totals[key][row.dimension] = row

    def rows(self) -> "_Rows":
        names = _Names(self._held, self._columns)
        keys = {*self._held, *self._numbers, *self._totals}
        ordered = sorted(keys, key=lambda key: _order(names.of(key), key))
        places = [(key, dimension) for key in ordered for dimension in self._dimensions(key)]
        return _Rows(places, lambda key, dimension: self._row(key, dimension, names))

    def _dimensions(self, key: _Key) -> Sequence[str | None]:
        found = sorted({*self._held.get(key, ()), *self._totals.get(key, ())})
        return found or [None]

    def _row(self, key: _Key, dimension: str | None, names: "_Names") -> OccupancyRow:
        held, capacity = self._held.get(key, {}), self._totals.get(key, {})
        fields = names.of(key) | self._of_kind(key)
        number = self._numbers.get(key, _NO_NUMBER)
        return _row(fields, dimension, number, held.get(dimension or ""), capacity.get(dimension or ""))

    def _of_kind(self, key: _Key) -> dict[str, Any]:
        return {"driver": key.driver, "product": key.product or None, "withheld": key.withheld}

    def _key(self, key: holdings.Key, *, withheld: bool) -> _Key:
        """What is withheld has no value in the columns that name somebody."""
        *given, driver, product = key
        values = iter(given)
        filled = tuple(None if withheld and one.names else next(values) for one in self._columns)
        return _Key(filled, withheld, driver, product or "")


class _Rows(Sequence[OccupancyRow]):
    def __init__(
        self,
        places: Sequence[tuple[_Key, str | None]],
        made: Callable[[_Key, str | None], OccupancyRow],
    ) -> None:
        self._places, self._made = places, made

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> OccupancyRow: ...

    @overload
    def __getitem__(self, place: slice) -> "_Rows": ...

    def __getitem__(self, place: int | slice) -> "OccupancyRow | _Rows":
        if isinstance(place, slice):
            return _Rows(self._places[place], self._made)
        return self._made(*self._places[place])


class _Names:
    """Ids of teams and namespaces by name, looked up once for all rows."""

    def __init__(self, keys: Iterable[_Key], columns: Sequence[_Column]) -> None:
        self._columns = [one.share for one in columns]
        self._teams = dict(Team.objects.in_bulk(self._ids(keys, "claim__team_id")))
        namespaces = Namespace.objects.select_related("cluster")
        self._namespaces = dict(namespaces.in_bulk(self._ids(keys, "claim__namespace_id")))

    def of(self, key: _Key) -> dict[str, Any]:
        found: dict[str, Any] = dict.fromkeys(
            ("cluster", "team", "namespace", "node", "pool", "device_class")
        )
        for column, value in zip(self._columns, key.values, strict=True):
            found |= self._named(column, value)
        return found

    def _named(self, column: str, value: Any) -> dict[str, Any]:
        match column:
            case "claim__team_id":
                return {"team": self._teams[value].slug if value in self._teams else None}
            case "claim__namespace_id":
                found = self._namespaces.get(value)
                return {"cluster": found.cluster.name, "namespace": found.name} if found else {}
            case "cluster__name":
                return {"cluster": value}
            case "device__pool__name":
                return {"pool": value}
            case "device__card__node__name":
                return {"node": value}
        return {"device_class": value or None}

    def _ids(self, keys: Iterable[_Key], column: str) -> list[int]:
        if column not in self._columns:
            return []
        place = self._columns.index(column)
        return list({one.values[place] for one in keys if one.values[place] is not None})


def _row(
    fields: Mapping[str, Any], dimension: str | None, number: Number, held: Held | None, row: TotalRow | None
) -> OccupancyRow:
    model = (held.amount if held else None) or (row.total if row else None)
    known = held or Held(Quantity(0, model.notation) if model else None)
    return OccupancyRow(
        **fields,
        dimension=dimension,
        unit=unit_of(fields["driver"], dimension, model.notation if model else Notation.DECIMAL)
        if dimension
        else None,
        cards=number.cards,
        cards_whole=number.whole,
        shares=number.shares,
        held=known.amount,
        shares_unknown=known.unknown,
        total=row.total if row else None,
        allocated=row.allocated if row else None,
        remaining=row.remaining if row else None,
        ratio=row.ratio if row else None,
        cards_unknown=row.cards_unknown if row else None,
    )


def _order(names: Mapping[str, str | None], key: _Key) -> tuple[Any, ...]:
    """By the groups and their names; what is withheld, or has no name, last."""
    ranked = [(name is None, name or "") for name in names.values()]
    return key.withheld, ranked, key.driver, key.product


def cards(query: Mapping[str, Any], *, viewer: Viewer) -> QuerySet[Card]:
    """Those whose capacity counts, by the conditions of the same names."""
    found = CardFilter(query, viewer=viewer).filter_queryset(Card.objects.order_by())
    if any(query.get(name) for name in _BY_HOLDER):
        own = Share.objects.filter(visible(Share, viewer)).order_by().values("device__card")
        found = found.filter(pk__in=own)
    return found
