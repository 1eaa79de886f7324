"""Rows of the past for tests, made on the ORM; what a test does not name is the same everywhere."""

from datetime import datetime
from itertools import count
from typing import Any

from inventory.models import (
    ClaimEvent,
    Cluster,
    Coverage,
    Device,
    DeviceInterval,
    InstantSource,
    PodInterval,
    ShareInterval,
)

_numbers = count(1)


def make_read(cluster: Cluster, start: datetime, end: datetime) -> Coverage:
    """A time in which the cluster was read without a break."""
    return Coverage.objects.create(cluster=cluster, started_at=start, ended_at=end)


def make_there(device: Device, start: datetime, end: datetime | None = None, **fields: Any) -> DeviceInterval:
    """A device as it was published; `capacity` maps dimensions to quantities as text."""
    capacity = fields.pop("capacity", {"memory": "80Gi"})
    given = {
        "node": device.node.name if device.node else "",
        "product": device.product,
        "accelerator": device.accelerator,
        "card": device.name if device.accelerator else "",
        "partitioned": False,
        "capacity": capacity,
        "card_capacity": capacity,
        "started_at": start,
        "ended_at": end,
    }
    return DeviceInterval.objects.create(**_of(device), **{**given, **fields})


def make_held(
    device: Device, start: datetime, end: datetime | None = None, *, team: str = "vision", **fields: Any
) -> ShareInterval:
    """A share that was held; without `consumed` it had the device to itself."""
    number = next(_numbers)
    consumed = fields.pop("consumed", {})
    given = {
        "claim_uid": f"past-{number}",
        "namespace": f"team-{team}",
        "claim_name": f"claim-{number}",
        "team_slug": team,
        "request": "card",
        "share_id": f"share-{number}" if consumed else "",
        "dedicated": not consumed,
        "admin_access": False,
        "consumed": consumed,
        "started_at": start,
        "started_source": InstantSource.ALLOCATION,
        "ended_at": end,
    }
    return ShareInterval.objects.create(**_of(device), **{**given, **fields})


def make_used(held: ShareInterval, pod: str, **fields: Any) -> PodInterval:
    """A Pod that used the claim of a share for as long as that was held."""
    given = {
        "cluster": held.cluster,
        "claim_uid": held.claim_uid,
        "namespace": held.namespace,
        "claim_name": held.claim_name,
        "team_slug": held.team_slug,
        "resource": "pods",
        "pod_name": pod,
        "pod_uid": f"uid-{pod}",
        "started_at": held.started_at,
        "ended_at": held.ended_at,
    }
    return PodInterval.objects.create(**{**given, **fields})


def make_event(
    cluster: Cluster, kind: str, at: datetime, *, team: str = "vision", **fields: Any
) -> ClaimEvent:
    """`waited` are seconds; None is not known."""
    number, waited = next(_numbers), fields.pop("waited", None)
    given = {
        "claim_uid": f"past-{number}",
        "namespace": f"team-{team}",
        "claim_name": f"claim-{number}",
        "team_slug": team,
        "source": ClaimEvent.Source.SERVER,
        "waited_microseconds": None if waited is None else int(waited * 10**6),
    }
    return ClaimEvent.objects.create(cluster=cluster, kind=kind, at=at, **{**given, **fields})


def _of(device: Device) -> dict[str, Any]:
    return {
        "cluster": device.cluster,
        "driver": device.pool.driver,
        "pool": device.pool.name,
        "device": device.name,
    }
