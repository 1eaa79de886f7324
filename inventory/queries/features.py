"""The feature gates that matter to the books, cluster by cluster."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import msgspec

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
    seen = _seen({cluster.pk for cluster in clusters})
    return {
        cluster.pk: tuple(
            FeatureRow(gate.name, features.state(gate, release_of(cluster.server_version), seen[cluster.pk]))
            for gate in features.GATES
        )
        for cluster in clusters
    }


def seen_gates(cluster: Cluster) -> set[Gate]:
    """The gates of one cluster that some object proves."""
    return set(_seen({cluster.pk})[cluster.pk])


def _seen(clusters: set[int]) -> Mapping[int, set[Gate]]:
    """The gates whose fields some object carries."""
    devices = Device.objects.filter(cluster__in=clusters)
    evidence = {
        features.CONSUMABLE_CAPACITY: devices.filter(shareable=True),
        features.PARTITIONABLE_DEVICES: Pool.objects.filter(cluster__in=clusters).exclude(counter_sets=[]),
        features.DEVICE_TAINTS: devices.exclude(taints=[]),
        features.DEVICE_TAINT_RULES: TaintRule.objects.filter(cluster__in=clusters),
        features.BINDING_CONDITIONS: devices.exclude(binding={}),
        features.EXTENDED_RESOURCE: DeviceClass.objects.filter(cluster__in=clusters).exclude(
            extended_resource_name=""
        ),
    }
    found: defaultdict[int, set[Gate]] = defaultdict(set)
    for gate, rows in evidence.items():
        for cluster in rows.order_by().values_list("cluster_id", flat=True).distinct():
            found[cluster].add(gate)
    return found
