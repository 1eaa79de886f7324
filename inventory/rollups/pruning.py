"""Delete what is older than it is to be kept, a few rows at a time, so that nobody waits for it.

First it is written down from when on things are kept, then the rows go: whoever reads in between is told that
it is gone already. Nothing goes that is not added up, nor anything that lasts.
"""

import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Max, QuerySet

from inventory.history.instants import floor_day
from inventory.models import (
    ClaimEvent,
    Cluster,
    Coverage,
    DeviceInterval,
    Level,
    PodInterval,
    RollUp,
    ShareInterval,
    UsageTotal,
)
from inventory.sync import bulk
from inventory.sync.touched import batches

# Rows of one transaction.
AT_ONCE = 2000
_DEVICE = ("driver", "pool", "device")


def forget(now: datetime, *, stopping: threading.Event) -> None:
    for cluster in Cluster.objects.all():
        for _ in forget_of(cluster, now):
            if stopping.is_set():
                return


def forget_of(cluster: Cluster, now: datetime) -> Iterator[int]:
    """Batch by batch, how many rows went."""
    yield from _delete(
        ClaimEvent.objects.filter(cluster=cluster, at__lt=_ago(now, settings.SLICEBOARD_EVENT_DAYS))
    )
    found = RollUp.objects.filter(cluster=cluster).first()
    if found is not None and found.days_until is not None:
        yield from _forget_intervals(found, _ago(now, settings.SLICEBOARD_INTERVAL_DAYS))
        yield from _forget_hours(found, _ago(now, settings.SLICEBOARD_HOUR_DAYS))
        yield from _forget_days(cluster, _ago(now, settings.SLICEBOARD_DAY_DAYS))


def _ago(now: datetime, days: int) -> datetime:
    return floor_day(now) - timedelta(days=days)


def _forget_intervals(found: RollUp, before: datetime) -> Iterator[int]:
    before = _raise(found, "intervals_from", before)
    for model in (ShareInterval, PodInterval):
        yield from _delete(model.objects.filter(cluster=found.cluster_id, ended_at__lte=before))
    for ids in batches(_old_devices(found.cluster_id, before), AT_ONCE):
        yield bulk.delete(DeviceInterval, ids)


def _old_devices(cluster: int, before: datetime) -> list[int]:
    """All but the last one of each device: what is held of it afterwards goes by that."""
    rows = DeviceInterval.objects.filter(cluster=cluster, started_at__lte=before).order_by()
    last = {tuple(key): start for *key, start in rows.values_list(*_DEVICE).annotate(Max("started_at"))}
    old = rows.filter(ended_at__lte=before).values_list("pk", "started_at", *_DEVICE)
    return [pk for pk, start, *key in old.iterator() if start < last[tuple(key)]]


def _forget_hours(found: RollUp, before: datetime) -> Iterator[int]:
    before = _raise(found, "hours_from", before)
    yield from _delete(_totals(found.cluster_id, Level.HOUR, before))


def _forget_days(cluster: Cluster, before: datetime) -> Iterator[int]:
    """What is not known any more was, as far as anybody can tell, never read."""
    with transaction.atomic():
        coverage = Coverage.objects.filter(cluster=cluster, started_at__lt=before)
        coverage.filter(ended_at__lte=before).delete()
        coverage.update(started_at=before)
    yield from _delete(_totals(cluster.pk, Level.DAY, before))


def _totals(cluster: int, level: Level, before: datetime) -> QuerySet[UsageTotal]:
    # By scopes, for the index.
    scopes = UsageTotal.Scope.values
    return UsageTotal.objects.filter(level=level, cluster=cluster, scope__in=scopes, starts_at__lt=before)


def _raise(found: RollUp, field: str, before: datetime) -> datetime:
    """Never beyond what is added up, nor back: what is gone is gone."""
    with transaction.atomic():
        # Under the lock under which the past is changed.
        Cluster.objects.select_for_update().filter(pk=found.cluster_id).first()
        found.refresh_from_db()
        limits = [one for one in (before, found.days_until, found.hours_until) if one is not None]
        kept: datetime | None = getattr(found, field)
        since = min(limits) if kept is None else max(kept, min(limits))
        setattr(found, field, since)
        found.save(update_fields=(field,))
    return since


def _delete(rows: QuerySet[Any]) -> Iterator[int]:
    while ids := list(rows.order_by().values_list("pk", flat=True)[:AT_ONCE]):
        yield bulk.delete(rows.model, ids)
