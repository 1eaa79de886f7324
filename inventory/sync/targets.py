"""The devices that allocations name, by what they call them."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from inventory.models import Cluster
from inventory.models import Device as DeviceRow
from inventory.models import Pool as PoolRow
from inventory.sync import devices
from inventory.sync.allocations import Target
from inventory.sync.devices import DeviceColumns, PoolColumns, Surroundings
from inventory.sync.places import Places
from inventory.sync.reconcile import Key, reconcile
from inventory.sync.touched import Touched, batches


class Known(NamedTuple):
    """A device's row. `dimensions` are those that it publishes: a share of it must say what it consumes."""

    id: int
    pool_id: int
    dimensions: frozenset[str]
    product: str
    node: str


class Targets:
    """Rows of devices; one that nobody lists gets a row when an allocation names it."""

    def __init__(self, cluster: Cluster, places: Places, touched: Touched) -> None:
        self._around = Surroundings(cluster, places, devices.accelerator_rules(), ())
        self._touched = touched
        self._known: dict[Target, Known] = {}
        self._asked: set[tuple[str, str]] = set()
        self._pools: dict[tuple[str, str], int] = {}

    def find(self, named: Mapping[Target, str]) -> Mapping[Target, Known]:
        """The rows of these devices. The values are the nodes that allocations are bound to, or empty."""
        self._load({target[:2] for target in named})
        missing = {target: node for target, node in named.items() if target not in self._known}
        if missing:
            self._make(missing)
        return self._known

    def look_up(self, targets: Iterable[Target]) -> Mapping[Target, Known]:
        """The rows of these devices, without those that have none."""
        self._load({target[:2] for target in targets})
        return self._known

    def _load(self, pools: Iterable[tuple[str, str]]) -> None:
        for batch in batches(set(pools) - self._asked):
            self._asked.update(batch)
            wanted = set(batch)
            rows = PoolRow.objects.filter(
                cluster=self._around.cluster,
                driver__in={driver for driver, _ in batch},
                name__in={name for _, name in batch},
            )
            found = {(driver, name): pk for pk, driver, name in rows.values_list("pk", "driver", "name")}
            self._pools.update({place: pk for place, pk in found.items() if place in wanted})
            self._load_devices({pk: place for place, pk in found.items() if place in wanted})

    def _load_devices(self, places: Mapping[int, tuple[str, str]]) -> None:
        rows = DeviceRow.objects.filter(pool__in=places).order_by()
        columns = ("pk", "pool_id", "name", "capacity", "product", "node__name")
        for pk, pool, name, capacity, product, node in rows.values_list(*columns):
            self._known[(*places[pool], name)] = Known(pk, pool, frozenset(capacity), product, node or "")

    def _make(self, missing: Mapping[Target, str]) -> None:
        cluster = self._around.cluster
        new_pools: dict[Key, PoolColumns] = {
            (cluster.pk, *target[:2]): devices.NOTHING_PUBLISHED
            for target in missing
            if target[:2] not in self._pools
        }
        pools = reconcile(PoolRow, None, ("cluster_id", "driver", "name"), PoolColumns._fields, new_pools)
        self._pools.update({(driver, name): pk for (_, driver, name), pk in pools.ids.items()})
        nodes = self._around.places.nodes({node for node in missing.values() if node})
        desired: dict[Key, DeviceColumns] = {
            (self._pools[target[:2]], target[2]): devices.nothing_known(
                self._around, target[0], nodes.get(node)
            )
            for target, node in missing.items()
        }
        rows = reconcile(DeviceRow, None, ("pool_id", "name"), DeviceColumns._fields, desired)
        for target, node in missing.items():
            pool = self._pools[target[:2]]
            self._known[target] = Known(rows.ids[pool, target[2]], pool, frozenset(), "", node)
        self._touched.changes += pools.changes + rows.changes
