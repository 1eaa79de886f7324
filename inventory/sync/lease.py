"""One poll of a cluster at a time: a lease on the cluster's row.

It is taken by a conditional UPDATE, so the database decides between two workers, whatever beat or the broker
do. A holder that was killed loses it when it runs out. Each taking raises a number, and a poll is applied
only while its number is still the row's: a worker that stalled and wakes up cannot write over its successor.
"""

import os
import socket
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from django.db.models import F, Q

from inventory.models import Cluster


class LeaseLost(Exception):
    """Another worker has taken the cluster since; what this one read is thrown away."""


@dataclass(frozen=True)
class Lease:
    cluster_id: int
    number: int


def take(cluster_id: int, now: datetime, seconds: int) -> Lease | None:
    """The lease, or None while another worker holds it (or the cluster is gone)."""
    holder = f"{socket.gethostname()[:20]}:{os.getpid()}:{uuid4().hex[:12]}"
    taken = Cluster.objects.filter(
        Q(lease_until__isnull=True) | Q(lease_until__lt=now), pk=cluster_id
    ).update(
        lease_holder=holder, lease_until=now + timedelta(seconds=seconds), lease_number=F("lease_number") + 1
    )
    if not taken:
        return None
    number = (
        Cluster.objects.filter(pk=cluster_id, lease_holder=holder)
        .values_list("lease_number", flat=True)
        .first()
    )
    return None if number is None else Lease(cluster_id, number)


def confirm(lease: Lease) -> Cluster:
    """Lock the cluster's row for this transaction. Raises LeaseLost if the lease has passed on."""
    cluster = (
        Cluster.objects.select_for_update().filter(pk=lease.cluster_id, lease_number=lease.number).first()
    )
    if cluster is None:
        raise LeaseLost(f"cluster {lease.cluster_id}: lease {lease.number} has passed on")
    return cluster


def release(lease: Lease) -> None:
    Cluster.objects.filter(pk=lease.cluster_id, lease_number=lease.number).update(
        lease_holder="", lease_until=None
    )
