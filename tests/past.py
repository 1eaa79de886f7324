"""Rows of history for tests; instants are given in hours after `BEGAN`, and what is not named is the same."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from inventory.models import (
    Cluster,
    Coverage,
    DeviceInterval,
    InstantSource,
    PodInterval,
    ShareInterval,
)
from tests.factories import make_cluster

BEGAN = datetime(2026, 3, 1, tzinfo=UTC)
_numbers = count(1)
_POOL = {"driver": "gpu.example.com", "pool": "node-1"}
_CARD = {"memory": "80Gi", "cores": "100"}


def after(hours: float) -> datetime:
    return BEGAN + timedelta(hours=hours)


def make_coverage(start: float = 0, end: float = 1000, *, cluster: Cluster | None = None) -> Coverage:
    return Coverage.objects.create(
        cluster=cluster or make_cluster(), started_at=after(start), ended_at=after(end)
    )


def make_published(
    device: str = "gpu-0", start: float = 0, end: float | None = None, **fields: Any
) -> DeviceInterval:
    """An accelerator that is a card, of 80Gi and 100 cores."""
    given = {
        "cluster": fields.pop("cluster", None) or make_cluster(),
        **_POOL,
        "node": "node-1",
        "product": "A100",
        "accelerator": True,
        "card": device,
        "partitioned": False,
        "capacity": _CARD,
        **fields,
    }
    return DeviceInterval.objects.create(
        **{"card_capacity": given["capacity"], **given},
        device=device,
        started_at=after(start),
        ended_at=None if end is None else after(end),
    )


def make_held(
    device: str = "gpu-0", start: float = 0, end: float | None = None, **fields: Any
) -> ShareInterval:
    """By a claim of its own; of all of the device unless it consumes something."""
    number = next(_numbers)
    given = {
        "cluster": fields.pop("cluster", None) or make_cluster(),
        **_POOL,
        "claim_uid": f"uid-{number}",
        "claim_name": f"claim-{number}",
        "namespace": "team-vision",
        "team_slug": "vision",
        "request": "card",
        "consumed": {},
        "admin_access": False,
        **fields,
    }
    dedicated = not given["consumed"]
    return ShareInterval.objects.create(
        **{"dedicated": dedicated, "share_id": "" if dedicated else f"share-{number}", **given},
        device=device,
        started_at=after(start),
        started_source=InstantSource.ALLOCATION,
        ended_at=None if end is None else after(end),
    )


def make_used(
    share: ShareInterval, pod: str = "pod-1", start: float = 0, end: float | None = None, **fields: Any
) -> PodInterval:
    """The claim of a share, by a Pod of a Deployment."""
    given = {
        "namespace": share.namespace,
        "team_slug": share.team_slug,
        "resource": "pods",
        "pod_uid": f"uid-of-{pod}",
        "workload_kind": "Deployment",
        "workload_name": "web",
        "node": "node-1",
        **fields,
    }
    return PodInterval.objects.create(
        cluster_id=share.cluster_id,
        claim_uid=share.claim_uid,
        claim_name=share.claim_name,
        pod_name=pod,
        started_at=after(start),
        ended_at=None if end is None else after(end),
        **given,
    )
