"""Where things are: namespaces with their teams, nodes, native quotas.

Namespaces and nodes are written before what lies in them and forgotten after it: nothing that is kept because
its kind could not be read, ever goes with its place.
"""

from collections.abc import Iterable, Mapping

from django.db.models import Exists, OuterRef, Q

from inventory.kube.objects import Namespace, Node, ResourceQuota
from inventory.models import Card, Claim, ClaimTemplate, Cluster, Device, Pod, Quota, TeamNamespace
from inventory.models import Namespace as NamespaceRow
from inventory.models import Node as NodeRow
from inventory.sync.reconcile import Key, Reconciled, Values, reconcile
from inventory.sync.unread import Unread

_NAMESPACE_FIELDS = ("uid", "labels", "listed", "team_id")
_NODE_FIELDS = ("uid", "labels", "taints", "allocatable", "unschedulable", "ready", "listed")


def namespaces(
    cluster: Cluster, listed: Iterable[Namespace] | None, named: Iterable[str], unread: Unread
) -> Reconciled:
    """Write the namespaces; `named` are those that other objects name. None: the list could not be read.

    What an earlier list said of one that cannot be read now stays; only its team may have changed.
    """
    teams = teams_of(cluster)
    scope = NamespaceRow.objects.filter(cluster=cluster)
    known = {one.metadata.name: one for one in listed or ()}
    desired: dict[Key, Values] = {
        (cluster.pk, name): (one.metadata.uid, one.metadata.labels or {}, True, teams.get(name))
        for name, one in known.items()
    }
    for name, *before in scope.values_list("name", *_NAMESPACE_FIELDS[:-1]):
        if listed is None or unread.holds_name(name):
            desired.setdefault((cluster.pk, name), (*before, teams.get(name)))
    for name in named:
        desired.setdefault((cluster.pk, name), ("", {}, False, teams.get(name)))
    return reconcile(
        NamespaceRow, scope, ("cluster_id", "name"), _NAMESPACE_FIELDS, desired, keep=lambda key: True
    )


def teams_of(cluster: Cluster) -> dict[str, int]:
    """Namespace → team; an assignment for this cluster goes before one for all clusters."""
    assignments = TeamNamespace.objects.filter(Q(cluster=cluster) | Q(cluster=None))
    ordered = sorted(
        assignments.values_list("namespace", "team_id", "cluster_id"),
        key=lambda assignment: assignment[2] is not None,
    )
    return {namespace: team for namespace, team, _ in ordered}


def nodes(
    cluster: Cluster, listed: Iterable[Node] | None, named: Iterable[str], unread: Unread
) -> Reconciled:
    """Write the nodes; `named` are those that slices and Pods name. None: the list could not be read."""
    scope = NodeRow.objects.filter(cluster=cluster)
    desired: dict[Key, Values] = {(cluster.pk, one.metadata.name): _node(one) for one in listed or ()}
    for name, *before in scope.values_list("name", *_NODE_FIELDS):
        if listed is None or unread.holds_name(name):
            desired.setdefault((cluster.pk, name), tuple(before))
    for name in named:
        desired.setdefault((cluster.pk, name), ("", {}, [], {}, False, None, False))
    return reconcile(NodeRow, scope, ("cluster_id", "name"), _NODE_FIELDS, desired, keep=lambda key: True)


def forget(namespaces_left: Iterable[int], nodes_left: Iterable[int]) -> int:
    """Delete the places that nothing names any more and nothing lies in; how many."""
    empty = NamespaceRow.objects.filter(pk__in=namespaces_left).exclude(
        Exists(Claim.objects.filter(namespace=OuterRef("pk")))
        | Exists(ClaimTemplate.objects.filter(namespace=OuterRef("pk")))
        | Exists(Pod.objects.filter(namespace=OuterRef("pk")))
        | Exists(Quota.objects.filter(namespace=OuterRef("pk")))
    )
    bare = NodeRow.objects.filter(pk__in=nodes_left).exclude(
        Exists(Device.objects.filter(node=OuterRef("pk")))
        | Exists(Card.objects.filter(node=OuterRef("pk")))
        | Exists(Pod.objects.filter(node=OuterRef("pk")))
    )
    return empty.delete()[0] + bare.delete()[0]


def _node(node: Node) -> Values:
    conditions = {one.type: one.status for one in (node.status.conditions if node.status else None) or ()}
    ready = {"True": True, "False": False}.get(conditions.get("Ready", ""))
    spec, taints = node.spec, (node.spec.taints if node.spec else None) or ()
    return (
        node.metadata.uid,
        node.metadata.labels or {},
        [{"key": taint.key, "value": taint.value, "effect": taint.effect} for taint in taints],
        (node.status.allocatable if node.status else None) or {},
        bool(spec and spec.unschedulable),
        ready,
        True,
    )


def quotas(
    cluster: Cluster, listed: Iterable[ResourceQuota], namespace_ids: Mapping[Key, int], unread: Unread
) -> int:
    """Write the native quotas; how many rows changed."""
    desired: dict[Key, Values] = {
        (cluster.pk, one.metadata.uid): (
            namespace_ids[cluster.pk, one.metadata.namespace],
            one.metadata.name,
            (one.status.hard if one.status else None) or {},
            (one.status.used if one.status else None) or {},
        )
        for one in listed
    }
    scope, fields = Quota.objects.filter(cluster=cluster), ("namespace_id", "name", "hard", "used")
    return reconcile(
        Quota, scope, ("cluster_id", "uid"), fields, desired, keep=lambda key: unread.holds_uid(key[1])
    ).changes
