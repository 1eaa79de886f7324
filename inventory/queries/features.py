"""The feature gates that matter to the books, cluster by cluster."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import msgspec
from django.db.models import Exists, OuterRef, QuerySet

from inventory.dra import features
from inventory.dra.features import FeatureState, Gate
from inventory.kube.discovery import release_of
from inventory.models import Cluster, Device, DeviceClass, Pool, TaintRule


class FeatureRow(msgspec.Struct, frozen=True):
    """A gate by its name in Kubernetes, and what is known of it."""

    name: str
    state: FeatureState


def of_clusters(clusters: Iterable[Cluster]) -> dict[int, tuple[FeatureRow, ...]]:
    clusters = list(clusters)
    seen = _seen([cluster.pk for cluster in clusters])
    return {
        cluster.pk: tuple(
            FeatureRow(
                gate.name,
                features.state(gate, release_of(cluster.server_version), seen.get(cluster.pk, set())),
            )
            for gate in features.GATES
        )
        for cluster in clusters
    }


def seen_gates(cluster: Cluster) -> set[Gate]:
    """The gates of one cluster that some object proves."""
    return _seen([cluster.pk]).get(cluster.pk, set())


def _seen(clusters: Collection[int]) -> dict[int, set[Gate]]:
    """The gates whose fields some object carries. One query."""
    devices = Device.objects.all()
    evidence: Mapping[Gate, QuerySet[Any]] = {
        features.CONSUMABLE_CAPACITY: devices.filter(shareable=True),
        features.PARTITIONABLE_DEVICES: Pool.objects.exclude(counter_sets=[]),
        features.DEVICE_TAINTS: devices.exclude(taints=[]),
        features.DEVICE_TAINT_RULES: TaintRule.objects.all(),
        features.BINDING_CONDITIONS: devices.exclude(binding={}),
        features.EXTENDED_RESOURCE: DeviceClass.objects.exclude(extended_resource_name=""),
    }
    proven = (Exists(rows.filter(cluster=OuterRef("pk"))) for rows in evidence.values())
    found = Cluster.objects.filter(pk__in=clusters).order_by().values_list("pk", *proven)
    return {
        cluster: {gate for gate, is_proven in zip(evidence, seen, strict=True) if is_proven}
        for cluster, *seen in found
    }
