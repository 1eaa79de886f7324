"""How many there are of each thing that has a page."""

from collections.abc import Mapping
from typing import Any

import msgspec
from django.db.models import QuerySet

from inventory.models import Card, Claim, Cluster, Pod
from inventory.queries import nodes
from inventory.queries.at_once import Rows, at_once, number_of
from inventory.viewer import Viewer


class Counts(msgspec.Struct, frozen=True):
    """`clusters_read`: those that were read at least once. Pods and claims: those that the viewer may see."""

    clusters: int
    clusters_read: int
    cards: int
    nodes: int
    pods: int
    claims: int


def counts(*, viewer: Viewer) -> Counts:
    return told(at_once(**questions(viewer=viewer)))


def questions(*, viewer: Viewer) -> dict[str, QuerySet[Any, Any]]:
    """What to ask for, so that it can be asked together with other things; `told` reads the answers."""
    return {
        "counted_clusters": number_of(Cluster.objects.all()),
        "counted_clusters_read": number_of(Cluster.objects.filter(observed_at__isnull=False)),
        "counted_cards": number_of(Card.objects.all()),
        "counted_nodes": number_of(nodes.queryset()),
        "counted_pods": number_of(Pod.objects.visible_to(viewer)),
        "counted_claims": number_of(Claim.objects.visible_to(viewer)),
    }


def told(answers: Mapping[str, Rows]) -> Counts:
    numbers = {
        name: answers[f"counted_{name}"][0][1] if answers[f"counted_{name}"] else 0
        for name in Counts.__struct_fields__
    }
    return Counts(**numbers)
