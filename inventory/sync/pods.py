"""Pods to rows: their workload, what the scheduler said, and which claims they use or wait for."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from inventory.hami.vendors import RESOURCE_NAMES
from inventory.kube.objects import Owned, OwnerReference, Pod, PodCondition
from inventory.models import Claim, Cluster, Consumer, PodClaim
from inventory.models import Pod as PodRow
from inventory.sync.reconcile import Key, Reconciled, Values, reconcile
from inventory.sync.unread import Unread

_BATCH = 5000
_POD_CLAIM_FIELDS = ("template_name", "claim_id", "reserved", "containers")


@dataclass(frozen=True)
class Owners:
    """ReplicaSets and Jobs by kind and UID, and the kinds of them that could not be read."""

    known: Mapping[tuple[str, str], Owned]
    unread: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Surroundings:
    """What Pods are written with besides themselves."""

    cluster: Cluster
    namespace_ids: Mapping[Key, int]
    node_ids: Mapping[Key, int]
    owners: Owners


class PodColumns(NamedTuple):
    namespace_id: int
    name: str
    resource_version: str
    node_id: int | None
    phase: str
    created_at: datetime | None
    deleted_at: datetime | None
    labels: dict[str, str]
    workload_kind: str
    workload_name: str
    scheduling_reason: str
    scheduling_message: str
    hami_resources: dict[str, dict[str, str]]


class _ClaimRow(NamedTuple):
    id: int
    namespace: str
    name: str
    owner_kind: str
    owner_name: str
    owner_uid: str
    pod_claim_name: str


@dataclass(frozen=True)
class _Claims:
    """The claims of a cluster, as Pods refer to them, and who they are reserved for."""

    by_name: Mapping[tuple[str, str], _ClaimRow]
    of_group: Mapping[tuple[str, str, str], _ClaimRow]
    reserved: Mapping[int, frozenset[tuple[str, str]]]

    def reserved_for(self, claim: _ClaimRow | None, pod: Pod) -> bool:
        """By UID for Pods; a gang's Pods by the name of their group, whose UID they do not carry."""
        if claim is None:
            return False
        group = _group(pod)
        consumers = self.reserved.get(claim.id, frozenset())
        return ("pods", pod.metadata.uid) in consumers or bool(group and ("podgroups", group) in consumers)


def write(around: Surroundings, pods: Sequence[Pod], unread: Unread) -> int:
    """Write the Pods and their uses of claims; how many rows changed.

    Pods that could not be read keep theirs.
    """
    cluster, scope = around.cluster, PodRow.objects.filter(cluster=around.cluster)
    workloads = _earlier_workloads(scope) if around.owners.unread else {}
    desired: dict[Key, PodColumns] = {
        (cluster.pk, pod.metadata.uid): _pod(around, pod, workloads.get(pod.metadata.uid)) for pod in pods
    }
    rows = reconcile(
        PodRow,
        scope,
        ("cluster_id", "uid"),
        PodColumns._fields,
        desired,
        keep=lambda key: unread.holds_uid(key[1]),
    )
    changes = rows.changes + _write_uses(cluster, pods, rows)
    return changes + mark_consumers(cluster, {uid for _, uid in rows.ids})


def _earlier_workloads(scope: QuerySet[PodRow]) -> dict[str, OwnerReference]:
    rows = scope.exclude(workload_kind="").order_by().values_list("uid", "workload_kind", "workload_name")
    return {uid: OwnerReference(kind=kind, name=name) for uid, kind, name in rows}


def _write_uses(cluster: Cluster, pods: Sequence[Pod], rows: Reconciled) -> int:
    claims = _claims(cluster)
    uses: dict[Key, Values] = {
        (rows.ids[cluster.pk, pod.metadata.uid], *key): values
        for pod in pods
        for key, values in _uses(pod, claims)
    }
    return reconcile(
        PodClaim,
        PodClaim.objects.filter(pod__cluster=cluster),
        ("pod_id", "name", "claim_name"),
        _POD_CLAIM_FIELDS,
        uses,
        keep=lambda key: key[0] in rows.kept,
    ).changes


def mark_consumers(cluster: Cluster, uids: Iterable[Any]) -> int:
    """Say of each consumer that is a Pod whether it is still there."""
    known = set(uids)
    consumers = Consumer.objects.filter(claim__cluster=cluster, resource="pods")
    wrong: defaultdict[bool, list[int]] = defaultdict(list)
    for pk, uid, gone in consumers.order_by().values_list("pk", "uid", "gone"):
        if gone is not (uid not in known):
            wrong[uid not in known].append(pk)
    return sum(
        Consumer.objects.filter(pk__in=pks[start : start + _BATCH]).update(gone=gone)
        for gone, pks in wrong.items()
        for start in range(0, len(pks), _BATCH)
    )


def _pod(around: Surroundings, pod: Pod, earlier_workload: OwnerReference | None) -> PodColumns:
    metadata, status, cluster = pod.metadata, pod.status, around.cluster.pk
    workload = workload_of(pod, around.owners, earlier_workload)
    unscheduled = _unscheduled(pod)
    return PodColumns(
        namespace_id=around.namespace_ids[cluster, metadata.namespace],
        name=metadata.name,
        resource_version=metadata.resource_version,
        node_id=around.node_ids.get((cluster, pod.spec.node_name or "")),
        phase=(status.phase if status else None) or "",
        created_at=metadata.creation_timestamp,
        deleted_at=metadata.deletion_timestamp,
        labels=metadata.labels or {},
        workload_kind=workload.kind if workload else "",
        workload_name=workload.name if workload else "",
        scheduling_reason=(unscheduled.reason if unscheduled else None) or "",
        scheduling_message=(unscheduled.message if unscheduled else None) or "",
        hami_resources=_hami_resources(pod),
    )


def _unscheduled(pod: Pod) -> PodCondition | None:
    """What the scheduler said of a Pod that it has not placed."""
    conditions = (pod.status.conditions if pod.status else None) or ()
    return next((one for one in conditions if one.type == "PodScheduled" and one.status == "False"), None)


def workload_of(pod: Pod, owners: Owners, earlier: OwnerReference | None = None) -> OwnerReference | None:
    """The top of the owner chain: a ReplicaSet's Deployment, a Job's CronJob or JobSet.

    As an earlier reading found it where the owner's kind cannot be read now, else as far as it could be
    followed. None for a Pod that stands alone.
    """
    owner = pod.metadata.controller()
    if owner is None:
        return None
    if earlier and owner.kind in owners.unread:
        return earlier
    middle = owners.known.get((owner.kind, owner.uid))
    return (middle.metadata.controller() if middle else None) or owner


def _hami_resources(pod: Pod) -> dict[str, dict[str, str]]:
    """What each container asks of HAMi; limits go before requests, as HAMi reads them."""
    asked = {
        container.name: {**(resources.requests or {}), **(resources.limits or {})}
        for container in (*(pod.spec.init_containers or ()), *(pod.spec.containers or ()))
        if (resources := container.resources) is not None
    }
    found = {
        container: {name: str(amount) for name, amount in amounts.items() if name in RESOURCE_NAMES}
        for container, amounts in asked.items()
    }
    return {container: amounts for container, amounts in found.items() if amounts}


def _claims(cluster: Cluster) -> _Claims:
    columns = ("pk", "namespace__name", "name", "owner_kind", "owner_name", "owner_uid", "pod_claim_name")
    rows = [_ClaimRow(*row) for row in Claim.objects.filter(cluster=cluster).order_by().values_list(*columns)]
    reserved: defaultdict[int, set[tuple[str, str]]] = defaultdict(set)
    consumers = Consumer.objects.filter(claim__cluster=cluster).order_by()
    for claim, resource, name, uid in consumers.values_list("claim_id", "resource", "name", "uid"):
        reserved[claim].add((resource, name if resource == "podgroups" else uid))
    return _Claims(
        by_name={(row.namespace, row.name): row for row in rows},
        of_group={
            (row.namespace, row.owner_name, row.pod_claim_name): row
            for row in rows
            if row.owner_kind == "PodGroup"
        },
        reserved={claim: frozenset(found) for claim, found in reserved.items()},
    )


def _uses(pod: Pod, claims: _Claims) -> Iterator[tuple[Key, Values]]:
    generated = {
        one.name: one.resource_claim_name for one in (pod.status and pod.status.resource_claim_statuses) or ()
    }
    containers = _containers(pod)
    for entry in pod.spec.resource_claims or ():
        template = entry.resource_claim_template_name or ""
        claim_name = entry.resource_claim_name or generated.get(entry.name) or ""
        claim = claims.by_name.get((pod.metadata.namespace, claim_name))
        if template and claim is not None and not _made_for(claim, pod):
            # A claim of that name which was made for another Pod is not this Pod's (IsForPod upstream).
            claim = None
        if template and claim is None:
            claim = claims.of_group.get((pod.metadata.namespace, _group(pod), entry.name))
            claim_name = claim.name if claim else claim_name
        yield (
            (entry.name, claim_name),
            (template, claim.id if claim else None, claims.reserved_for(claim, pod), containers[entry.name]),
        )
    extended = pod.status.extended_resource_claim_status if pod.status else None
    if extended:
        claim = claims.by_name.get((pod.metadata.namespace, extended.resource_claim_name))
        yield (
            ("", extended.resource_claim_name),
            ("", claim.id if claim else None, claims.reserved_for(claim, pod), []),
        )


def _made_for(claim: _ClaimRow, pod: Pod) -> bool:
    if claim.owner_kind == "PodGroup":
        return claim.owner_name == _group(pod)
    return claim.owner_uid == pod.metadata.uid


def _group(pod: Pod) -> str:
    return (pod.spec.scheduling_group.pod_group_name if pod.spec.scheduling_group else None) or ""


def _containers(pod: Pod) -> defaultdict[str, list[dict[str, str]]]:
    """Which containers use a claim of the Pod, and which request of it they name (none: all of them)."""
    found: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    for container in (*(pod.spec.init_containers or ()), *(pod.spec.containers or ())):
        for use in (container.resources.claims if container.resources else None) or ():
            found[use.name].append({"container": container.name, "request": use.request})
    return found
