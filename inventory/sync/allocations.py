"""What an allocation says: devices, nodes, and what of each dimension it consumes."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from inventory.kube.moments import of_allocation
from inventory.kube.objects import AllocationResult, ResourceClaim
from inventory.kube.quantity import Quantity, QuantityError, parse
from inventory.models.amounts import AmountError, exponent_for
from inventory.reasons import Reason

# Driver, pool, device.
Target = tuple[str, str, str]


def nodes_of_targets(claims: Iterable[ResourceClaim]) -> dict[Target, str]:
    """Every device that an allocation names, with the one node that it is bound to, if that is so."""
    found: dict[Target, str] = {}
    for claim in claims:
        node = only_node(claim)
        for result in results(claim):
            found[target(result)] = node or found.get(target(result), "")
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


def device_classes(claim: ResourceClaim) -> Iterator[tuple[str, str]]:
    """The class that each request names, by what allocation results call the request.

    An entry of `firstAvailable` is `request/entry` there. What cannot be read names none.
    """
    match claim.spec:
        case {"devices": {"requests": list() as requests}}:
            for request in requests:
                yield from _classes_of(request)


def _classes_of(request: Any) -> Iterator[tuple[str, str]]:
    match request:
        case {"name": str() as name, "exactly": {"deviceClassName": str() as device_class}}:
            yield name, device_class
        case {"name": str() as name, "firstAvailable": list() as entries}:
            for entry in entries:
                match entry:
                    case {"name": str() as own, "deviceClassName": str() as device_class}:
                        yield f"{name}/{own}", device_class


def allocated_at(claim: ResourceClaim) -> datetime | None:
    """As the claim tells it, where that can be so."""
    allocation = claim.status.allocation if claim.status else None
    told = allocation.allocation_timestamp if allocation else None
    return of_allocation(told, claim.metadata.creation_timestamp)


def only_node(claim: ResourceClaim) -> str:
    """The one node that an allocation is bound to, if that is so."""
    allocation = claim.status.allocation if claim.status else None
    return _only_node(allocation.node_selector) if allocation else ""


def target(result: AllocationResult) -> Target:
    return result.driver, result.pool, result.device


def consumed(result: AllocationResult, dimensions: frozenset[str]) -> Iterator[tuple[str, Quantity | None]]:
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


def problem(result: AllocationResult, amounts: Mapping[str, Quantity | None], *, measured: bool) -> str:
    """Why it is not known what a result consumes, empty if it is. `measured`: its device has capacities."""
    if result.consumption_unreadable:
        return Reason.CONSUMED_UNREADABLE.value
    if unread := [dimension for dimension, quantity in amounts.items() if quantity is None]:
        values = ", ".join(
            f"{dimension}: {(result.consumed_capacity or {})[dimension]!r}" for dimension in unread
        )
        return Reason.CONSUMED_UNREADABLE_IN.format(values=values)
    if (
        measured
        and result.share_id is not None
        and not result.admin_access
        and result.consumed_capacity is None
    ):
        return Reason.CONSUMED_UNSTATED.value
    return ""
