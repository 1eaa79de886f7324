"""The feature gates that matter to the books, cluster by cluster."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from django.db.models import QuerySet

from inventory.dra import features
from inventory.dra.features import FeatureState, Gate
from inventory.kube.discovery import release_of
from inventory.models import Cluster, Device, DeviceClass, Pool, TaintRule
from inventory.queries.at_once import Questions


class FeatureRow(msgspec.Struct, frozen=True):
    """A gate by its name in Kubernetes, and what is known of it."""

    name: str
    state: FeatureState


def seen_gates(cluster: Cluster) -> set[Gate]:
    """The gates of one cluster that some object proves."""
    return Seen({cluster.pk}, Questions()).gates()[cluster.pk]


class Seen:
    """The gates whose fields some object carries, asked with other things."""

    def __init__(self, clusters: set[int], questions: Questions) -> None:
        self._asked = {
            gate: questions.ask(rows.order_by().values_list("cluster_id").distinct())
            for gate, rows in _evidence(clusters).items()
        }

    def gates(self) -> defaultdict[int, set[Gate]]:
        found: defaultdict[int, set[Gate]] = defaultdict(set)
        for gate, answer in self._asked.items():
            for (cluster,) in answer.rows:
                found[cluster].add(gate)
        return found

    def of_clusters(self, clusters: Iterable[Cluster]) -> dict[int, tuple[FeatureRow, ...]]:
        seen = self.gates()
        return {
            cluster.pk: tuple(
                FeatureRow(
                    gate.name, features.state(gate, release_of(cluster.server_version), seen[cluster.pk])
                )
                for gate in features.GATES
            )
            for cluster in clusters
        }


def _evidence(clusters: set[int]) -> Mapping[Gate, QuerySet[Any]]:
    devices = Device.objects.filter(cluster__in=clusters)
    return {
        features.CONSUMABLE_CAPACITY: devices.filter(shareable=True),
        features.PARTITIONABLE_DEVICES: Pool.objects.filter(cluster__in=clusters).exclude(counter_sets=[]),
        features.DEVICE_TAINTS: devices.exclude(taints=[]),
        features.DEVICE_TAINT_RULES: TaintRule.objects.filter(cluster__in=clusters),
        features.BINDING_CONDITIONS: devices.exclude(binding={}),
        features.EXTENDED_RESOURCE: DeviceClass.objects.filter(cluster__in=clusters).exclude(
            extended_resource_name=""
        ),
    }
