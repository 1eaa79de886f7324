"""Allocation results to shares, what they consume, and their history."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from inventory.kube.objects import AllocationResult, ResourceClaim
from inventory.kube.quantity import Quantity
from inventory.models import Cluster, ConsumedCapacity, Share
from inventory.models.amounts import exponent_for, to_amount
from inventory.sync import intervals
from inventory.sync.allocations import (
    consumed,
    device_classes,
    nodes_of_targets,
    problem,
    results,
    target,
)
from inventory.sync.intervals import Opening, Start
from inventory.sync.places import Places
from inventory.sync.reconcile import Key, Values, reconcile
from inventory.sync.targets import Known, Targets
from inventory.sync.touched import Touched

_AMOUNT_FIELDS = ("exponent", "notation", "amount")


class ShareColumns(NamedTuple):
    cluster_id: int
    device_id: int
    request: str
    device_class: str
    share_id: str
    dedicated: bool
    admin_access: bool
    tolerations: list[Any]
    started_at: datetime
    started_source: str
    problem: str


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


def write(
    around: Surroundings,
    claims: Sequence[ResourceClaim],
    claim_ids: Mapping[str, int],
    existing: set[int],
    slugs: Mapping[str, str],
    touched: Touched,
) -> None:
    """`slugs` says of each claim by its UID whose it is."""
    devices = around.targets.find(nodes_of_targets(claims))
    found = [
        (claim, position, result, devices[target(result)])
        for claim in claims
        for position, result in enumerate(results(claim))
    ]
    amounts = [dict(consumed(result, device.dimensions)) for _, _, result, device in found]
    starts = intervals.write(
        around.cluster,
        claims,
        [(claim, result, each) for (claim, _, result, _), each in zip(found, amounts, strict=True)],
        Opening(slugs, touched),
        around.now,
        around.before,
        nothing_yet=around.no_history,
    )
    touched.pools.update(device.pool_id for *_, device in found)
    keys = [(claim_ids[claim.metadata.uid], position) for claim, position, _, _ in found]
    classes = {claim.metadata.uid: dict(device_classes(claim)) for claim in claims}
    desired: dict[Key, Values] = {
        key: _share(
            around.cluster, result, device, classes[claim.metadata.uid].get(result.request, ""), each, start
        )
        for key, (claim, _, result, device), each, start in zip(keys, found, amounts, starts, strict=True)
    }
    scope = Share.objects.filter(claim__in=existing) if existing else None
    rows = reconcile(Share, scope, ("claim_id", "position"), ShareColumns._fields, desired)
    touched.changes += rows.changes
    _write_amounts(dict(zip(keys, amounts, strict=True)), rows.ids, existing, touched)


def _write_amounts(
    amounts: Mapping[Key, Mapping[str, Quantity | None]],
    share_ids: Mapping[Key, int],
    existing: set[int],
    touched: Touched,
) -> None:
    desired: dict[Key, Values] = {
        (share_ids[key], dimension): _columns(quantity)
        for key, quantities in amounts.items()
        for dimension, quantity in quantities.items()
    }
    scope = ConsumedCapacity.objects.filter(share__claim__in=existing) if existing else None
    rows = reconcile(ConsumedCapacity, scope, ("share_id", "dimension"), _AMOUNT_FIELDS, desired)
    touched.changes += rows.changes


def _columns(quantity: Quantity | None) -> Values:
    exponent = exponent_for(quantity)
    return exponent, (quantity.notation.value if quantity else "DecimalSI"), to_amount(quantity, exponent)


def _share(
    cluster: Cluster,
    result: AllocationResult,
    device: Known,
    device_class: str,
    amounts: Mapping[str, Quantity | None],
    start: Start,
) -> Values:
    return ShareColumns(
        cluster_id=cluster.pk,
        device_id=device.id,
        request=result.request,
        device_class=device_class,
        share_id=result.share_id or "",
        dedicated=result.share_id is None,
        admin_access=bool(result.admin_access),
        tolerations=result.tolerations or [],
        started_at=start.at,
        started_source=start.source,
        problem=problem(result, amounts, measured=bool(device.dimensions)),
    )
