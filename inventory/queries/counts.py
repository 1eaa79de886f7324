"""How many there are of each thing that has a page."""

import msgspec
from django.db.models import Count

from inventory.models import Card, Claim, Cluster, Pod
from inventory.queries import nodes
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
    clusters = Cluster.objects.aggregate(known=Count("pk"), read=Count("observed_at"))
    return Counts(
        clusters=clusters["known"],
        clusters_read=clusters["read"],
        cards=Card.objects.count(),
        nodes=nodes.queryset().count(),
        pods=Pod.objects.visible_to(viewer).count(),
        claims=Claim.objects.visible_to(viewer).count(),
    )
