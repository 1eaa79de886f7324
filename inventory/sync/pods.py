"""Pods to rows: their workload, what the scheduler said, and which claims they name."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from inventory.hami import manifest
from inventory.hami.vendors import RESOURCE_NAMES
from inventory.kube.objects import OwnerReference, Pod, PodCondition, Raw
from inventory.models import Cluster, PodClaim
from inventory.models import Pod as PodRow
from inventory.models.pods import FINISHED
from inventory.ownership.described import Described, kept
from inventory.ownership.rulebook import Subject
from inventory.sync import bulk
from inventory.sync.changes import Changes, Owners
from inventory.sync.current import current
from inventory.sync.gone import gone_by_uid
from inventory.sync.links import LINK_FIELDS, Use, links
from inventory.sync.places import Places
from inventory.sync.reconcile import Key, Values, reconcile
from inventory.sync.touched import Touched, batches

# What history keeps of it.
_PLACE = ("node_id", "workload_kind", "workload_name")
_POD_CLAIM_KEY = ("pod_id", "name", "claim_name")
_POD_CLAIM_FIELDS = ("position", "template_name", "containers", *LINK_FIELDS)


@dataclass(frozen=True)
class Surroundings:
    """What Pods are written with besides themselves."""

    cluster: Cluster
    places: Places
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
    annotations: dict[str, str]
    team_id: int | None
    controller_uid: str
    workload_kind: str
    workload_name: str
    pod_group: str
    scheduling_reason: str
    scheduling_message: str
    node_rules: dict[str, Any]
    hami_resources: dict[str, dict[str, str]]
    hami_manifest: Raw


def write(around: Surroundings, changes: Changes[Pod], touched: Touched) -> None:
    """Write the Pods and the claims that they name."""
    scope = PodRow.objects.filter(cluster=around.cluster)
    for batch in batches(gone_by_uid(scope, changes)):
        going = scope.filter(pk__in=batch)
        touched.pod_uids.update(going.values_list("uid", flat=True))
        _note_claims(around, batch, touched)
        deleted = bulk.delete(PodRow, batch)
        touched.grown[PodRow] -= deleted
        touched.left = True
        touched.changes += deleted
    nothing_yet = touched.only_new_pods = not scope.exists()
    for chunk in changes.chunks():
        _write(around, current(scope, chunk, changes), touched, nothing_yet=nothing_yet)


def _write(around: Surroundings, pods: Sequence[Pod], touched: Touched, *, nothing_yet: bool) -> None:
    cluster, uids = around.cluster, [pod.metadata.uid for pod in pods]
    scope = None if nothing_yet else PodRow.objects.filter(cluster=cluster, uid__in=uids)
    columns = ("uid", "pk", *_PLACE)
    before = {} if scope is None else {uid: rest for uid, *rest in scope.values_list(*columns)}
    existing = {uid: pk for uid, (pk, *_) in before.items()}
    namespaces = around.places.namespaces({pod.metadata.namespace for pod in pods})
    nodes = around.places.nodes({pod.spec.node_name for pod in pods if pod.spec.node_name})
    workloads = _workloads(scope, around.owners) if existing else {}
    desired = {
        (cluster.pk, pod.metadata.uid): _pod(
            pod,
            around.places,
            namespaces,
            nodes,
            workload_of(pod, around.owners, workloads.get(pod.metadata.uid)),
        )
        for pod in pods
    }
    rows = reconcile(PodRow, scope, ("cluster_id", "uid"), PodColumns._fields, desired)
    touched.changes += rows.changes
    touched.grown[PodRow] += rows.created
    touched.pods.update(rows.ids.values())
    touched.pod_uids.update(uid for uid in uids if uid not in existing)
    touched.pods_placed.update(
        uid
        for (_, uid), row in desired.items()
        if uid not in before or before[uid][1:] != [getattr(row, column) for column in _PLACE]
    )
    _note_claims(around, existing.values(), touched)
    found = PodClaim.objects.filter(pod__in=existing.values()) if existing else None
    uses = _with_links(pods, rows.ids, desired)
    touched.changes += reconcile(PodClaim, found, _POD_CLAIM_KEY, _POD_CLAIM_FIELDS, uses).changes


def _note_claims(around: Surroundings, pod_ids: Collection[int], touched: Touched) -> None:
    """These Pods may have said whose the claims are that they used."""
    if pod_ids and around.places.rulebook.looks_at_pods:
        used = PodClaim.objects.filter(pod__in=pod_ids, claim__isnull=False).order_by()
        touched.claims_of_pods.update(used.values_list("claim_id", flat=True))


def _with_links(
    pods: Sequence[Pod], pod_ids: Mapping[Key, int], columns: Mapping[Key, PodColumns]
) -> dict[Key, Values]:
    """What the Pods say of their claims, and which claims these are."""
    keys: list[Key] = []
    values: list[Values] = []
    uses: list[Use] = []
    for pod, (key, row) in zip(pods, columns.items(), strict=True):
        for position, ((name, claim_name), (template, containers)) in enumerate(_uses(pod)):
            keys.append((pod_ids[key], name, claim_name))
            values.append((position, template, containers))
            uses.append(Use(name, claim_name, template, pod.metadata.uid, row.namespace_id, row.pod_group))
    return {key: (*value, *link) for key, value, link in zip(keys, values, links(uses), strict=True)}


def _workloads(scope: QuerySet[PodRow] | None, owners: Owners) -> dict[str, OwnerReference]:
    """What earlier readings found of Pods whose owners cannot be asked for now."""
    if scope is None or not owners.unread:
        return {}
    rows = scope.exclude(workload_kind="").values_list("uid", "workload_kind", "workload_name")
    return {uid: OwnerReference(kind=kind, name=name) for uid, kind, name in rows}


def _pod(
    pod: Pod,
    places: Places,
    namespaces: Mapping[str, int],
    nodes: Mapping[str, int],
    workload: OwnerReference | None,
) -> PodColumns:
    metadata, status = pod.metadata, pod.status
    said = Described(metadata.labels or {}, kept(metadata.annotations, places.kept_annotations[Subject.POD]))
    owner = places.rulebook.of_pod(said)
    controller, unscheduled = metadata.controller(), _unscheduled(pod)
    return PodColumns(
        namespace_id=namespaces[metadata.namespace],
        name=metadata.name,
        resource_version=metadata.resource_version,
        node_id=nodes.get(pod.spec.node_name or ""),
        phase=(status.phase if status else None) or "",
        created_at=metadata.creation_timestamp,
        deleted_at=metadata.deletion_timestamp,
        labels=dict(said.labels),
        annotations=dict(said.annotations),
        team_id=owner.team if owner else places.team_of(metadata.namespace),
        controller_uid=controller.uid if controller else "",
        workload_kind=workload.kind if workload else "",
        workload_name=workload.name if workload else "",
        pod_group=_group(pod),
        scheduling_reason=(unscheduled.reason if unscheduled else None) or "",
        scheduling_message=(unscheduled.message if unscheduled else None) or "",
        node_rules=_node_rules(pod),
        hami_resources=_hami_resources(pod),
        hami_manifest=manifest.kept(pod),
    )


def _node_rules(pod: Pod) -> dict[str, Any]:
    """What of a Pod's spec, in its shape, leaves nodes out; preferences do not."""
    spec, phase = pod.spec, pod.status.phase if pod.status else None
    if spec.node_name or phase in FINISHED:
        return {}
    match spec.affinity:
        case {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}:
            node = {"requiredDuringSchedulingIgnoredDuringExecution": required}
            affinity: dict[str, Any] | None = {"nodeAffinity": node}
        case _:
            affinity = None
    rules = {
        "nodeSelector": spec.node_selector,
        "affinity": affinity,
        "tolerations": spec.tolerations,
        "schedulingGates": spec.scheduling_gates,
    }
    return {key: value for key, value in rules.items() if value}


def _unscheduled(pod: Pod) -> PodCondition | None:
    """What the scheduler said of a Pod that it has not placed."""
    conditions = (pod.status.conditions if pod.status else None) or ()
    return next((one for one in conditions if one.type == "PodScheduled" and one.status == "False"), None)


def workload_of(pod: Pod, owners: Owners, earlier: OwnerReference | None = None) -> OwnerReference | None:
    """The top of the owner chain: a ReplicaSet's Deployment, a Job's CronJob or JobSet.

    As an earlier reading found it where the owner cannot be asked for now, else as far as it could be
    followed. None for a Pod that stands alone.
    """
    owner = pod.metadata.controller()
    if owner is None:
        return None
    if earlier and owner.uid in owners.unread:
        return earlier
    return owners.known.get(owner.uid) or owner


def _hami_resources(pod: Pod) -> dict[str, dict[str, str]]:
    """What each container asks of HAMi; limits go before requests, as HAMi reads them."""
    asked = {
        container.name: {**(resources.requests or {}), **(resources.limits or {})}
        for container in (*(pod.spec.init_containers or ()), *(pod.spec.containers or ()))
        if (resources := container.resources) is not None
    }
    by_claim = pod.by_claim()
    found = {
        container: {
            name: str(amount)
            for name, amount in amounts.items()
            if name in RESOURCE_NAMES and (container, name) not in by_claim
        }
        for container, amounts in asked.items()
    }
    return {container: amounts for container, amounts in found.items() if amounts}


def _uses(pod: Pod) -> Iterator[tuple[Key, Values]]:
    """The claims that it names, or that were made for it: its name for the claim, the claim's own name."""
    generated = {
        one.name: one.resource_claim_name for one in (pod.status and pod.status.resource_claim_statuses) or ()
    }
    containers = _containers(pod)
    for entry in pod.spec.resource_claims or ():
        if generated.get(entry.name, "") is None:
            # The controller found that the Pod needs no claim there.
            continue
        claim_name = entry.resource_claim_name or generated.get(entry.name) or ""
        yield (entry.name, claim_name), (entry.resource_claim_template_name or "", containers[entry.name])
    extended = pod.status.extended_resource_claim_status if pod.status else None
    if extended:
        yield ("", extended.resource_claim_name), ("", [])


def _group(pod: Pod) -> str:
    return (pod.spec.scheduling_group.pod_group_name if pod.spec.scheduling_group else None) or ""


def _containers(pod: Pod) -> defaultdict[str, list[dict[str, str]]]:
    """Which containers use a claim of the Pod, and which request of it they name (none: all of them)."""
    found: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    for container in (*(pod.spec.init_containers or ()), *(pod.spec.containers or ())):
        for use in (container.resources.claims if container.resources else None) or ():
            found[use.name].append({"container": container.name, "request": use.request})
    return found
