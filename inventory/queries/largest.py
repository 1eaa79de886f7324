"""The largest request that would still be met, by product and node, and what is left that nobody can use.

Sums over cards do not show it: one may have memory left and no cores, another cores and no memory. It is told
from what the scheduler sees; which cards are free is told from the books.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
from django.db.models import Q

from inventory.dra.simulator.allocated import DeviceId
from inventory.dra.simulator.counting import Counting
from inventory.dra.simulator.node_pools import NodePool, NodePools
from inventory.dra.simulator.nodes import Node
from inventory.dra.simulator.room import Largest, Room, room
from inventory.dra.simulator.simulate import Cluster as View
from inventory.dra.simulator.simulate import alike
from inventory.dra.units import Unit, short_name, unit_of
from inventory.kube.quantity import Quantity
from inventory.models import Cluster, Device
from inventory.models.devices import DeviceState
from inventory.queries.fit.scheduler import NotReadError, scheduler_view
from inventory.snapshot import snapshot

KINDS = ("resourceslices", "resourceclaims", "deviceclasses", "nodes")
DIMENSIONS = ("memory", "cores")


class Amount(msgspec.Struct, frozen=True):
    """`dimension` without its domain."""

    dimension: str
    unit: Unit
    quantity: Quantity


class LargestRow(msgspec.Struct, frozen=True):
    """The largest amount of one dimension, on which device, and what that has left of the others."""

    amount: Amount
    device: int
    name: str
    beside: tuple[Amount, ...]


class RoomRow(msgspec.Struct, frozen=True):
    """The cards of a driver and product that a node sees, or several nodes alike.

    Null for `memory` or `cores`: no device has any that may be asked for; `published` are the dimensions that
    some device has. `free` cards hold nothing and have no taint; of `unknown` ones what is left is not known.
    `stranded` is left on devices where nothing fits.
    """

    cluster: str
    driver: str
    product: str | None
    nodes: tuple[str, ...]
    cards: int
    free: int
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
    unknown: int
    memory: RoomRow | None
    cores: RoomRow | None
    stranded: tuple[Amount, ...]


class Found(msgspec.Struct, frozen=True):
    """`doubts`: why something of it is not known, in words."""

    products: tuple[ProductRow, ...] = ()
    rows: tuple[RoomRow, ...] = ()
    doubts: tuple[str, ...] = ()


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


def of_clusters(names: Collection[str] = (), products: Collection[str] = ()) -> Found:
    """Of the named clusters and products, or of all; of each product the roomiest nodes first."""
    with snapshot():
        clusters = Cluster.objects.filter(name__in=names) if names else Cluster.objects.all()
        found = [_of(cluster, _devices(cluster, products)) for cluster in clusters.order_by("name")]
    return Found(
        tuple(sorted((one for each in found for one in each.products), key=_product_order)),
        tuple(sorted((row for each in found for row in each.rows), key=_order)),
        tuple(doubt for each in found for doubt in each.doubts),
    )


def of_node(cluster: str, node: str) -> Found:
    with snapshot():
        of_cluster = Cluster.objects.get(name=cluster)
        return _of(of_cluster, _devices(of_cluster, node=node), node)


def _of(cluster: Cluster, known: Mapping[DeviceId, _Known], node: str = "") -> Found:
    try:
        view = scheduler_view(cluster)
    except NotReadError as error:
        return Found(doubts=(str(error),))
    nodes = [one for name, one in sorted(view.nodes.items()) if node in ("", name)]
    return _Rooms(cluster.name, view, known).found(nodes)


class _Rooms:
    """The room of one cluster. Nodes that see different devices may see the same ones of a product."""

    def __init__(self, cluster: str, view: View, known: Mapping[DeviceId, _Known]) -> None:
        self._cluster, self._view, self._known = cluster, view, known
        self._counting = Counting(view.allocated, view.rules)
        self._nodes: defaultdict[_Seen, list[str]] = defaultdict(list)
        self._rooms: dict[_Seen, Room] = {}
        self._published: dict[_Seen, tuple[str, ...]] = {}
        # Of each kind, every device once, however many nodes see it.
        self._devices: defaultdict[_Kind, set[DeviceId]] = defaultdict(set)
        self._stranded: defaultdict[_Kind, dict[str, Quantity]] = defaultdict(dict)
        self._doubts: list[str] = []

    def found(self, nodes: Sequence[Node]) -> Found:
        node_pools = NodePools(self._view.slices, self._view.rules)
        for group, slices in alike(self._view, nodes):
            if isinstance(slices, ValueError):
                self._doubts.append(f"{group[0].name}: {slices}")
                continue
            pools = node_pools.of(slices)
            for seen in _by_kind(pools, self._known):
                self._nodes[seen] += [one.name for one in group]
                if seen not in self._rooms:
                    self._add(seen, pools)
        rows = [self._row(seen) for seen in self._rooms]
        return Found(tuple(self._products(rows)), tuple(sorted(rows, key=_order)), tuple(self._doubts))

    def _add(self, seen: _Seen, pools: Sequence[NodePool]) -> None:
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
        return room(pools, self._view.allocated, self._counting, lambda one: one.id in among)

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
                stranded=_amounts(kind.driver, self._stranded[kind]),
                **self._cards(devices),
            )

    def _cards(self, devices: Iterable[DeviceId]) -> dict[str, int]:
        """A card of several devices counts once."""
        cards = {self._known[one].card: self._known[one] for one in devices}.values()
        return {
            "cards": len(cards),
            "free": sum(one.state == DeviceState.FREE and not one.tainted for one in cards),
            "unknown": sum(one.state == DeviceState.UNKNOWN for one in cards),
        }


def _devices(cluster: Cluster, products: Collection[str] = (), node: str = "") -> dict[DeviceId, _Known]:
    """Those of cards; of a node also those that are bound to none."""
    rows = Device.objects.filter(cluster=cluster, accelerator=True, listed=True).order_by()
    if products:
        rows = rows.filter(product__in=products)
    if node:
        rows = rows.filter(Q(node__name=node) | Q(node=None))
    columns = ("pool__driver", "pool__name", "name", "pk", "product")
    of_card = ("card_id", "card__state", "card__tainted")
    return {
        DeviceId(driver, pool, name): _Known(pk, product, card, state or "", bool(tainted))
        for driver, pool, name, pk, product, card, state, tainted in rows.values_list(*columns, *of_card)
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
    (amount,) = _amounts(driver, {name: one.amount}, (short_name(name),))
    return LargestRow(amount, device.id, one.candidate.id.name, _amounts(driver, one.beside))


def _amounts(
    driver: str, quantities: Mapping[str, Quantity], shown: Sequence[str] = DIMENSIONS
) -> tuple[Amount, ...]:
    """Memory and cores, in this order."""
    by_name = {
        short_name(name): Amount(short_name(name), unit_of(driver, name, quantity.notation), quantity)
        for name, quantity in quantities.items()
    }
    return tuple(by_name[name] for name in shown if name in by_name)


def _order(row: RoomRow) -> tuple[str, str, list[int], str, tuple[str, ...]]:
    size = [-amount for amount in (*_size(row.memory), *_size(row.cores))]
    return row.product or "", row.driver, size, row.cluster, row.nodes


def _product_order(row: ProductRow) -> tuple[str, str, str]:
    return row.product or "", row.driver, row.cluster


def _size(one: LargestRow | None) -> tuple[int, int]:
    if one is None:
        return 0, 0
    return one.amount.quantity.nanos, sum(rest.quantity.nanos for rest in one.beside)
