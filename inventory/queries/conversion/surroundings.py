"""What the rows of the last poll say of a cluster, as the conversion asks for it."""

from collections.abc import Mapping
from typing import Any

import msgspec

from inventory.dra.simulator.rules import rules_of
from inventory.hami.surroundings import Card, Cards, Surroundings, by_driver
from inventory.kube.discovery import release_of
from inventory.kube.quantity import Quantity, QuantityError, parse
from inventory.models import Cluster, Device, DeviceClass, KindState, Node, Quota
from inventory.queries.features import seen_gates
from inventory.viewer import Viewer

KINDS_AROUND = ("resourceslices", "deviceclasses", "nodes", "resourcequotas")
_MEMORY = "memory"


class Around:
    """Of one cluster; only the quotas differ between namespaces, as far as the viewer may see them."""

    def __init__(self, cluster: Cluster, *, viewer: Viewer) -> None:
        self._viewer = viewer
        states = KindState.objects.filter(cluster=cluster, kind__in=KINDS_AROUND)
        self._read = {one.kind for one in states if one.succeeded_at is not None}
        self._cluster = cluster
        self._of_all = self._surroundings()
        self._quotas: dict[str, frozenset[str]] = {}

    def of(self, namespace: str) -> Surroundings:
        if "resourcequotas" not in self._read:
            return self._of_all
        if namespace not in self._quotas:
            rows = Quota.objects.visible_to(self._viewer).filter(
                cluster=self._cluster, namespace__name=namespace
            )
            self._quotas[namespace] = frozenset(
                key for hard in rows.values_list("hard", flat=True) for key in hard
            )
        return msgspec.structs.replace(self._of_all, quotas=self._quotas[namespace])

    def _surroundings(self) -> Surroundings:
        release = release_of(self._cluster.server_version)
        rules = rules_of(release, seen_gates(self._cluster))
        return Surroundings(
            cards=self._cards() if "resourceslices" in self._read else None,
            classes=self._classes() if "deviceclasses" in self._read else None,
            resources=self._resources() if "nodes" in self._read else None,
            consumable_capacity=None if release is None else rules.consumable_capacity,
        )

    def _cards(self) -> dict[str, Cards]:
        rows = Device.objects.filter(cluster=self._cluster, published=True, accelerator=True).order_by(
            "pool__driver", "pool__name", "position"
        )
        columns = rows.values_list("pool__driver", "pool__name", "name", "product", "uuid", "capacity")
        return by_driver(
            Card(driver, pool, name, product, uuid, _memory(capacity))
            for driver, pool, name, product, uuid, capacity in columns.iterator()
        )

    def _classes(self) -> dict[str, str]:
        rows = DeviceClass.objects.filter(cluster=self._cluster)
        return dict(rows.values_list("name", "extended_resource_name"))

    def _resources(self) -> frozenset[str]:
        rows = Node.objects.filter(cluster=self._cluster, listed=True).order_by()
        return frozenset(
            name
            for allocatable in rows.values_list("allocatable", flat=True)
            for name, amount in allocatable.items()
            if str(amount) != "0"
        )


def _memory(capacity: Mapping[str, Any]) -> Quantity | None:
    published = capacity.get(_MEMORY)
    value = published.get("value") if isinstance(published, dict) else None
    try:
        return parse(value) if isinstance(value, str) else None
    except QuantityError:
        return None
