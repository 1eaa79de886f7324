"""Resource claims to claims, shares and consumers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from inventory.kube.objects import AllocationResult, ResourceClaim
from inventory.kube.quantity import Quantity, QuantityError, parse
from inventory.models import Claim, Cluster, ConsumedCapacity, Consumer, Share
from inventory.models.amounts import AmountError, exponent_for, to_amount
from inventory.sync import bulk, intervals
from inventory.sync.changes import Changes, not_older
from inventory.sync.current import current
from inventory.sync.gone import gone_by_uid
from inventory.sync.intervals import Start
from inventory.sync.places import Places
from inventory.sync.reconcile import Key, Values, reconcile
from inventory.sync.targets import Known, Target, Targets
from inventory.sync.touched import Touched, batches

_POD_CLAIM_NAME = "resource.kubernetes.io/pod-claim-name"
_EXTENDED_RESOURCE = "resource.kubernetes.io/extended-resource-claim"


class ClaimColumns(NamedTuple):
    namespace_id: int
    name: str
    resource_version: str
    state: str
    spec: dict[str, Any]
    created_at: datetime | None
    deleted_at: datetime | None
    allocated_at: datetime | None
    node_selector: dict[str, Any] | None
    device_status: list[Any]
    owner_kind: str
    owner_name: str
    owner_uid: str
    pod_claim_name: str
    extended_resource: bool
    labels: dict[str, str]


class ShareColumns(NamedTuple):
    cluster_id: int
    device_id: int
    request: str
    share_id: str
    dedicated: bool
    admin_access: bool
    tolerations: list[Any]
    started_at: datetime
    started_source: str
    problem: str


# `gone` is written once Pods are known.
_CONSUMER_FIELDS = ("api_group", "resource", "name", "uid")
_AMOUNT_FIELDS = ("exponent", "notation", "amount")
# A gang's claim is found by the name of the gang.
_GANG = "PodGroup"


@dataclass(frozen=True)
class Surroundings:
    """What claims are written with besides themselves.

    `now` is when it was learned, `before` when the claims were last known to be as they are in the rows.
    """

    cluster: Cluster
    places: Places
    targets: Targets
    now: datetime
    before: datetime | None
    no_history: bool = False


def write(around: Surroundings, changes: Changes[ResourceClaim], touched: Touched) -> None:
    """Write the claims with all that hangs on them."""
    scope = Claim.objects.filter(cluster=around.cluster)
    _write_passed(around, changes)
    for batch in batches(gone_by_uid(scope, changes)):
        _remove(around, batch, touched)
    nothing_yet = not scope.exists()
    for chunk in changes.chunks():
        _write(around, current(scope, chunk, changes), touched, nothing_yet=nothing_yet)


def _write_passed(around: Surroundings, changes: Changes[ResourceClaim]) -> None:
    """What claims held between two commits is in no row but those of history."""
    uids = [claim.metadata.uid for claim in changes.passed]
    if not uids:
        return
    rows = Claim.objects.filter(cluster=around.cluster, uid__in=uids)
    for claim in not_older(changes.passed, dict(rows.values_list("uid", "resource_version"))):
        held = [(claim, result, dict(_consumed(result, frozenset()))) for result in results(claim)]
        intervals.write(around.cluster, [claim], held, around.now, around.before)
    # One that came and went since the last commit has no row by which it would be found.
    intervals.close(around.cluster, changes.gone & set(uids), around.now, around.before)


def _remove(around: Surroundings, claim_ids: Sequence[int], touched: Touched) -> None:
    going = Claim.objects.filter(pk__in=claim_ids)
    _touch(going, touched)
    intervals.close(around.cluster, going.values_list("uid", flat=True), around.now, around.before)
    deleted = bulk.delete(Claim, claim_ids)
    touched.grown[Claim] -= deleted
    touched.changes += deleted


def _touch(claims: QuerySet[Claim], touched: Touched) -> None:
    """The devices that these claims hold, and the Pods that know them by name."""
    held = Share.objects.filter(claim__in=claims).order_by()
    touched.pools.update(held.values_list("device__pool_id", flat=True).distinct())
    columns = ("namespace_id", "name", "owner_kind", "owner_name")
    for namespace, name, owner_kind, owner_name in claims.order_by().values_list(*columns):
        touched.claim_names.add((namespace, name))
        if owner_kind == _GANG:
            touched.pod_groups.add((namespace, owner_name))


def _write(
    around: Surroundings, claims: Sequence[ResourceClaim], touched: Touched, *, nothing_yet: bool
) -> None:
    cluster, uids = around.cluster, [claim.metadata.uid for claim in claims]
    scope = None if nothing_yet else Claim.objects.filter(cluster=cluster, uid__in=uids)
    existing = set() if scope is None else set(scope.values_list("pk", flat=True))
    if existing:
        _touch(Claim.objects.filter(pk__in=existing), touched)
    namespaces = around.places.namespaces({claim.metadata.namespace for claim in claims})
    desired: dict[Key, Values] = {
        (cluster.pk, claim.metadata.uid): _claim(claim, namespaces) for claim in claims
    }
    rows = reconcile(Claim, scope, ("cluster_id", "uid"), ClaimColumns._fields, desired)
    ids = {uid: pk for (_, uid), pk in rows.ids.items()}
    touched.changes += rows.changes
    touched.grown[Claim] += rows.created
    touched.claims.update(ids.values())
    for row in desired.values():
        touched.claim_names.add((row[0], row[1]))
        if row[10] == _GANG:
            touched.pod_groups.add((row[0], row[11]))
    _write_shares(around, claims, ids, existing, touched)
    _write_consumers(claims, ids, existing, touched)


def nodes_of_targets(claims: Iterable[ResourceClaim]) -> dict[Target, str]:
    """Every device that an allocation names, with the one node that it is bound to, if that is so."""
    found: dict[Target, str] = {}
    for claim in claims:
        allocation = claim.status.allocation if claim.status else None
        node = _only_node(allocation.node_selector) if allocation else ""
        for result in results(claim):
            found[_target(result)] = node or found.get(_target(result), "")
    return found


def _only_node(selector: Any) -> str:
    """The node of a selector in the one form that the scheduler writes: metadata.name In [node]."""
    match selector:
        case {
            "nodeSelectorTerms": [
                {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [str() as node]}]}
            ]
        }:
            return node
    return ""


def results(claim: ResourceClaim) -> list[AllocationResult]:
    allocation = claim.status.allocation if claim.status else None
    return allocation.results() if allocation else []


def state(claim: ResourceClaim) -> str:
    """As `kubectl get resourceclaims` prints it (printers.go, printResourceClaim)."""
    allocated = bool(claim.status and claim.status.allocation)
    deleted = claim.metadata.deletion_timestamp is not None
    parts = [
        *(["deleted"] if deleted else []),
        *(["allocated"] if allocated else []),
        *(["reserved"] if allocated and claim.status and claim.status.reserved_for else []),
    ]
    return ",".join(parts) or "pending"


def _claim(claim: ResourceClaim, namespace_ids: Mapping[str, int]) -> ClaimColumns:
    metadata, status = claim.metadata, claim.status
    annotations = metadata.annotations or {}
    owner = metadata.controller()
    allocation = status.allocation if status else None
    return ClaimColumns(
        namespace_id=namespace_ids[metadata.namespace],
        name=metadata.name,
        resource_version=metadata.resource_version,
        state=state(claim),
        spec=claim.spec,
        created_at=metadata.creation_timestamp,
        deleted_at=metadata.deletion_timestamp,
        allocated_at=allocation.allocation_timestamp if allocation else None,
        node_selector=allocation.node_selector if allocation else None,
        device_status=(status.devices if status else None) or [],
        owner_kind=owner.kind if owner else "",
        owner_name=owner.name if owner else "",
        owner_uid=owner.uid if owner else "",
        pod_claim_name=annotations.get(_POD_CLAIM_NAME, ""),
        extended_resource=annotations.get(_EXTENDED_RESOURCE) == "true",
        labels=metadata.labels or {},
    )


def _write_shares(
    around: Surroundings,
    claims: Sequence[ResourceClaim],
    claim_ids: Mapping[str, int],
    existing: set[int],
    touched: Touched,
) -> None:
    devices = around.targets.find(nodes_of_targets(claims))
    found = [
        (claim, position, result, devices[_target(result)])
        for claim in claims
        for position, result in enumerate(results(claim))
    ]
    consumed = [dict(_consumed(result, device.dimensions)) for _, _, result, device in found]
    starts = intervals.write(
        around.cluster,
        claims,
        [(claim, result, amounts) for (claim, _, result, _), amounts in zip(found, consumed, strict=True)],
        around.now,
        around.before,
        nothing_yet=around.no_history,
    )
    touched.pools.update(device.pool_id for *_, device in found)
    keys = [(claim_ids[claim.metadata.uid], position) for claim, position, _, _ in found]
    desired: dict[Key, Values] = {
        key: _share(around.cluster, result, device, amounts, start)
        for key, (_, _, result, device), amounts, start in zip(keys, found, consumed, starts, strict=True)
    }
    scope = Share.objects.filter(claim__in=existing) if existing else None
    rows = reconcile(Share, scope, ("claim_id", "position"), ShareColumns._fields, desired)
    touched.changes += rows.changes
    _write_amounts(dict(zip(keys, consumed, strict=True)), rows.ids, existing, touched)


def _write_amounts(
    consumed: Mapping[Key, Mapping[str, Quantity | None]],
    share_ids: Mapping[Key, int],
    existing: set[int],
    touched: Touched,
) -> None:
    desired: dict[Key, Values] = {
        (share_ids[key], dimension): _columns(quantity)
        for key, quantities in consumed.items()
        for dimension, quantity in quantities.items()
    }
    scope = ConsumedCapacity.objects.filter(share__claim__in=existing) if existing else None
    rows = reconcile(ConsumedCapacity, scope, ("share_id", "dimension"), _AMOUNT_FIELDS, desired)
    touched.changes += rows.changes


def _target(result: AllocationResult) -> Target:
    return result.driver, result.pool, result.device


def _consumed(result: AllocationResult, dimensions: frozenset[str]) -> Iterator[tuple[str, Quantity | None]]:
    """What a result consumes by dimension; None where it cannot be read."""
    if result.consumption_unreadable:
        yield from dict.fromkeys(dimensions).items()
    for dimension, value in (result.consumed_capacity or {}).items():
        yield dimension, amount(value)


def amount(value: Any) -> Quantity | None:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    try:
        quantity = parse(str(value))
        exponent_for(quantity)
    except (QuantityError, AmountError):
        return None
    # Nobody consumes less than nothing: it would make room that is not there.
    return quantity if quantity.nanos >= 0 else None


def _columns(quantity: Quantity | None) -> Values:
    exponent = exponent_for(quantity)
    return exponent, (quantity.notation.value if quantity else "DecimalSI"), to_amount(quantity, exponent)


def _share(
    cluster: Cluster,
    result: AllocationResult,
    device: Known,
    consumed: Mapping[str, Quantity | None],
    start: Start,
) -> Values:
    return ShareColumns(
        cluster_id=cluster.pk,
        device_id=device.id,
        request=result.request,
        share_id=result.share_id or "",
        dedicated=result.share_id is None,
        admin_access=bool(result.admin_access),
        tolerations=result.tolerations or [],
        started_at=start.at,
        started_source=start.source,
        problem=_problem(result, consumed, measured=bool(device.dimensions)),
    )


def _problem(result: AllocationResult, consumed: Mapping[str, Quantity | None], *, measured: bool) -> str:
    if result.consumption_unreadable:
        return "consumed capacity cannot be read"
    if unread := [dimension for dimension, quantity in consumed.items() if quantity is None]:
        values = ", ".join(
            f"{dimension}: {(result.consumed_capacity or {})[dimension]!r}" for dimension in unread
        )
        return f"consumed capacity cannot be read: {values}"
    if (
        measured
        and result.share_id is not None
        and not result.admin_access
        and result.consumed_capacity is None
    ):
        return "the allocation states no consumed capacity; the scheduler counts nothing for this share"
    return ""


def _write_consumers(
    claims: Sequence[ResourceClaim], claim_ids: Mapping[str, int], existing: set[int], touched: Touched
) -> None:
    desired: dict[Key, Values] = {
        (claim_ids[claim.metadata.uid], position): (one.api_group, one.resource, one.name, one.uid)
        for claim in claims
        for position, one in enumerate((claim.status.reserved_for if claim.status else None) or ())
    }
    scope = Consumer.objects.filter(claim__in=existing) if existing else None
    rows = reconcile(Consumer, scope, ("claim_id", "position"), _CONSUMER_FIELDS, desired)
    touched.changes += rows.changes
