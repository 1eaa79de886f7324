"""Nodes that publish devices, or run Pods that hold them."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import msgspec
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from inventory.models import Card, Device, Node, Pod
from inventory.models.pods import FINISHED
from inventory.models.visibility import VisibleQuerySet
from inventory.queries import totals
from inventory.queries.briefs import PodBrief, PoolBrief, pod_brief
from inventory.queries.filters import (
    Filters,
    HeldBy,
    LabelSelector,
    Names,
    Ordering,
    Related,
    Search,
    Truth,
    cluster_filter,
    team_filter,
)
from inventory.queries.requested import HeldClass
from inventory.viewer import Viewer

KINDS = ("resourceslices", "resourceclaims", "pods", "nodes")


class NodeRow(msgspec.Struct, frozen=True):
    """A node. `listed` is false where only its devices or Pods name it; null for `ready`: not known.

    `pods` are those that hold or await devices; those that have finished are left out, and so are those that
    the viewer may not see: `pods_withheld` so many.
    """

    id: int
    cluster: str
    name: str
    listed: bool
    ready: bool | None
    unschedulable: bool
    labels: dict[str, Any]
    taints: tuple[dict[str, Any], ...]
    drivers: tuple[str, ...]
    pools: tuple[PoolBrief, ...]
    devices: int
    cards: int
    capacity: tuple[totals.TotalRow, ...]
    pods: tuple[PodBrief, ...]
    pods_withheld: int
    withheld: bool

    @property
    def pods_here(self) -> int:
        """Those of others too."""
        return len(self.pods) + self.pods_withheld


class NodeFilter(Filters):
    held_through = "device__node"

    cluster = cluster_filter()
    namespace = HeldBy(field_name="claim__namespace__name")
    team = team_filter("claim__team__slug", held=True)
    node = Names(field_name="name")
    driver = Related(field_name="devices__pool__driver")
    pool = Related(field_name="devices__pool__name")
    device = Related(field_name="devices__name")
    device_class = HeldClass()
    product = Related(field_name="devices__product")
    pod = Related(field_name="pods__name", whose=(Pod, "pods"))
    claim = HeldBy(field_name="claim__name")
    ready = Truth(field_name="ready")
    q = Search("name")
    label_selector = LabelSelector(field_name="labels")
    ordering = Ordering(fields={"id": "id", "name": "name", "cluster__name": "cluster"})

    class Meta:
        model = Node
        fields = ()


def queryset() -> QuerySet[Node]:
    """Only nodes with devices, or with Pods that have not finished; others have nothing to tell."""
    told = Q(Exists(Device.objects.filter(node=OuterRef("pk")))) | Q(
        Exists(_running().filter(node=OuterRef("pk")))
    )
    return Node.objects.select_related("cluster").filter(told)


def rows(page: Iterable[Node], *, viewer: Viewer) -> list[NodeRow]:
    nodes = list(page)
    ids = [node.pk for node in nodes]
    cards = Card.objects.filter(node__in=ids)
    capacity = totals.by_node(cards)
    card_counts = _counts(cards)
    device_counts = _counts(Device.objects.filter(node__in=ids))
    pools, pods, pod_counts = _pools(ids), _pods(ids, viewer), _counts(_running().filter(node__in=ids))
    return [
        NodeRow(
            id=node.pk,
            cluster=node.cluster.name,
            name=node.name,
            listed=node.listed,
            ready=node.ready,
            unschedulable=node.unschedulable,
            labels=node.labels,
            taints=tuple(node.taints),
            drivers=tuple(sorted({pool.driver for pool in pools[node.pk]})),
            pools=tuple(pools[node.pk]),
            devices=device_counts.get(node.pk, 0),
            cards=card_counts.get(node.pk, 0),
            capacity=tuple(capacity.get(node.pk, ())),
            pods=tuple(pods[node.pk]),
            pods_withheld=pod_counts.get(node.pk, 0) - len(pods[node.pk]),
            withheld=pod_counts.get(node.pk, 0) > len(pods[node.pk]),
        )
        for node in nodes
    ]


def one(node_id: int, *, viewer: Viewer) -> NodeRow | None:
    return next(iter(rows(queryset().filter(pk=node_id), viewer=viewer)), None)


def _counts(found: QuerySet[Any]) -> dict[int, int]:
    return dict(found.order_by().values_list("node_id").annotate(Count("pk")))


def _pools(ids: list[int]) -> defaultdict[int, list[PoolBrief]]:
    found: defaultdict[int, list[PoolBrief]] = defaultdict(list)
    devices = Device.objects.filter(node__in=ids).order_by("pool__driver", "pool__name")
    columns = ("node_id", "pool_id", "pool__driver", "pool__name", "pool__state")
    for node, *pool in devices.values_list(*columns).distinct():
        found[node or 0].append(PoolBrief(*pool))
    return found


def _running() -> VisibleQuerySet[Pod]:
    """A Pod that has finished uses nothing of its node."""
    return Pod.objects.exclude(phase__in=FINISHED)


def _pods(ids: list[int], viewer: Viewer) -> defaultdict[int, list[PodBrief]]:
    found: defaultdict[int, list[PodBrief]] = defaultdict(list)
    for pod in (
        _running()
        .filter(node__in=ids)
        .visible_to(viewer)
        .select_related("namespace", "node")
        .order_by("namespace__name", "name")
    ):
        found[pod.node_id or 0].append(pod_brief(pod))
    return found
