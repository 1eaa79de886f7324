"""Celery tasks: each takes ids and calls one function."""

import threading
from typing import Any

from celery import shared_task, signals
from django.conf import settings
from django.utils import timezone

from inventory.sync import compare, poll, schedule
from inventory.sync.parts import PARTS

_stopping = threading.Event()


@signals.worker_shutting_down.connect
def end_polls(**kwargs: Any) -> None:
    """A poll may last; it ends with the worker, and the next one goes on where it was."""
    _stopping.set()


@shared_task(ignore_result=True)
def poll_clusters() -> None:
    """Send a poll for every cluster that nobody follows; one that is not begun in time is dropped."""
    for one in schedule.due(timezone.now()):
        _send(one.cluster_id, list(one.parts), one.queue)


@shared_task(ignore_result=True)
def poll_cluster(cluster_id: int, parts: list[str] | None = None, queue: str = "") -> None:
    """Follow a cluster for a while, then hand it on: to whoever is free, behind those that wait already."""
    outcome = poll.poll_cluster(
        cluster_id,
        parts or PARTS,
        seconds=settings.SLICEBOARD_POLL_SECONDS,
        stopping=_stopping,
    )
    if outcome.ended in ("applied", "stopped") and not schedule.is_paused(cluster_id):
        _send(cluster_id, parts, queue)


@shared_task(ignore_result=True)
def compare_clusters() -> None:
    """Send a comparison for every cluster that is read, one after the other and not all at once."""
    clusters = schedule.to_compare()
    apart = settings.SLICEBOARD_COMPARE_SECONDS / 2 / max(1, len(clusters))
    for position, cluster_id in enumerate(clusters):
        compare_cluster.apply_async(
            (cluster_id,), countdown=position * apart, expires=settings.SLICEBOARD_COMPARE_SECONDS
        )


@shared_task(ignore_result=True)
def compare_cluster(cluster_id: int) -> None:
    compare.compare_cluster(cluster_id)


def _send(cluster_id: int, parts: list[str] | None, queue: str) -> None:
    poll_cluster.apply_async(
        (cluster_id, parts, queue),
        queue=queue or settings.CELERY_TASK_DEFAULT_QUEUE,
        expires=settings.SLICEBOARD_POLL_SECONDS,
    )
