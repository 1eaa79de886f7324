"""The largest request that would still be met, by product and node, and what is left that nobody can use.

Sums over cards do not show it: one may have memory left and no cores, another cores and no memory. It is told
from what the scheduler sees; which cards are free is told from the books.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from time import monotonic
from typing import NamedTuple

import msgspec
from django.db.models import Q, QuerySet

from inventory.dra.simulator.allocated import DeviceId
from inventory.dra.simulator.counting import Counting
from inventory.dra.simulator.node_pools import NodePool, NodePools
from inventory.dra.simulator.nodes import Node
from inventory.dra.simulator.refusals import TooLongError
from inventory.dra.simulator.room import Ceiling, Largest, Room, room
from inventory.dra.simulator.simulate import Cluster as View
from inventory.dra.simulator.simulate import alike
from inventory.dra.units import Unit, reading_order, short_name, unit_of
from inventory.kube.quantity import Quantity
from inventory.models import Cluster, Device
from inventory.models.devices import DeviceState
from inventory.queries.fit.scheduler import NotReadError, scheduler_view

KINDS = ("resourceslices", "resourceclaims", "deviceclasses", "nodes")
DIMENSIONS = ("memory", "cores")
# Nodes that are not looked at by then are counted.
SECONDS = 10.0
_BARRED = (DeviceState.UNAVAILABLE, DeviceState.NOT_PUBLISHED)


class Amount(msgspec.Struct, frozen=True):
    """`dimension` without its domain."""

    dimension: str
    unit: Unit
    quantity: Quantity


class OmittedRow(msgspec.Struct, frozen=True):
    """What a request takes of a dimension that it does not name, and whether so much is left of it."""

    amount: Amount
    left: bool


class LargestRow(msgspec.Struct, frozen=True):
    """The largest amount of one dimension that a request can get, and on which device.

    `request` is what it asks by the driver's own names: the least of all others. `beside` is what the device
    then has left of these, `omitted` what it would take of one that it leaves out, if more. A `whole` device
    is not shared: whoever gets it has all of it.
    """

    amount: Amount
    device: int
    name: str
    whole: bool
    request: tuple[tuple[str, Quantity], ...]
    beside: tuple[Amount, ...]
    omitted: tuple[OmittedRow, ...]


class RoomRow(msgspec.Struct, frozen=True):
    """The cards of a driver and product that a node sees, or several nodes alike.

    Null for `memory` or `cores`: no device has any that may be asked for; `published` are the dimensions that
    some device has. `free` cards hold nothing and can be had, `barred` ones cannot: they are tainted, or in a
    pool that cannot be used. Of `unknown` ones what is left is not known. `stranded` is left on devices where
    another dimension is used up.
    """

    cluster: str
    driver: str
    product: str | None
    nodes: tuple[str, ...]
    cards: int
    free: int
    barred: int
    unknown: int
    memory: LargestRow | None
    cores: LargestRow | None
    published: tuple[str, ...]
    stranded: tuple[Amount, ...]


class ProductRow(msgspec.Struct, frozen=True):
    """The same over all nodes of a cluster; `memory` and `cores` are the rows where most is left."""

    cluster: str
    driver: str
    product: str | None
    cards: int
    free: int
    barred: int
    unknown: int
    memory: RoomRow | None
    cores: RoomRow | None
    published: tuple[str, ...]
    stranded: tuple[Amount, ...]


class Found(msgspec.Struct, frozen=True):
    """`doubts`: why something of it is not known, in words; `nodes_left` were not looked at in time."""

    products: tuple[ProductRow, ...] = ()
    rows: tuple[RoomRow, ...] = ()
    doubts: tuple[str, ...] = ()
    nodes_left: int = 0


class _Known(NamedTuple):
    """A device of a card, as the books have it."""

    id: int
    product: str
    card: int | None
    state: str
    tainted: bool


class _Kind(NamedTuple):
    driver: str
    product: str


class _Seen(NamedTuple):
    """Devices of one kind that some nodes see."""

    kind: _Kind
    devices: tuple[DeviceId, ...]


def of_cluster(cluster: Cluster, products: Collection[str] = (), *, seconds: float = SECONDS) -> Found:
    """Of the named products, or of all, the roomiest nodes first; inside of a snapshot with the cluster."""
    devices = Device.objects.filter(cluster=cluster)
    chosen = devices.filter(product__in=products) if products else devices
    return _of(cluster, _devices(chosen), seconds=seconds)


def of_node(cluster: Cluster, node: str, *, seconds: float = SECONDS) -> Found:
    """Inside of a snapshot, with the cluster as read there."""
    return _of(cluster, _devices(_in_reach(node).filter(cluster=cluster)), node, seconds=seconds)


def below(cluster: Cluster, ceiling: Ceiling, *, seconds: float = SECONDS) -> Found:
    """Of all products, for requests that stay below a ceiling; inside of a snapshot with the cluster."""
    return _of(cluster, _devices(Device.objects.filter(cluster=cluster)), seconds=seconds, ceiling=ceiling)


def may_see_cards(cluster: str, node: str) -> bool:
    """Whether a node has cards, or there are some that are bound to none: then only a search can tell."""
    return _cards(_in_reach(node).filter(cluster__name=cluster)).exists()


def is_whole(found: Found) -> bool:
    """Whether nothing of it was left open."""
    return not found.doubts and not found.nodes_left


def _of(
    cluster: Cluster,
    known: Mapping[DeviceId, _Known],
    node: str = "",
    *,
    seconds: float,
    ceiling: Ceiling | None = None,
) -> Found:
    until = monotonic() + seconds
    try:
        view = scheduler_view(cluster)
    except NotReadError as error:
        return Found(doubts=(str(error),))
    nodes = [one for name, one in sorted(view.nodes.items()) if node in ("", name)]
    return _Rooms(cluster.name, view, known, ceiling).found(nodes, lambda: monotonic() < until)


class _Rooms:
    """The room of one cluster. Nodes that see different devices may see the same ones of a product."""

    def __init__(
        self, cluster: str, view: View, known: Mapping[DeviceId, _Known], ceiling: Ceiling | None
    ) -> None:
        self._cluster, self._view, self._known, self._ceiling = cluster, view, known, ceiling
        self._counting = Counting(view.allocated, view.rules)
        self._nodes: defaultdict[_Seen, list[str]] = defaultdict(list)
        self._rooms: dict[_Seen, Room] = {}
        self._published: dict[_Seen, tuple[str, ...]] = {}
        # Of each kind, every device once, however many nodes see it.
        self._devices: defaultdict[_Kind, set[DeviceId]] = defaultdict(set)
        self._stranded: defaultdict[_Kind, dict[str, Quantity]] = defaultdict(dict)
        self._doubts: list[str] = []
        self._nodes_left = 0

    def found(self, nodes: Sequence[Node], budget: Callable[[], bool]) -> Found:
        node_pools = NodePools(self._view.slices, self._view.rules)
        for group, slices in alike(self._view, nodes, budget):
            if isinstance(slices, TooLongError) or not budget():
                self._nodes_left += len(group)
            elif isinstance(slices, ValueError):
                self._doubts.append(f"{group[0].name}: {slices}")
            else:
                self._add(group, node_pools.of(slices))
        rows = [self._row(seen) for seen in self._rooms]
        return Found(
            tuple(sorted(self._products(rows), key=_product_order)),
            tuple(sorted(rows, key=_order)),
            tuple(self._doubts),
            self._nodes_left,
        )

    def _add(self, nodes: Iterable[Node], pools: Sequence[NodePool]) -> None:
        for seen in _by_kind(pools, self._known):
            self._nodes[seen] += [one.name for one in nodes]
            if seen not in self._rooms:
                self._add_room(seen, pools)

    def _add_room(self, seen: _Seen, pools: Sequence[NodePool]) -> None:
        self._rooms[seen] = self._room(pools, seen.devices)
        self._published[seen] = _published(pools, seen)
        counted = self._devices[seen.kind]
        new = [one for one in seen.devices if one not in counted]
        once = self._rooms[seen] if len(new) == len(seen.devices) else self._room(pools, new)
        counted.update(new)
        stranded = self._stranded[seen.kind]
        for name, amount in once.stranded.items():
            stranded[name] = amount + stranded[name] if name in stranded else amount

    def _room(self, pools: Sequence[NodePool], devices: Iterable[DeviceId]) -> Room:
        among = frozenset(devices)
        return room(pools, self._view.allocated, self._counting, lambda one: one.id in among, self._ceiling)

    def _row(self, seen: _Seen) -> RoomRow:
        driver, product = seen.kind
        found = self._rooms[seen]
        largest = {
            short_name(name): _largest(driver, name, one, self._known[one.candidate.id])
            for name, one in found.largest.items()
        }
        return RoomRow(
            cluster=self._cluster,
            driver=driver,
            product=product or None,
            nodes=tuple(sorted(self._nodes[seen])),
            memory=largest.get("memory"),
            cores=largest.get("cores"),
            published=self._published[seen],
            stranded=_amounts(driver, found.stranded),
            **self._cards(seen.devices),
        )

    def _products(self, rows: Sequence[RoomRow]) -> Iterator[ProductRow]:
        for kind, devices in self._devices.items():
            of_kind = [row for row in rows if (row.driver, row.product or "") == kind]
            yield ProductRow(
                cluster=self._cluster,
                driver=kind.driver,
                product=kind.product or None,
                memory=max(of_kind, key=lambda row: _size(row.memory), default=None),
                cores=max(of_kind, key=lambda row: _size(row.cores), default=None),
                published=tuple(sorted({name for row in of_kind for name in row.published})),
                stranded=_amounts(kind.driver, self._stranded[kind]),
                **self._cards(devices),
            )

    def _cards(self, devices: Iterable[DeviceId]) -> dict[str, int]:
        """A card of several devices counts once."""
        cards = {self._known[one].card: self._known[one] for one in devices}.values()
        return {
            "cards": len(cards),
            "free": sum(one.state == DeviceState.FREE and not one.tainted for one in cards),
            "barred": sum(one.tainted or one.state in _BARRED for one in cards),
            "unknown": sum(one.state == DeviceState.UNKNOWN and not one.tainted for one in cards),
        }


def _in_reach(node: str) -> QuerySet[Device]:
    """Devices of nodes of this name, and those that are bound to none."""
    return Device.objects.filter(Q(node__name=node) | Q(node=None))


def _cards(devices: QuerySet[Device]) -> QuerySet[Device]:
    return devices.filter(accelerator=True, listed=True).order_by()


def _devices(devices: QuerySet[Device]) -> dict[DeviceId, _Known]:
    """Those of cards."""
    columns = ("pool__driver", "pool__name", "name", "pk", "product")
    of_card = ("card_id", "card__state", "card__tainted")
    return {
        DeviceId(driver, pool, name): _Known(pk, product, card, state or "", bool(tainted))
        for driver, pool, name, pk, product, card, state, tainted in _cards(devices).values_list(
            *columns, *of_card
        )
    }


def _by_kind(pools: Iterable[NodePool], known: Mapping[DeviceId, _Known]) -> Iterator[_Seen]:
    found: defaultdict[_Kind, list[DeviceId]] = defaultdict(list)
    for pool in pools:
        for one in pool.candidates:
            if one.id in known:
                found[_Kind(one.id.driver, known[one.id].product)].append(one.id)
    for kind, devices in found.items():
        yield _Seen(kind, tuple(devices))


def _published(pools: Iterable[NodePool], seen: _Seen) -> tuple[str, ...]:
    devices = frozenset(seen.devices)
    found = (one.dimensions for pool in pools for one in pool.candidates if one.id in devices)
    return tuple(sorted({short_name(name) for dimensions in found for name in dimensions}))


def _largest(driver: str, name: str, one: Largest, device: _Known) -> LargestRow:
    omitted = sorted(one.omitted.items(), key=lambda item: reading_order(item[0]))
    return LargestRow(
        amount=_amount(driver, name, one.amount),
        device=device.id,
        name=one.candidate.id.name,
        whole=not one.candidate.shareable,
        request=tuple(sorted(one.request.items(), key=lambda item: reading_order(item[0]))),
        beside=_amounts(driver, one.beside),
        omitted=tuple(
            OmittedRow(_amount(driver, other, found.amount), found.left)
            for other, found in omitted
            if short_name(other) in DIMENSIONS and found.amount != one.request[other]
        ),
    )


def _amount(driver: str, name: str, quantity: Quantity) -> Amount:
    return Amount(short_name(name), unit_of(driver, name, quantity.notation), quantity)


def _amounts(driver: str, quantities: Mapping[str, Quantity]) -> tuple[Amount, ...]:
    """Memory and cores, in this order."""
    by_name = {short_name(name): _amount(driver, name, quantity) for name, quantity in quantities.items()}
    return tuple(by_name[name] for name in DIMENSIONS if name in by_name)


def _order(row: RoomRow) -> tuple[str, str, list[int], tuple[str, ...]]:
    size = [-amount for amount in (*_size(row.memory), *_size(row.cores))]
    return row.product or "", row.driver, size, row.nodes


def _product_order(row: ProductRow) -> tuple[str, str]:
    return row.product or "", row.driver


def _size(one: LargestRow | None) -> tuple[int, int]:
    if one is None:
        return 0, 0
    return one.amount.quantity.nanos, sum(rest.quantity.nanos for rest in one.beside)
