"""How many there are of each thing that has a page."""

from collections.abc import Collection
from typing import Any

import msgspec
from django.db.models import QuerySet

from inventory.models import Card, Claim, Cluster, Pod
from inventory.queries import nodes
from inventory.queries.per_cluster import number_of
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
        n_cards=number_of(Card.objects.all()),
        n_nodes=number_of(nodes.queryset()),
        n_pods=number_of(Pod.objects.visible_to(viewer)),
        n_claims=number_of(Claim.objects.visible_to(viewer)),
    )
    return found


def over(clusters: Collection[Any]) -> Counts:
    """Of all clusters, as `counted` gives them."""
    return Counts(
        clusters=len(clusters),
        clusters_read=sum(one.observed_at is not None for one in clusters),
        cards=sum(one.n_cards for one in clusters),
        nodes=sum(one.n_nodes for one in clusters),
        pods=sum(one.n_pods for one in clusters),
        claims=sum(one.n_claims for one in clusters),
    )
