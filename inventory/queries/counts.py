"""How many there are of each thing that has a page."""

from collections.abc import Collection
from typing import Any

import msgspec
from django.db.models import QuerySet

from inventory.models import Card, Claim, Cluster, Pod
from inventory.queries import nodes
from inventory.queries.per_cluster import number_of_all
from inventory.viewer import Viewer


class Counts(msgspec.Struct, frozen=True):
    """`clusters_read`: those that were read at least once. Pods and claims: those that the viewer may see."""

    clusters: int
    clusters_read: int
    cards: int
    nodes: int
    pods: int
    claims: int


def counted(clusters: QuerySet[Cluster], *, viewer: Viewer) -> QuerySet[Any, Any]:
    """With what `over` adds up."""
    found: QuerySet[Any, Any] = clusters.annotate(
        n_cards=number_of_all(Card.objects.all()),
        n_nodes=number_of_all(nodes.queryset()),
        n_pods=number_of_all(Pod.objects.visible_to(viewer)),
        n_claims=number_of_all(Claim.objects.visible_to(viewer)),
    )
    return found


def over(clusters: Collection[Any]) -> Counts:
    """Of all clusters, as `counted` gives them."""
    first = next(iter(clusters), None)
    return Counts(
        clusters=len(clusters),
        clusters_read=sum(one.observed_at is not None for one in clusters),
        cards=first.n_cards if first else 0,
        nodes=first.n_nodes if first else 0,
        pods=first.n_pods if first else 0,
        claims=first.n_claims if first else 0,
    )
