"""Celery tasks: each takes ids and calls one function."""

from celery import shared_task
from django.conf import settings

from inventory.models import Cluster
from inventory.sync import poll


@shared_task(ignore_result=True)
def poll_clusters() -> None:
    """Send every enabled cluster its poll; one that is not begun before the next is due is dropped."""
    for cluster_id in Cluster.objects.filter(enabled=True).values_list("pk", flat=True):
        poll_cluster.apply_async((cluster_id,), expires=settings.SLICEBOARD_POLL_SECONDS)


@shared_task(ignore_result=True)
def poll_cluster(cluster_id: int) -> None:
    poll.poll_cluster(cluster_id)
