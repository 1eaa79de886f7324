"""Which clusters are to be polled now, and by how many workers each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from inventory.models import Cluster
from inventory.sync.parts import PARTS

# How often it is looked for clusters to compare.
LOOK_SECONDS = 60
# After so long nobody believes any more that a comparison is still running.
LONGEST_COMPARISON = 1800


@dataclass(frozen=True)
class Due:
    """Something to be done with these parts of a cluster, by a worker of this queue."""

    cluster_id: int
    parts: tuple[str, ...]
    queue: str


def due(now: datetime) -> list[Due]:
    """What nobody follows now and nothing speaks against. A very large cluster is followed by two workers."""
    return [unit for pk, queue, size in _sized(_waiting(now)) for unit in _units(pk, PARTS, queue, size)]


def after(cluster_id: int, parts: Sequence[str]) -> list[Due]:
    """How it goes on when a poll of these parts has ended: not at all if the cluster is paused or gone."""
    going_on = Cluster.objects.filter(pk=cluster_id, enabled=True)
    return [unit for pk, queue, size in _sized(going_on) for unit in _units(pk, parts, queue, size)]


def _sized(clusters: QuerySet[Cluster]) -> Iterable[tuple[int, str, int]]:
    return clusters.annotate(size=Coalesce(Sum("kinds__bytes_read"), 0)).values_list("pk", "queue", "size")


def _units(cluster_id: int, parts: Sequence[str], queue: str, size: int) -> list[Due]:
    if size > settings.SLICEBOARD_SPLIT_MIB * 2**20:
        return [Due(cluster_id, (part,), queue) for part in parts]
    return [Due(cluster_id, tuple(parts), queue)]


def to_compare(now: datetime) -> list[Due]:
    """Clusters to be compared within the next minute: so many that each has its turn in time.

    By chance, since one that cannot be compared now must not keep others from it.
    """
    every = settings.SLICEBOARD_COMPARE_SECONDS
    read = Cluster.objects.filter(enabled=True, error_reason="", observed_at__isnull=False)
    waiting = read.filter(Q(compared_at=None) | Q(compared_at__lt=now - timedelta(seconds=every)))
    waiting = waiting.filter(may_be_compared(now))
    most = 1 + read.count() * LOOK_SECONDS // every
    found = waiting.order_by("?").values_list("pk", "queue")[:most]
    return [Due(pk, PARTS, queue) for pk, queue in found]


def is_to_be_left_alone(cluster_id: int, now: datetime) -> bool:
    """Whether a poll that waited in a queue comes too soon: another one has failed meanwhile."""
    return Cluster.objects.filter(pk=cluster_id, retry_at__gt=now).exists()


def may_be_compared(now: datetime) -> Q:
    """Not while another comparison may be running, nor soon after one that failed."""
    apart = timedelta(seconds=min(settings.SLICEBOARD_COMPARE_SECONDS, LONGEST_COMPARISON))
    return Q(comparison_begun_at=None) | Q(comparison_begun_at__lt=now - apart)


def must_make_room(cluster_id: int, now: datetime) -> bool:
    """Whether whoever follows this cluster should stop: it is paused, or its place is another one's turn.

    As many leave as wait, those who were followed the longest.
    """
    mine = Cluster.objects.filter(pk=cluster_id, enabled=True).values_list("queue", "attempted_at").first()
    if mine is None:
        return True
    queue, since = mine
    waiting = how_many_wait(queue, cluster_id, now)
    if not waiting:
        return False
    followed = Cluster.objects.filter(queue=queue, leases__until__gte=now, attempted_at__lt=since)
    return followed.distinct().count() < waiting


def how_many_wait(queue: str, but: int, now: datetime) -> int:
    """Clusters, but for one, whose turn by workers of this queue is over a period late."""
    long_ago = now - timedelta(seconds=settings.SLICEBOARD_POLL_SECONDS)
    late = _waiting(now).filter(Q(attempted_at=None) | Q(attempted_at__lt=long_ago), queue=queue)
    return late.exclude(pk=but).count()


def _waiting(now: datetime) -> QuerySet[Cluster]:
    held = Count("leases", filter=Q(leases__until__gte=now))
    return (
        Cluster.objects.filter(Q(retry_at=None) | Q(retry_at__lte=now), enabled=True)
        .alias(held=held)
        .filter(held__lt=len(PARTS))
        .order_by("attempted_at", "pk")
    )
