"""One poll of one cluster, from the lease to the snapshot."""

import logging
import time
from dataclasses import dataclass
from decimal import Decimal

from django.conf import settings
from django.utils import timezone

from inventory.kube.connection import Source, connect
from inventory.kube.errors import ClusterError
from inventory.models import Cluster
from inventory.sync import lease
from inventory.sync.apply import apply
from inventory.sync.read import Reading, read

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Outcome:
    """How a poll ended: `applied`, `busy` (another worker has the lease), `lost` (it passed on), `failed`."""

    ended: str
    changes: int = 0
    seconds: float = 0
    reason: str = ""


def poll_cluster(cluster_id: int) -> Outcome:
    """Read the cluster and write what it holds. Doing it twice changes nothing the second time.

    A cluster that cannot be read keeps its last snapshot and is marked with why.
    """
    held = lease.take(cluster_id, timezone.now(), settings.SLICEBOARD_LEASE_SECONDS)
    if held is None:
        return Outcome("busy")
    started = time.perf_counter()
    try:
        outcome = _poll(held, started)
    finally:
        lease.release(held)
    logger.info(
        "poll ended cluster=%s ended=%s changes=%d seconds=%.3f reason=%s",
        cluster_id,
        outcome.ended,
        outcome.changes,
        outcome.seconds,
        outcome.reason or "-",
    )
    return outcome


def _poll(held: lease.Lease, started: float) -> Outcome:
    Cluster.objects.filter(pk=held.cluster_id).update(attempted_at=timezone.now())
    try:
        reading = _read(Cluster.objects.get(pk=held.cluster_id))
        changes = apply(held, reading, timezone.now())
    except ClusterError as error:
        _mark_failed(held, error.reason, str(error))
        return Outcome("failed", seconds=time.perf_counter() - started, reason=error.reason)
    except lease.LeaseLost:
        return Outcome("lost", seconds=time.perf_counter() - started)
    except Exception as error:
        _mark_failed(held, "internal", _fault_of_ours(error))
        raise
    seconds = time.perf_counter() - started
    Cluster.objects.filter(pk=held.cluster_id).update(poll_seconds=Decimal(round(seconds * 1000)) / 1000)
    return Outcome("applied", changes, seconds)


def _read(cluster: Cluster) -> Reading:
    with connect(Source(cluster.kubeconfig, cluster.context, cluster.in_cluster)) as client:
        return read(client, timezone.now)


def _mark_failed(held: lease.Lease, reason: str, message: str) -> None:
    Cluster.objects.filter(pk=held.cluster_id, lease_number=held.number).update(
        error_reason=reason, error_message=message, error_at=timezone.now()
    )


def _fault_of_ours(error: Exception) -> str:
    """Without the error's own text, which may quote what the cluster holds; the log has it."""
    kind = type(error).__name__
    if kind == "SoftTimeLimitExceeded":
        return (
            f"The poll did not end within {settings.SLICEBOARD_LEASE_SECONDS} s and was stopped; the numbers "
            "stay as they were. Raise SLICEBOARD_LEASE_SECONDS, or give the worker more of the processor."
        )
    return f"Sliceboard itself failed ({kind}); the numbers stay as they were. The worker's log tells more."
