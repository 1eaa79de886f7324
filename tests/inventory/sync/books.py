"""What tests of polls ask of the tables."""

from datetime import UTC, datetime
from typing import Any

from demo.resources import CATALOGUE
from demo.store import Object
from inventory.models import Balance, Claim, Device, Pod, Share
from inventory.models.amounts import to_quantity
from tests.inventory.sync.objects import claim, result

RESOURCES = {resource.plural: resource for resource in CATALOGUE}
CLAIMS = "/apis/resource.k8s.io/v1/resourceclaims"
UUID = {"uuid": {"string": "GPU-1"}}
SLICES = "/apis/resource.k8s.io/v1/resourceslices"
GIVEN = datetime(2026, 11, 29, 8, 0, tzinfo=UTC)


def balance(dimension: str, device: str = "hami-gpu-0") -> tuple[str | None, ...]:
    row = Balance.objects.get(device__name=device, dimension=dimension)
    amounts = (
        to_quantity(amount, row.exponent, row.notation)
        for amount in (row.total, row.allocated, row.remaining)
    )
    return tuple(None if amount is None else str(amount) for amount in amounts)


def shared(memory: str = "8Gi", cores: str = "50", **fields: Any) -> Any:
    return result(consumedCapacity={"memory": memory, "cores": cores}, **fields)


def stamp(at: datetime) -> str:
    """As Kubernetes writes it."""
    return at.isoformat().replace("+00:00", "Z")


def allocated(at: datetime | None, *results: Object, name: str = "c", **metadata: Any) -> Object:
    held = claim(name, *(results or (shared(),)), **metadata)
    if at is not None:
        held["status"]["allocation"]["allocationTimestamp"] = stamp(at)
    return held


def snapshot() -> dict[str, list[Any]]:
    return {
        "devices": list(Device.objects.order_by("pk").values()),
        "balances": list(Balance.objects.order_by("pk").values()),
        "shares": list(Share.objects.order_by("pk").values()),
        "claims": list(Claim.objects.order_by("pk").values()),
        "pods": list(Pod.objects.order_by("pk").values()),
    }
