"""One poll of one cluster: from the lease, by what is missing, to what happens."""

import logging
import threading
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from inventory.kube.client import Timeouts
from inventory.kube.connection import Source, connect
from inventory.kube.discovery import discover
from inventory.kube.errors import ClusterError
from inventory.models import Cluster
from inventory.sync import lease, progress
from inventory.sync.following import Following
from inventory.sync.parts import PARTS
from inventory.sync.writing import Stopped, Writer

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Outcome:
    """How a poll ended.

    `applied`, `stopped` (the worker ends), `busy` (others have the lease), `lost` (it passed on), `failed`.
    """

    ended: str
    changes: int = 0
    seconds: float = 0
    reason: str = ""


def poll_cluster(
    cluster_id: int,
    parts: Collection[str] = PARTS,
    *,
    seconds: float | None = None,
    stopping: threading.Event | None = None,
) -> Outcome:
    """Read what was never read, then write what happens, for some seconds or until it is up to date.

    `seconds` None: until all that has happened up to now is written, or the API server tells nothing more.
    What was written stays written, however the poll ends, and the next one goes on from there. A cluster that
    cannot be read keeps its last snapshot and is marked with why.
    """
    held = lease.take(cluster_id, parts, timezone.now(), settings.SLICEBOARD_LEASE_SECONDS)
    if held is None:
        return Outcome("busy")
    started = time.perf_counter()
    try:
        outcome = _poll(held, started, seconds, stopping or threading.Event())
    finally:
        # Without a database it runs out by itself.
        with suppress(DatabaseError):
            lease.release(held)
    logger.info(
        "poll ended cluster=%s parts=%s ended=%s changes=%d seconds=%.3f reason=%s",
        cluster_id,
        ",".join(held.numbers),
        outcome.ended,
        outcome.changes,
        outcome.seconds,
        outcome.reason or "-",
    )
    return outcome


def _poll(held: lease.Lease, started: float, seconds: float | None, stopping: threading.Event) -> Outcome:
    Cluster.objects.filter(pk=held.cluster_id).update(attempted_at=timezone.now())
    changes, ended = 0, "applied"
    try:
        cluster = Cluster.objects.get(pk=held.cluster_id)
        # A silence that outlasts the lease is somebody else's to wait for.
        timeouts = Timeouts(read=held.seconds / 2)
        source = Source(cluster.kubeconfig, cluster.context, cluster.in_cluster)
        with connect(source, timeouts) as client:
            served = discover(client)
            writer = Writer(held, cluster, client, served, stopping)
            following = Following(writer, cluster, client, served)
            try:
                following.run(seconds)
            except Stopped:
                ended = "stopped"
            finally:
                changes = writer.changes
                following.close()
    except ClusterError as error:
        if stopping.is_set():
            # Whoever stops the worker may stop the cluster with it.
            return Outcome("stopped", changes, time.perf_counter() - started)
        _mark_failed(held, error.reason, str(error), error)
        return Outcome("failed", changes, time.perf_counter() - started, reason=error.reason)
    except lease.LeaseLost:
        return Outcome("lost", changes, time.perf_counter() - started)
    except Exception as error:
        with suppress(DatabaseError):
            _mark_failed(held, "internal", _fault_of_ours(error))
        raise
    return Outcome(ended, changes, time.perf_counter() - started)


def _mark_failed(held: lease.Lease, reason: str, message: str, error: ClusterError | None = None) -> None:
    with suppress(lease.LeaseLost):
        lease.renew(held, timezone.now())
        cluster = Cluster.objects.get(pk=held.cluster_id)
        now, failures = timezone.now(), cluster.failures + 1
        Cluster.objects.filter(pk=cluster.pk).update(
            error_reason=reason,
            error_message=message,
            error_at=now,
            failures=failures,
            retry_at=now + progress.wait(failures, error),
        )


def _fault_of_ours(error: Exception) -> str:
    """Without the error's own text, which may quote what the cluster holds; the log has it."""
    kind = type(error).__name__
    return f"Sliceboard itself failed ({kind}); the numbers stay as they were. The worker's log tells more."
