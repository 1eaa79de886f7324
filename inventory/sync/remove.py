"""Clusters, and all that was read of them."""

from collections.abc import Collection
from typing import Any

from django.db import transaction
from django.db.models.signals import pre_delete

from inventory.models import (
    ClaimEvent,
    Cluster,
    DeviceInterval,
    Lease,
    PodInterval,
    ShareInterval,
    UsageTotal,
)
from inventory.sync import bulk

_HISTORY: tuple[type[Any], ...] = (ClaimEvent, DeviceInterval, PodInterval, ShareInterval, UsageTotal)


def remove(cluster_ids: Collection[int]) -> None:
    """Delete clusters with everything of theirs, history too.

    Leases are locked first, then clusters, in the order of those who follow them: who does, commits before
    that or finds the cluster gone. The database would not object to what is written of one that is not there.
    """
    with transaction.atomic():
        leases = Lease.objects.select_for_update().filter(cluster__in=cluster_ids).order_by("pk")
        bulk.delete(Lease, list(leases.values_list("pk", flat=True)))
        locked = Cluster.objects.select_for_update().filter(pk__in=cluster_ids).order_by("pk")
        for cluster in locked:
            # Nothing else tells whoever records what people do.
            pre_delete.send(Cluster, instance=cluster, using=locked.db, origin=cluster)
        ids = list(locked.values_list("pk", flat=True))
        # Of a year there are millions, to which nothing refers: one statement each, and no list of them.
        for model in _HISTORY:
            model._default_manager.filter(cluster__in=ids).delete()
        bulk.delete(Cluster, ids)
