"""Where things are: namespaces with their teams, nodes, native quotas.

What other objects name is written too, as not listed. Places are forgotten last: nothing that is kept because
its kind could not be read, ever goes with its place.
"""

from collections.abc import Mapping, Set
from typing import Any

from django.db.models import Q, QuerySet

from inventory.kube.objects import Namespace, Node, ResourceQuota
from inventory.models import Card, Claim, ClaimTemplate, Cluster, Device, Pod, Quota, TeamNamespace
from inventory.models import Namespace as NamespaceRow
from inventory.models import Node as NodeRow
from inventory.sync import bulk
from inventory.sync.changes import Changes
from inventory.sync.current import current
from inventory.sync.gone import gone_by_name, gone_by_uid
from inventory.sync.reconcile import Key, Values, reconcile
from inventory.sync.touched import Touched, batches

_NAMESPACE_FIELDS = ("uid", "resource_version", "labels", "listed", "team_id")
_NODE_FIELDS = (
    "uid",
    "resource_version",
    "labels",
    "taints",
    "allocatable",
    "unschedulable",
    "ready",
    "listed",
)
_QUOTA_FIELDS = ("namespace_id", "name", "resource_version", "hard", "used")
_UNLISTED_NAMESPACE: Values = ("", "", {}, False)
_UNLISTED_NODE: Values = ("", "", {}, [], {}, False, None, False)


class Places:
    """The rows of namespaces and nodes by name; one that has none yet gets one."""

    def __init__(self, cluster: Cluster, touched: Touched) -> None:
        self._cluster, self._touched = cluster, touched
        self._namespaces: dict[str, int] = {}
        self._nodes: dict[str, int] = {}
        self._teams: dict[str, int] | None = None

    @property
    def teams(self) -> Mapping[str, int]:
        if self._teams is None:
            self._teams = teams_of(self._cluster)
        return self._teams

    def namespaces(self, names: Set[str]) -> Mapping[str, int]:
        if names <= self._namespaces.keys():
            return self._namespaces
        self._find(NamespaceRow, self._namespaces, names)
        missing: dict[str, Values] = {
            name: (*_UNLISTED_NAMESPACE, self.teams.get(name)) for name in names - self._namespaces.keys()
        }
        self._make(NamespaceRow, self._namespaces, _NAMESPACE_FIELDS, missing)
        return self._namespaces

    def nodes(self, names: Set[str]) -> Mapping[str, int]:
        if names <= self._nodes.keys():
            return self._nodes
        self._find(NodeRow, self._nodes, names)
        missing = dict.fromkeys(names - self._nodes.keys(), _UNLISTED_NODE)
        self._make(NodeRow, self._nodes, _NODE_FIELDS, missing)
        return self._nodes

    def _find(self, model: type[Any], known: dict[str, int], names: Set[str]) -> None:
        for batch in batches(names - known.keys()):
            rows = model.objects.filter(cluster=self._cluster, name__in=batch).order_by()
            known.update(rows.values_list("name", "pk"))

    def _make(
        self, model: type[Any], known: dict[str, int], fields: tuple[str, ...], missing: Mapping[str, Values]
    ) -> None:
        if not missing:
            return
        desired: dict[Key, Values] = {(self._cluster.pk, name): values for name, values in missing.items()}
        rows = reconcile(model, None, ("cluster_id", "name"), fields, desired)
        known.update({name: pk for (_, name), pk in rows.ids.items()})
        self._touched.changes += rows.changes


def write_namespaces(cluster: Cluster, places: Places, changes: Changes[Namespace], touched: Touched) -> None:
    scope = NamespaceRow.objects.filter(cluster=cluster)
    _unlist(scope, changes, _NAMESPACE_FIELDS[:-1], _UNLISTED_NAMESPACE, touched)
    for chunk in changes.chunks():
        desired: dict[Key, Values] = {
            (cluster.pk, one.metadata.name): (
                one.metadata.uid,
                one.metadata.resource_version,
                one.metadata.labels or {},
                True,
                places.teams.get(one.metadata.name),
            )
            for one in current(scope, chunk, changes)
        }
        _write(scope, _NAMESPACE_FIELDS, desired, touched)


def write_nodes(cluster: Cluster, changes: Changes[Node], touched: Touched) -> None:
    scope = NodeRow.objects.filter(cluster=cluster)
    _unlist(scope, changes, _NODE_FIELDS, _UNLISTED_NODE, touched)
    for chunk in changes.chunks():
        desired: dict[Key, Values] = {
            (cluster.pk, one.metadata.name): _node(one) for one in current(scope, chunk, changes)
        }
        _write(scope, _NODE_FIELDS, desired, touched)


def _write(
    scope: QuerySet[Any], fields: tuple[str, ...], desired: dict[Key, Values], touched: Touched
) -> None:
    named = scope.filter(name__in=[name for _, name in desired])
    touched.changes += reconcile(scope.model, named, ("cluster_id", "name"), fields, desired).changes


def _unlist(
    scope: QuerySet[Any], changes: Changes[Any], fields: tuple[str, ...], nothing: Values, touched: Touched
) -> None:
    """A place that is gone from its list stays by name while something is still in it."""
    for batch in batches(gone_by_name(scope.filter(listed=True), changes)):
        unlisted = dict(zip(fields, nothing, strict=True))
        touched.changes += scope.filter(pk__in=batch).update(**unlisted)
        touched.left = True


def teams_of(cluster: Cluster) -> dict[str, int]:
    """Namespace → team; an assignment for this cluster goes before one for all clusters."""
    assignments = TeamNamespace.objects.filter(Q(cluster=cluster) | Q(cluster=None))
    ordered = sorted(
        assignments.values_list("namespace", "team_id", "cluster_id"),
        key=lambda assignment: assignment[2] is not None,
    )
    return {namespace: team for namespace, team, _ in ordered}


def forget(cluster: Cluster) -> int:
    """Delete the places that nothing names any more and nothing lies in; how many."""
    of_namespaces = (Claim, ClaimTemplate, Pod, Quota)
    return _forget(NamespaceRow, "namespace", of_namespaces, cluster) + _forget(
        NodeRow, "node", (Device, Card, Pod), cluster
    )


def _forget(model: type[Any], name: str, inside: tuple[type[Any], ...], cluster: Cluster) -> int:
    unlisted = set(model.objects.filter(cluster=cluster, listed=False).values_list("pk", flat=True))
    for one in inside:
        if not unlisted:
            return 0
        held = one.objects.filter(**{f"{name}__in": unlisted}).order_by()
        unlisted -= set(held.values_list(f"{name}_id", flat=True).distinct())
    return bulk.delete(model, unlisted)


def _node(node: Node) -> Values:
    conditions = {one.type: one.status for one in (node.status.conditions if node.status else None) or ()}
    ready = {"True": True, "False": False}.get(conditions.get("Ready", ""))
    spec, taints = node.spec, (node.spec.taints if node.spec else None) or ()
    return (
        node.metadata.uid,
        node.metadata.resource_version,
        node.metadata.labels or {},
        [{"key": taint.key, "value": taint.value, "effect": taint.effect} for taint in taints],
        (node.status.allocatable if node.status else None) or {},
        bool(spec and spec.unschedulable),
        ready,
        True,
    )


def write_quotas(cluster: Cluster, places: Places, changes: Changes[ResourceQuota], touched: Touched) -> None:
    """The native quotas."""
    scope = Quota.objects.filter(cluster=cluster)
    deleted = bulk.delete(Quota, gone_by_uid(scope, changes))
    touched.left |= deleted > 0
    touched.changes += deleted
    for chunk in changes.chunks():
        quotas = current(scope, chunk, changes)
        namespaces = places.namespaces({one.metadata.namespace for one in quotas})
        desired: dict[Key, Values] = {
            (cluster.pk, one.metadata.uid): _quota(one, namespaces) for one in quotas
        }
        rows = scope.filter(uid__in=[uid for _, uid in desired])
        touched.changes += reconcile(Quota, rows, ("cluster_id", "uid"), _QUOTA_FIELDS, desired).changes


def _quota(one: ResourceQuota, namespaces: Mapping[str, int]) -> Values:
    return (
        namespaces[one.metadata.namespace],
        one.metadata.name,
        one.metadata.resource_version,
        (one.status.hard if one.status else None) or {},
        (one.status.used if one.status else None) or {},
    )
