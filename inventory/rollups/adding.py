"""Hours and days that are over, added up: a few at a time, each few in a transaction of its own.

Intervals are read in a snapshot and without a lock. What is written then is kept only if no hour that is over
was changed since: see `RollUp.changes`. The lock under which polls write is held for that question alone.
"""

import logging
import threading
import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from inventory.history.axis import Axis, common
from inventory.history.instants import DAY, HOUR, Span, floor_day, floor_hour, micros
from inventory.history.measures import Sums
from inventory.history.sweep import Sweep
from inventory.models import Cluster, Coverage, Level, RollUp, UsageTotal
from inventory.queries.usage import recorded
from inventory.queries.usage.stored import Values, rows
from inventory.rollups.scopes import Group, Grouping, Scope
from inventory.snapshot import snapshot
from inventory.sync import bulk

logger = logging.getLogger(__name__)

# For how long one task goes on.
SECONDS = 50
# What ended is told a little later: by watches, and by the API server's clock.
SETTLED_AFTER = timedelta(minutes=5)
STEP = {Level.HOUR: HOUR, Level.DAY: DAY}
# How much is written in one transaction.
_AT_ONCE = {Level.HOUR: 6 * HOUR, Level.DAY: DAY}
# Of the past that changes while it is added up.
_ATTEMPTS = 3
_COLUMNS = (
    "id",
    "level",
    "starts_at",
    "cluster_id",
    "scope",
    "driver",
    "product",
    "team_slug",
    "namespace",
    "node",
    *Values._fields,
)
_UNTIL = {Level.HOUR: "hours_until", Level.DAY: "days_until"}


class Chunk(msgspec.Struct, frozen=True):
    """Hours, or a day, that come next, and how many changes there had been when they were read."""

    level: Level
    start: datetime
    end: datetime
    changes: int

    @property
    def borders(self) -> list[datetime]:
        return steps(self.start, self.end, STEP[self.level])


def due(now: datetime) -> list[tuple[int, str]]:
    """Clusters of which something is over that is not added up, and their queues."""
    over = now - SETTLED_AFTER
    late = Q(roll_up=None) | Q(roll_up__hours_until__lt=floor_hour(over))
    late |= Q(roll_up__days_until__lt=floor_day(over))
    read = Exists(Coverage.objects.filter(cluster=OuterRef("pk")))
    return list(Cluster.objects.filter(late, read).values_list("pk", "queue"))


def add_up_cluster(cluster_id: int, *, seconds: float, stopping: threading.Event) -> None:
    """Until the time is over, or the worker is asked to end."""
    cluster = Cluster.objects.filter(pk=cluster_id).first()
    if cluster is None:
        return
    until = time.monotonic() + seconds
    for chunk in add_up(cluster, timezone.now()):
        logger.debug("usage added up cluster=%s %s from=%s", cluster_id, chunk.level, chunk.start)
        if stopping.is_set() or time.monotonic() > until:
            return


def add_up(cluster: Cluster, now: datetime) -> Iterator[Chunk]:
    """Chunk by chunk, until all that is over is added up; each is written when it comes.

    Where the past changes faster than it is added up, it ends: the next time goes on from there.
    """
    _begin(cluster, now)
    for level in (Level.HOUR, Level.DAY):
        while chunk := _add_next(cluster, level, now):
            yield chunk


def steps(start: datetime, end: datetime, step: timedelta) -> list[datetime]:
    """The borders of whole hours or days."""
    return [start + number * step for number in range((end - start) // step + 1)]


def derived(
    cluster: Cluster, level: Level, borders: list[datetime]
) -> Iterator[tuple[datetime, Group, Sums]]:
    """What the intervals say of hours, or of days."""
    instants = [micros(border) for border in borders]
    asked = Span(instants[0], instants[-1])
    spans = common(recorded.coverage([cluster.pk])[cluster.pk], [asked])
    if not spans:
        return
    windows, known, grouping = {cluster.pk: spans}, recorded.Known(), Grouping(level)
    sweep = Sweep({cluster.pk: Axis(spans, instants)}, grouping.of_share, grouping.of_card)
    sweep.over(
        recorded.devices(windows, recorded.ALL, known), (), recorded.shares(windows, recorded.ALL, known)
    )
    for start, groups in zip(borders, sweep.integrals(), strict=False):
        for group, sums in groups.items():
            yield start, group, sums


def _begin(cluster: Cluster, now: datetime) -> None:
    """From the first reading on; hours no further back than they are kept."""
    first = Coverage.objects.filter(cluster=cluster).values_list("started_at", flat=True).first()
    if first is None or RollUp.objects.filter(cluster=cluster).exists():
        return
    hours = max(floor_hour(first), floor_day(now - timedelta(days=settings.SLICEBOARD_HOUR_DAYS)))
    with transaction.atomic():
        # A poll that is writing now does not know of the row, and would not set it back.
        Cluster.objects.select_for_update().get(pk=cluster.pk)
        RollUp.objects.get_or_create(
            cluster=cluster,
            defaults={
                "hours_until": hours,
                "hours_from": hours if hours > first else None,
                "days_until": floor_day(first),
            },
        )


def _add_next(cluster: Cluster, level: Level, now: datetime) -> Chunk | None:
    """Of a few attempts, the first during which no hour that is over has changed."""
    for _ in range(_ATTEMPTS):
        with snapshot():
            chunk = _next(cluster, level, now)
            if chunk is None:
                return None
            found = list(_rows(cluster, chunk))
        if _write(cluster, chunk, found):
            return chunk
    return None


def _next(cluster: Cluster, level: Level, now: datetime) -> Chunk | None:
    found = RollUp.objects.filter(cluster=cluster).first()
    start = getattr(found, _UNTIL[level]) if found else None
    if found is None or start is None:
        return None
    if level is Level.HOUR and found.hours_from is not None:
        # Older ones would be deleted again.
        start = max(start, found.hours_from)
    floor = floor_hour if level is Level.HOUR else floor_day
    end = min(floor(now - SETTLED_AFTER), start + _AT_ONCE[level])
    return Chunk(level, start, end, found.changes) if end > start else None


def _rows(cluster: Cluster, chunk: Chunk) -> Iterator[tuple[Any, ...]]:
    for start, group, sums in derived(cluster, chunk.level, chunk.borders):
        for values in rows(sums):
            yield chunk.level, start, cluster.pk, *group, *values


def _write(cluster: Cluster, chunk: Chunk, found: Sequence[tuple[Any, ...]]) -> bool:
    """Whether it stays: nothing does that was read from another past."""
    with transaction.atomic():
        # By scopes, for the index.
        UsageTotal.objects.filter(
            level=chunk.level,
            cluster=cluster,
            scope__in=Scope.values,
            starts_at__gte=chunk.start,
            starts_at__lt=chunk.end,
        ).delete()
        ids = bulk.reserve(UsageTotal, len(found))
        bulk.insert(UsageTotal, _COLUMNS, ((pk, *row) for pk, row in zip(ids, found, strict=True)))
        Cluster.objects.select_for_update().filter(pk=cluster.pk).first()
        kept = RollUp.objects.filter(_unchanged(chunk), cluster=cluster).update(
            **{_UNTIL[chunk.level]: chunk.end}
        )
        if not kept:
            transaction.set_rollback(True)
    return bool(kept)


def _unchanged(chunk: Chunk) -> Q:
    return Q(changes=chunk.changes, **{f"{_UNTIL[chunk.level]}__lte": chunk.start})
