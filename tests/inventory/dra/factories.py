"""Small objects for tests of the books."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from inventory.dra.ledger import Books, Total, Use, books
from inventory.dra.pools import Pool, pools
from inventory.kube.objects import AllocationResult, Device, ResourceClaim, ResourceSlice
from inventory.kube.quantity import Quantity, parse

Target = tuple[str, str, str]


def totals(**capacity: str) -> dict[str, Total]:
    return {dimension: Total(parse(value)) for dimension, value in capacity.items()}


def share(**consumed: str) -> Use:
    return Use(dedicated=False, consumed={dimension: parse(value) for dimension, value in consumed.items()})


WHOLE = Use(dedicated=True)


def admin(**consumed: str) -> Use:
    return Use(
        dedicated=False, admin_access=True, consumed={name: parse(value) for name, value in consumed.items()}
    )


def resource_slice(
    name: str = "s",
    *,
    pool: str = "n1",
    driver: str = "d.x",
    generation: int = 1,
    count: int = 1,
    **spec: Any,
) -> ResourceSlice:
    slice_pool = {"name": pool, "generation": generation, "resourceSliceCount": count}
    published = {"driver": driver, "pool": slice_pool, "nodeName": "n1", "devices": [], **spec}
    return msgspec.convert({"metadata": {"name": name}, "spec": published}, ResourceSlice)


def device(name: str = "g", **fields: Any) -> dict[str, Any]:
    return {"name": name, **fields}


def results(claims: Iterable[ResourceClaim]) -> dict[Target, list[AllocationResult]]:
    found: defaultdict[Target, list[AllocationResult]] = defaultdict(list)
    for claim in claims:
        allocation = claim.status.allocation if claim.status else None
        for result in allocation.results() if allocation else ():
            found[result.driver, result.pool, result.device].append(result)
    return found


def use(result: AllocationResult) -> Use:
    consumed = {name: parse(value) for name, value in (result.consumed_capacity or {}).items()}
    return Use(result.share_id is None, bool(result.admin_access), consumed)


def books_of(device: Device, uses: Iterable[Use]) -> Books:
    published = {name: Total(parse(capacity.value)) for name, capacity in (device.capacity or {}).items()}
    return books(published, list(uses))


def case_books(case: Mapping[str, Any]) -> tuple[dict[Target, Device], dict[Target, Books]]:
    """The devices and books of a golden case, before the waiting claim is placed."""
    slices = msgspec.convert(case["slices"], list[ResourceSlice])
    found: list[Pool] = pools(slices)
    devices = {
        (pool.driver, pool.name, one.device.name): one.device for pool in found for one in pool.devices
    }
    held = results(msgspec.convert(case["claims"], list[ResourceClaim]))
    return devices, {
        target: books_of(one, (use(result) for result in held.get(target, ())))
        for target, one in devices.items()
    }


def remaining(books: Books, dimension: str) -> Quantity | None:
    return next(balance.remaining for balance in books.balances if balance.dimension == dimension)
