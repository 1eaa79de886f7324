"""How old and how whole the snapshot is that an answer rests on."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

import msgspec
from django.conf import settings
from django.db.models import Count

from inventory.models import Cluster, KindState, Pool, SkippedObject, Team


class ReadState(StrEnum):
    NEVER_READ = "never_read"
    FRESH = "fresh"
    STALE = "stale"
    FAILING = "failing"


class Fault(msgspec.Struct, frozen=True):
    """Why the last attempt failed, in words, and when."""

    reason: str
    message: str
    at: datetime | None


class ClusterFreshness(msgspec.Struct, frozen=True):
    """What is known of one cluster's snapshot.

    `failing` is a cluster whose last attempt failed; it keeps its earlier snapshot, if it has one, and
    `stale` says whether that is too old. `forbidden` and `failed`: kinds that the last poll could not read.
    """

    id: int
    name: str
    enabled: bool
    state: ReadState
    stale: bool
    observed_at: datetime | None
    error: Fault | None
    forbidden: tuple[str, ...]
    failed: tuple[str, ...]
    objects_skipped: int
    pools_incomplete: int


class Freshness(msgspec.Struct, frozen=True):
    """`as_of` is the oldest observation behind an answer, None before the first one."""

    as_of: datetime | None
    stale: bool
    clusters: tuple[ClusterFreshness, ...]
    generation: tuple[str, ...]


def freshness(
    now: datetime, *, names: Collection[str] = (), ids: Collection[int] = (), kinds: Collection[str] = ()
) -> Freshness:
    """Of the named clusters, or of all; for an answer that rests on these kinds, or on all of them.

    A kind that could not be read at the last poll still shows its earlier list, so it counts as old as that.
    """
    clusters = Cluster.objects.order_by("name").prefetch_related("kinds")
    if names:
        clusters = clusters.filter(name__in=names)
    if ids:
        clusters = clusters.filter(pk__in=ids)
    return _of(list(clusters), kinds, now)


def stale_after() -> timedelta:
    return timedelta(seconds=settings.SLICEBOARD_STALE_SECONDS)


def read_state(cluster: Cluster, now: datetime) -> ReadState:
    if cluster.error_reason:
        return ReadState.FAILING
    if cluster.observed_at is None:
        return ReadState.NEVER_READ
    return ReadState.STALE if now - cluster.observed_at > stale_after() else ReadState.FRESH


def fault(cluster: Cluster) -> Fault | None:
    if not cluster.error_reason:
        return None
    return Fault(cluster.error_reason, cluster.error_message, cluster.error_at)


def _of(clusters: Sequence[Cluster], kinds: Collection[str], now: datetime) -> Freshness:
    skipped, incomplete = _counts(clusters)
    oldest = {cluster.pk: _oldest(cluster, kinds) for cluster in clusters}
    seen = [instant for instant in oldest.values() if instant is not None]
    found = tuple(
        _cluster(cluster, oldest[cluster.pk], now, skipped[cluster.pk], incomplete[cluster.pk])
        for cluster in clusters
    )
    stale = any(one.stale for one in found)
    return Freshness(min(seen, default=None), stale, found, _generation(clusters, stale=stale))


def _counts(clusters: Sequence[Cluster]) -> tuple[Counter[int], Counter[int]]:
    ids = [cluster.pk for cluster in clusters]
    skipped = SkippedObject.objects.filter(cluster__in=ids).order_by().values_list("cluster_id")
    pools = (
        Pool.objects.filter(cluster__in=ids)
        .exclude(state=Pool.State.COMPLETE)
        .order_by()
        .values_list("cluster_id")
    )
    return Counter(dict(skipped.annotate(Count("pk")))), Counter(dict(pools.annotate(Count("pk"))))


def _oldest(cluster: Cluster, kinds: Collection[str]) -> datetime | None:
    """None where the cluster, or one of the kinds, was never read."""
    instants = [cluster.observed_at, *(one.succeeded_at for one in _unread(cluster.kinds.all(), kinds))]
    known = [instant for instant in instants if instant is not None]
    return min(known) if len(known) == len(instants) else None


def _unread(states: Iterable[KindState], kinds: Collection[str]) -> list[KindState]:
    return [one for one in states if one.state != KindState.State.READ and (not kinds or one.kind in kinds)]


def _cluster(
    cluster: Cluster, oldest: datetime | None, now: datetime, skipped: int, incomplete: int
) -> ClusterFreshness:
    by_state: defaultdict[str, list[str]] = defaultdict(list)
    for one in cluster.kinds.all():
        by_state[one.state].append(one.kind)
    return ClusterFreshness(
        id=cluster.pk,
        name=cluster.name,
        enabled=cluster.enabled,
        state=read_state(cluster, now),
        stale=oldest is None or now - oldest > stale_after(),
        observed_at=cluster.observed_at,
        error=fault(cluster),
        forbidden=tuple(by_state[KindState.State.FORBIDDEN]),
        failed=tuple(by_state[KindState.State.FAILED]),
        objects_skipped=skipped,
        pools_incomplete=incomplete,
    )


def _generation(clusters: Iterable[Cluster], *, stale: bool) -> tuple[str, ...]:
    """Changes with every attempt, also one that failed or changed nothing: `as_of` never falls behind.

    Teams may be renamed between polls.
    """
    teams = Team.objects.order_by("pk").values_list("pk", "slug")
    return (f"stale={stale}", *map(_stamp, clusters), *(f"team={pk}:{slug}" for pk, slug in teams))


def _stamp(cluster: Cluster) -> str:
    told = (cluster.name, cluster.enabled, cluster.revision, cluster.error_reason)
    times = (cluster.observed_at, cluster.attempted_at, cluster.error_at)
    return ":".join(map(str, (cluster.pk, *told, *times)))
