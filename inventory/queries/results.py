"""Allocation results: which slice of which device, and how much of it."""

from collections.abc import Mapping

import msgspec

from inventory.kube.quantity import Quantity
from inventory.models import Share
from inventory.models.amounts import to_quantity
from inventory.queries.briefs import DeviceBrief, device_brief
from inventory.queries.requests import device_class

# What `allocation_result` reads of a share, besides its claim.
RELATED = ("device__pool", "device__node")
PREFETCHED = ("consumed", "device__balances")

Amounts = Mapping[str, Quantity | None]


class AllocationResult(msgspec.Struct, frozen=True):
    """One allocation result.

    `consumed` is what the allocation says; `held` what the books of the device count for it: the whole device
    where it is dedicated, nothing for admin access. A null amount is not known; `problem` says why.
    """

    id: int
    device: DeviceBrief
    share_id: str | None
    request: str
    device_class: str | None
    dedicated: bool
    admin_access: bool
    consumed: Amounts
    held: Amounts
    problem: str | None


def allocation_result(share: Share) -> AllocationResult:
    return AllocationResult(
        id=share.pk,
        device=device_brief(share.device),
        share_id=share.share_id or None,
        request=share.request,
        device_class=device_class(share.claim.spec, share.request),
        dedicated=share.dedicated,
        admin_access=share.admin_access,
        consumed=consumed(share),
        held=held(share),
        problem=share.problem or None,
    )


def consumed(share: Share) -> dict[str, Quantity | None]:
    return {
        one.dimension: to_quantity(one.amount, one.exponent, one.notation) for one in share.consumed.all()
    }


def held(share: Share) -> dict[str, Quantity | None]:
    if share.admin_access:
        return dict.fromkeys((balance.dimension for balance in share.device.balances.all()), Quantity(0))
    if not share.dedicated:
        return consumed(share)
    return {
        balance.dimension: to_quantity(balance.total, balance.exponent, balance.notation)
        for balance in share.device.balances.all()
    }
