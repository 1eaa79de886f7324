"""Celery tasks: each takes ids and calls one function."""

import threading
from typing import Any

from celery import shared_task, signals
from django.conf import settings
from django.utils import timezone

from inventory.rollups import adding, pruning
from inventory.sync import compare, poll, schedule
from inventory.sync.parts import PARTS
from inventory.sync.schedule import Due

_stopping = threading.Event()


@signals.worker_shutting_down.connect
def end_polls(**kwargs: Any) -> None:
    """A poll may last; it ends with the worker, and the next one goes on where it was."""
    _stopping.set()


@shared_task(ignore_result=True)
def poll_clusters() -> None:
    """Send a poll for every cluster that nobody follows; one that is not begun in time is dropped."""
    for one in schedule.due(timezone.now()):
        _send_poll(one)


@shared_task(ignore_result=True)
def poll_cluster(cluster_id: int, parts: list[str] | None = None) -> None:
    """Follow a cluster for a while, then hand it on: to whoever is free, behind those that wait already."""
    if schedule.is_to_be_left_alone(cluster_id, timezone.now()):
        return
    wanted = parts or PARTS
    outcome = poll.poll_cluster(
        cluster_id, wanted, seconds=settings.SLICEBOARD_POLL_SECONDS, stopping=_stopping
    )
    if outcome.ended in ("applied", "stopped"):
        for one in schedule.after(cluster_id, wanted):
            _send_poll(one)


@shared_task(ignore_result=True)
def compare_clusters() -> None:
    """Send a comparison for clusters whose last one is long ago, a few at a time."""
    for one in schedule.to_compare(timezone.now()):
        compare_cluster.apply_async((one.cluster_id,), queue=_queue(one), expires=schedule.LOOK_SECONDS)


@shared_task(ignore_result=True)
def compare_cluster(cluster_id: int) -> None:
    compare.compare_cluster(cluster_id)


@shared_task(ignore_result=True)
def add_up_usage() -> None:
    """Send a sum for every cluster of which an hour or a day is over, or was changed, since the last one."""
    for cluster_id, queue in adding.due(timezone.now()):
        add_up_cluster.apply_async(
            (cluster_id,), queue=queue or settings.CELERY_TASK_DEFAULT_QUEUE, expires=adding.SECONDS
        )


@shared_task(ignore_result=True)
def add_up_cluster(cluster_id: int) -> None:
    """For a while; the next one goes on where it ends."""
    adding.add_up_cluster(cluster_id, seconds=adding.SECONDS, stopping=_stopping)


@shared_task(ignore_result=True)
def forget_the_past() -> None:
    """Delete what is older than it is to be kept."""
    pruning.forget(timezone.now(), stopping=_stopping)


def _send_poll(one: Due) -> None:
    poll_cluster.apply_async(
        (one.cluster_id, list(one.parts)), queue=_queue(one), expires=settings.SLICEBOARD_POLL_SECONDS
    )


def _queue(one: Due) -> str:
    return one.queue or settings.CELERY_TASK_DEFAULT_QUEUE
