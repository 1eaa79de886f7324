"""What the scheduler counts as allocated (pkg/scheduler/framework/plugins/dynamicresources,
allocateddevices.go): every result of a claim with an allocation, but for admin access."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from inventory.kube.objects import AllocationResult
from inventory.kube.quantity import Quantity, QuantityError, parse


class DeviceId(NamedTuple):
    driver: str
    pool: str
    name: str

    def __str__(self) -> str:
        return "/".join(self)


class Allocated(msgspec.Struct, frozen=True):
    """`consumed` has no entry for a device whose shares say nothing of what they consume.

    `unreadable` devices have a share whose amount nobody can read: what is left on them is not known.
    """

    dedicated: frozenset[DeviceId] = frozenset()
    shared: frozenset[DeviceId] = frozenset()
    consumed: Mapping[DeviceId, Mapping[str, Quantity]] = {}
    unreadable: frozenset[DeviceId] = frozenset()

    def holds(self, device: DeviceId) -> bool:
        return device in self.dedicated or device in self.shared


def allocated(results: Iterable[AllocationResult], *, shares: bool = True) -> Allocated:
    """`shares` is false where consumable capacity is off: then a share counts as the whole device."""
    dedicated, shared, unreadable = set(), set(), set()
    consumed: dict[DeviceId, dict[str, Quantity]] = {}
    for result in results:
        if result.admin_access:
            continue
        device = DeviceId(result.driver, result.pool, result.device)
        if result.share_id is None or not shares:
            dedicated.add(device)
            continue
        shared.add(device)
        try:
            _add(consumed, device, result)
        except QuantityError:
            unreadable.add(device)
    return Allocated(frozenset(dedicated), frozenset(shared), consumed, frozenset(unreadable))


def _add(consumed: dict[DeviceId, dict[str, Quantity]], device: DeviceId, result: AllocationResult) -> None:
    if result.consumption_unreadable:
        raise QuantityError("no mapping")
    if result.consumed_capacity is None:
        return
    amounts = {name: parse(str(text)) for name, text in result.consumed_capacity.items()}
    so_far = consumed.setdefault(device, {})
    for name, amount in amounts.items():
        so_far[name] = amount + so_far[name] if name in so_far else amount
