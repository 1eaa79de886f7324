"""Which clusters are to be polled now, and by how many workers each."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Q, QuerySet, Sum

from inventory.models import Cluster
from inventory.sync.parts import PARTS


@dataclass(frozen=True)
class Due:
    """A poll that somebody should begin: these parts of a cluster, by a worker of this queue."""

    cluster_id: int
    parts: tuple[str, ...]
    queue: str


def due(now: datetime) -> Iterator[Due]:
    """What nobody follows now and nothing speaks against. A very large cluster is followed by two workers."""
    large = settings.SLICEBOARD_SPLIT_MIB * 2**20
    clusters = _waiting(now).annotate(size=Sum("kinds__bytes_read"))
    for pk, queue, size in clusters.values_list("pk", "queue", "size"):
        units = [(part,) for part in PARTS] if (size or 0) > large else [PARTS]
        yield from (Due(pk, parts, queue) for parts in units)


def to_compare() -> list[int]:
    """Clusters that are followed and can be read."""
    read = Cluster.objects.filter(enabled=True, error_reason="", observed_at__isnull=False)
    return list(read.order_by("compared_at", "pk").values_list("pk", flat=True))


def is_paused(cluster_id: int) -> bool:
    """Also true of one that is gone."""
    return not Cluster.objects.filter(pk=cluster_id, enabled=True).exists()


def must_make_room(cluster_id: int, now: datetime) -> bool:
    """Whether whoever follows this cluster should stop: it is paused, or another one waits for a worker."""
    queue = Cluster.objects.filter(pk=cluster_id, enabled=True).values_list("queue", flat=True).first()
    if queue is None:
        return True
    since = now - timedelta(seconds=settings.SLICEBOARD_POLL_SECONDS)
    others = _waiting(now).filter(Q(attempted_at=None) | Q(attempted_at__lt=since), queue=queue)
    return others.exclude(pk=cluster_id).exists()


def _waiting(now: datetime) -> QuerySet[Cluster]:
    held = Count("leases", filter=Q(leases__until__gte=now))
    return (
        Cluster.objects.filter(Q(retry_at=None) | Q(retry_at__lte=now), enabled=True)
        .alias(held=held)
        .filter(held__lt=len(PARTS))
        .order_by("attempted_at", "pk")
    )
