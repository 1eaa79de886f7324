"""Who follows what: leases on the parts of a cluster.

A part is a group of kinds that are read together; a worker takes all parts of a cluster, or one part of a
very large one. A lease is taken by a conditional UPDATE, so the database decides between two workers,
whatever beat or the broker do. A holder that was killed loses it when it runs out. Each taking raises a
number, and nothing is written but under the numbers that are still in the rows: a worker that stalled and
wakes up cannot write over its successor.
"""

import os
import socket
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from django.db import connection, transaction
from django.db.models import F, Q, QuerySet

from inventory.models import Cluster
from inventory.models import Lease as LeaseRow


class LeaseLost(Exception):
    """Another worker has taken the cluster since; what this one read is thrown away."""


@dataclass(frozen=True)
class Lease:
    """What one worker may write: parts of a cluster, with the number under which it took each."""

    cluster_id: int
    numbers: Mapping[str, int]
    seconds: int


def take(cluster_id: int, parts: Collection[str], now: datetime, seconds: int) -> Lease | None:
    """The lease on those of the parts that nobody else holds; None if there is no such part or cluster."""
    if not Cluster.objects.filter(pk=cluster_id).exists():
        return None
    holder = f"{socket.gethostname()[:20]}:{os.getpid()}:{uuid4().hex[:12]}"
    LeaseRow.objects.bulk_create(
        [LeaseRow(cluster_id=cluster_id, part=part) for part in parts], ignore_conflicts=True
    )
    # One that lasts longer than any can is from before a clock stepped back.
    free = Q(until=None) | Q(until__lt=now) | Q(until__gt=now + timedelta(seconds=2 * seconds))
    rows = LeaseRow.objects.filter(free, cluster_id=cluster_id, part__in=parts)
    until = now + timedelta(seconds=seconds)
    with transaction.atomic():
        # A holder that writes for longer than its lease lasts has it renewed within that transaction.
        if connection.features.has_select_for_update_skip_locked:
            rows = rows.select_for_update(skip_locked=True)
            rows = LeaseRow.objects.filter(pk__in=[row.pk for row in rows])
        rows.update(holder=holder, until=until, number=F("number") + 1)
    held = LeaseRow.objects.filter(cluster_id=cluster_id, holder=holder)
    numbers = dict(held.values_list("part", "number"))
    return Lease(cluster_id, numbers, seconds) if numbers else None


def renew(lease: Lease, now: datetime) -> None:
    """Make it last from now on. Raises LeaseLost if any of its parts has passed on."""
    renewed = _rows(lease).update(until=now + timedelta(seconds=lease.seconds))
    if renewed != len(lease.numbers):
        raise LeaseLost(f"cluster {lease.cluster_id}: the lease on {', '.join(lease.numbers)} has passed on")


def confirm(lease: Lease, now: datetime) -> Cluster:
    """Renew it and lock the cluster's row for this transaction, whoever follows its other parts.

    Raises LeaseLost if the lease has passed on, or the cluster is gone.
    """
    renew(lease, now)
    cluster = Cluster.objects.select_for_update().filter(pk=lease.cluster_id).first()
    if cluster is None:
        raise LeaseLost(f"cluster {lease.cluster_id} is gone")
    return cluster


def release(lease: Lease) -> None:
    _rows(lease).update(holder="", until=None)


def _rows(lease: Lease) -> QuerySet[LeaseRow]:
    ours = Q()
    for part, number in lease.numbers.items():
        ours |= Q(part=part, number=number)
    return LeaseRow.objects.filter(ours, cluster_id=lease.cluster_id)
