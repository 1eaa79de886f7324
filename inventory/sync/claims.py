"""Resource claims to claims, shares and consumers; device classes and claim templates."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from inventory.kube.objects import AllocationResult, ResourceClaim, ResourceClaimTemplate
from inventory.kube.objects import DeviceClass as DeviceClassObject
from inventory.kube.quantity import Quantity, QuantityError, parse
from inventory.models import Claim, ClaimTemplate, Cluster, ConsumedCapacity, Consumer, DeviceClass, Share
from inventory.models.amounts import AmountError, exponent_for, to_amount
from inventory.sync.devices import Target, Written
from inventory.sync.reconcile import Key, Values, reconcile
from inventory.sync.unread import Unread

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
    started_at: datetime | None
    problem: str


# `gone` is written once Pods are known.
_CONSUMER_FIELDS = ("api_group", "resource", "name", "uid")


def targets(claims: Iterable[ResourceClaim]) -> Iterator[Target]:
    """Every device that an allocation names."""
    for claim in claims:
        for result in results(claim):
            yield result.driver, result.pool, result.device


def nodes_of_targets(claims: Iterable[ResourceClaim]) -> dict[Target, str]:
    """The one node that an allocation is bound to, by device: all that is known of a device nobody lists."""
    found: dict[Target, str] = {}
    for claim in claims:
        allocation = claim.status.allocation if claim.status else None
        node = _only_node(allocation.node_selector) if allocation else ""
        for result in results(claim) if node else ():
            found[result.driver, result.pool, result.device] = node
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


def write_claims(
    cluster: Cluster,
    claims: Sequence[ResourceClaim],
    namespace_ids: Mapping[Key, int],
    devices: Written,
    unread: Unread,
) -> int:
    """Write the claims with all that hangs on them; how many rows changed.

    Claims that are in the cluster but could not be read keep their rows.
    """
    scope = Claim.objects.filter(cluster=cluster)
    desired: dict[Key, Values] = {
        (cluster.pk, claim.metadata.uid): _claim(cluster, claim, namespace_ids) for claim in claims
    }
    rows = reconcile(
        Claim,
        scope,
        ("cluster_id", "uid"),
        ClaimColumns._fields,
        desired,
        keep=lambda key: unread.holds_uid(key[1]),
    )
    ids = {claim.metadata.uid: rows.ids[cluster.pk, claim.metadata.uid] for claim in claims}
    kept = set(rows.ids.values()) - set(ids.values())
    return (
        rows.changes
        + _write_shares(cluster, claims, ids, devices, kept)
        + _write_consumers(cluster, claims, ids, kept)
    )


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


def _claim(cluster: Cluster, claim: ResourceClaim, namespace_ids: Mapping[Key, int]) -> ClaimColumns:
    metadata, status = claim.metadata, claim.status
    annotations = metadata.annotations or {}
    owner = metadata.controller()
    allocation = status.allocation if status else None
    return ClaimColumns(
        namespace_id=namespace_ids[cluster.pk, metadata.namespace],
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
    cluster: Cluster,
    claims: Sequence[ResourceClaim],
    claim_ids: Mapping[str, int],
    devices: Written,
    kept: Container[object],
) -> int:
    found = {
        (claim_ids[claim.metadata.uid], position): (result, claim)
        for claim in claims
        for position, result in enumerate(results(claim))
    }
    consumed = {key: dict(_consumed(result, devices)) for key, (result, _) in found.items()}
    desired: dict[Key, Values] = {
        key: _share(cluster, result, claim, devices, consumed[key]) for key, (result, claim) in found.items()
    }
    scope = Share.objects.filter(cluster=cluster)
    rows = reconcile(
        Share, scope, ("claim_id", "position"), ShareColumns._fields, desired, keep=lambda key: key[0] in kept
    )
    kept_shares = {pk for key, pk in rows.ids.items() if key[0] in kept}
    amounts: dict[Key, Values] = {
        (rows.ids[key], dimension): _columns(quantity)
        for key, quantities in consumed.items()
        for dimension, quantity in quantities.items()
    }
    amount_rows = reconcile(
        ConsumedCapacity,
        ConsumedCapacity.objects.filter(share__cluster=cluster),
        ("share_id", "dimension"),
        ("exponent", "notation", "amount"),
        amounts,
        keep=lambda key: key[0] in kept_shares,
    )
    return rows.changes + amount_rows.changes


def _consumed(result: AllocationResult, devices: Written) -> Iterator[tuple[str, Quantity | None]]:
    """What a result consumes by dimension; None where it cannot be read."""
    if result.consumption_unreadable:
        device = devices.devices[result.driver, result.pool, result.device]
        yield from dict.fromkeys(devices.dimensions.get(device, ())).items()
    for dimension, value in (result.consumed_capacity or {}).items():
        yield dimension, _amount(value)


def _amount(value: Any) -> Quantity | None:
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
    claim: ResourceClaim,
    devices: Written,
    consumed: Mapping[str, Quantity | None],
) -> Values:
    allocation = claim.status.allocation if claim.status else None
    device = devices.devices[result.driver, result.pool, result.device]
    return ShareColumns(
        cluster_id=cluster.pk,
        device_id=device,
        request=result.request,
        share_id=result.share_id or "",
        dedicated=result.share_id is None,
        admin_access=bool(result.admin_access),
        tolerations=result.tolerations or [],
        started_at=allocation.allocation_timestamp if allocation else None,
        problem=_problem(result, consumed, measured=device in devices.dimensions),
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
    cluster: Cluster, claims: Sequence[ResourceClaim], claim_ids: Mapping[str, int], kept: Container[object]
) -> int:
    desired: dict[Key, Values] = {
        (claim_ids[claim.metadata.uid], position): (one.api_group, one.resource, one.name, one.uid)
        for claim in claims
        for position, one in enumerate((claim.status.reserved_for if claim.status else None) or ())
    }
    scope, key = Consumer.objects.filter(claim__cluster=cluster), ("claim_id", "position")
    return reconcile(Consumer, scope, key, _CONSUMER_FIELDS, desired, keep=lambda key: key[0] in kept).changes


def write_templates(
    cluster: Cluster,
    templates: Iterable[ResourceClaimTemplate],
    namespace_ids: Mapping[Key, int],
    unread: Unread,
) -> int:
    desired: dict[Key, Values] = {
        (namespace_ids[cluster.pk, one.metadata.namespace], one.metadata.name): (
            cluster.pk,
            one.metadata.uid,
            one.spec,
        )
        for one in templates
    }
    namespace_of = {pk: key[1] for key, pk in namespace_ids.items()}
    return reconcile(
        ClaimTemplate,
        ClaimTemplate.objects.filter(cluster=cluster),
        ("namespace_id", "name"),
        ("cluster_id", "uid", "spec"),
        desired,
        keep=lambda key: unread.holds_name(key[1], namespace_of.get(key[0])),
    ).changes


def write_classes(cluster: Cluster, classes: Iterable[DeviceClassObject], unread: Unread) -> int:
    desired: dict[Key, Values] = {
        (cluster.pk, one.metadata.name): (
            one.metadata.uid,
            one.metadata.creation_timestamp,
            _text(one.spec.get("extendedResourceName")),
            one.spec,
        )
        for one in classes
    }
    scope, key = DeviceClass.objects.filter(cluster=cluster), ("cluster_id", "name")
    fields = ("uid", "created_at", "extended_resource_name", "spec")
    return reconcile(
        DeviceClass, scope, key, fields, desired, keep=lambda key: unread.holds_name(key[1])
    ).changes


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
