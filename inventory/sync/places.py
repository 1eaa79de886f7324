"""Where things are: namespaces with their teams, nodes, native quotas.

What other objects name is written too, as not listed. Places are forgotten last: nothing that is kept because
its kind could not be read, ever goes with its place.
"""

from collections.abc import Iterable, Mapping, Set
from functools import cached_property
from typing import Any

from django.db.models import QuerySet

from inventory.kube.objects import Namespace, Node, ResourceQuota
from inventory.models import Card, Claim, ClaimTemplate, Cluster, Device, Pod, Quota
from inventory.models import Namespace as NamespaceRow
from inventory.models import Node as NodeRow
from inventory.ownership.described import Described, kept
from inventory.ownership.rulebook import Rulebook, Subject
from inventory.sync import bulk, teams
from inventory.sync.changes import Changes
from inventory.sync.current import current
from inventory.sync.gone import gone_by_name, gone_by_uid
from inventory.sync.reconcile import Key, Reconciled, Values, reconcile
from inventory.sync.touched import Touched, batches

_NAMESPACE_FIELDS = ("uid", "resource_version", "labels", "annotations", "listed", "team_id")
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
_UNLISTED_NAMESPACE: Values = ("", "", {}, {}, False)
_UNLISTED_NODE: Values = ("", "", {}, [], {}, False, None, False)


class Places:
    """The rows of namespaces and nodes by name; one that has none yet gets one."""

    def __init__(self, cluster: Cluster, touched: Touched) -> None:
        self._cluster, self._touched = cluster, touched
        self._namespaces: dict[str, int] = {}
        self._nodes: dict[str, int] = {}
        self._teams: dict[str, int | None] = {}

    @cached_property
    def rulebook(self) -> Rulebook:
        """Says whose things are."""
        return teams.rulebook(self._cluster)

    @cached_property
    def kept_annotations(self) -> Mapping[Subject, Set[str]]:
        return teams.kept_annotations(self.rulebook)

    def team_of_namespace(self, name: str, said: Described | None = None) -> int | None:
        """By the rules, of one that is listed with what it says; `team_of` is what its row says."""
        owner = self.rulebook.of_namespace(name, said)
        return owner.team if owner else None

    def team_of(self, namespace: str) -> int | None:
        """Of a namespace that was asked for here."""
        return self._teams[namespace]

    def namespaces(self, names: Set[str]) -> Mapping[str, int]:
        if names <= self._namespaces.keys():
            return self._namespaces
        for batch in batches(names - self._namespaces.keys()):
            rows = NamespaceRow.objects.filter(cluster=self._cluster, name__in=batch).order_by()
            for name, pk, team in rows.values_list("name", "pk", "team_id"):
                self._namespaces[name], self._teams[name] = pk, team
        missing: dict[str, Values] = {
            name: (*_UNLISTED_NAMESPACE, self.team_of_namespace(name))
            for name in names - self._namespaces.keys()
        }
        self._make(NamespaceRow, self._namespaces, _NAMESPACE_FIELDS, missing)
        self._teams.update({name: values[-1] for name, values in missing.items()})
        return self._namespaces

    def nodes(self, names: Set[str]) -> Mapping[str, int]:
        if names <= self._nodes.keys():
            return self._nodes
        for batch in batches(names - self._nodes.keys()):
            rows = NodeRow.objects.filter(cluster=self._cluster, name__in=batch).order_by()
            self._nodes.update(rows.values_list("name", "pk"))
        missing = dict.fromkeys(names - self._nodes.keys(), _UNLISTED_NODE)
        self._make(NodeRow, self._nodes, _NODE_FIELDS, missing)
        return self._nodes

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
    """What is in a namespace that belongs to another team now is left to `teams.follow`."""
    scope = NamespaceRow.objects.filter(cluster=cluster)
    unlisted = _unlist(scope, changes, _NAMESPACE_FIELDS[:-1], _UNLISTED_NAMESPACE, touched)
    _settle_unlisted(scope, unlisted, places, touched)
    for chunk in changes.chunks():
        desired: dict[Key, Values] = {
            (cluster.pk, one.metadata.name): _namespace(one, places) for one in current(scope, chunk, changes)
        }
        named = scope.filter(name__in=[name for _, name in desired])
        before = dict(named.values_list("name", "team_id"))
        ids = _write(scope, _NAMESPACE_FIELDS, desired, touched).ids
        touched.moved.update(
            pk for key, pk in ids.items() if before.get(key[1], desired[key][-1]) != desired[key][-1]
        )


def _namespace(one: Namespace, places: Places) -> Values:
    metadata = one.metadata
    annotations = kept(metadata.annotations, places.kept_annotations[Subject.NAMESPACE])
    said = Described(metadata.labels or {}, annotations)
    return (
        metadata.uid,
        metadata.resource_version,
        said.labels,
        annotations,
        True,
        places.team_of_namespace(metadata.name, said),
    )


def _settle_unlisted(
    scope: QuerySet[NamespaceRow], unlisted: Iterable[int], places: Places, touched: Touched
) -> None:
    """What is gone says nothing of itself any more; it may still be assigned by its name."""
    for batch in batches(unlisted):
        rows = scope.filter(pk__in=batch).values_list("pk", "name", "team_id")
        wrong = [(pk, team) for pk, name, old in rows if (team := places.team_of_namespace(name)) != old]
        touched.changes += bulk.update(NamespaceRow, ("team_id",), wrong)
        touched.moved.update(pk for pk, _ in wrong)


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
) -> Reconciled:
    named = scope.filter(name__in=[name for _, name in desired])
    rows = reconcile(scope.model, named, ("cluster_id", "name"), fields, desired)
    touched.changes += rows.changes
    return rows


def _unlist(
    scope: QuerySet[Any], changes: Changes[Any], fields: tuple[str, ...], nothing: Values, touched: Touched
) -> list[int]:
    """A place that is gone from its list stays by name while something is still in it. Which are gone."""
    gone = gone_by_name(scope.filter(listed=True), changes)
    for batch in batches(gone):
        unlisted = dict(zip(fields, nothing, strict=True))
        touched.changes += scope.filter(pk__in=batch).update(**unlisted)
        touched.left = True
    return gone


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
