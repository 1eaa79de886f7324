"""How old and how whole the snapshot is that an answer rests on."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import msgspec
from django.conf import settings
from django.db.models import Q, QuerySet

from inventory.models import Cluster, KindState, Pool, SkippedObject, Team
from inventory.queries.per_cluster import number_of
from inventory.queries.reading import Fault, fault
from inventory.viewer import Viewer


class ReadState(StrEnum):
    NEVER_READ = "never_read"
    FRESH = "fresh"
    STALE = "stale"
    FAILING = "failing"


class ClusterFreshness(msgspec.Struct, frozen=True):
    """What is known of one cluster's snapshot.

    `failing` is a cluster whose last attempt failed; it keeps its earlier snapshot, if it has one, and
    `stale` says whether that is too old. `forbidden` and `failed`: kinds that could not be read last time.
    `revision` grows when a poll changes what is shown of it.
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
    revision: int


class ClusterAge(msgspec.Struct, frozen=True):
    """How old what is known of one cluster is; `generation` grows when a poll changes what is shown of it."""

    name: str
    generation: int
    observed_at: datetime | None
    stale: bool


class Ages(msgspec.Struct, frozen=True):
    """`as_of` is the oldest observation of them, None before the first one."""

    as_of: datetime | None
    stale: bool
    clusters: tuple[ClusterAge, ...]


class Freshness(msgspec.Struct, frozen=True):
    """`as_of` is the oldest observation behind an answer, None before the first one."""

    as_of: datetime | None
    stale: bool
    clusters: tuple[ClusterFreshness, ...]


def freshness(
    now: datetime,
    *,
    viewer: Viewer,
    names: Collection[str] = (),
    ids: Collection[int] = (),
    kinds: Collection[str] = (),
) -> Freshness:
    """Of the named clusters, or of all; for an answer that rests on these kinds, or on all of them.

    Each kind is followed by itself, so an answer is as old as what is known of the oldest of its kinds. One
    that cannot be read now still shows what was known of it, and counts as old as that.
    """
    clusters = Cluster.objects.order_by("name")
    if names:
        clusters = clusters.filter(name__in=names)
    if ids:
        clusters = clusters.filter(pk__in=ids)
    return told(observed(clusters), now, viewer=viewer, kinds=kinds)


def observed(clusters: QuerySet[Cluster]) -> QuerySet[Any, Any]:
    """With what `told` reads of them."""
    found: QuerySet[Any, Any] = clusters.prefetch_related("kinds").annotate(
        n_skipped=number_of(SkippedObject.objects.all()),
        n_incomplete=number_of(Pool.objects.exclude(state=Pool.State.COMPLETE)),
    )
    return found


def told(clusters: Iterable[Any], now: datetime, *, viewer: Viewer, kinds: Collection[str] = ()) -> Freshness:
    """Of clusters as `observed` gives them."""
    known = [(one, _oldest(one, kinds)) for one in clusters]
    found = tuple(_cluster(one, oldest, now, fault_of(one, viewer=viewer)) for one, oldest in known)
    return Freshness(
        as_of=min((oldest for _, oldest in known if oldest is not None), default=None),
        stale=any(one.stale for one in found),
        clusters=found,
    )


def generation(found: Freshness, *, viewer: Viewer) -> tuple[str, ...]:
    """Stays as it is while polls find no change, and no cluster turns stale.

    Teams may be renamed between polls, and change members.
    """
    stamps = (
        f"{one.id}:{one.name}:{one.revision}:stale={one.stale}:{one.forbidden}:{one.failed}"
        for one in found.clusters
    )
    teams = Team.objects.visible_to(viewer).order_by("pk").values_list("pk", "slug")
    return (*stamps, *(f"team={pk}:{slug}" for pk, slug in teams))


def with_kinds() -> QuerySet[Cluster]:
    """Every cluster, with how each of its kinds was read."""
    return Cluster.objects.order_by("name").prefetch_related("kinds")


def ages(clusters: Iterable[Cluster], now: datetime, kinds: Collection[str] = ()) -> Ages:
    """What `freshness` says of the age of clusters, as `with_kinds` gives them, without the database."""
    oldest = [(cluster, _oldest(cluster, kinds)) for cluster in clusters]
    found = tuple(
        ClusterAge(cluster.name, cluster.revision, at, _is_stale(at, now)) for cluster, at in oldest
    )
    seen = [at for _, at in oldest if at is not None]
    return Ages(min(seen, default=None), any(one.stale for one in found), found)


def stale_after() -> timedelta:
    return timedelta(seconds=settings.SLICEBOARD_STALE_SECONDS)


def read_state(cluster: Cluster, now: datetime) -> ReadState:
    if cluster.error_reason:
        return ReadState.FAILING
    if cluster.observed_at is None:
        return ReadState.NEVER_READ
    return ReadState.STALE if now - cluster.observed_at > stale_after() else ReadState.FRESH


def in_states(states: Collection[str], now: datetime) -> Q:
    """The clusters whose `read_state` is one of these."""
    went_well, oldest = Q(error_reason=""), now - stale_after()
    conditions = {
        ReadState.FAILING: ~went_well,
        ReadState.NEVER_READ: went_well & Q(observed_at=None),
        ReadState.STALE: went_well & Q(observed_at__lt=oldest),
        ReadState.FRESH: went_well & Q(observed_at__gte=oldest),
    }
    found = Q()
    for state in states:
        found |= conditions[ReadState(state)]
    return found


def fault_of(cluster: Cluster, *, viewer: Viewer) -> Fault | None:
    return fault(cluster.error_reason, cluster.error_message, cluster.error_at, viewer=viewer)


def _oldest(cluster: Cluster, kinds: Collection[str]) -> datetime | None:
    """None where the cluster, or one of the kinds, was never read."""
    states = {one.kind: one.succeeded_at for one in cluster.kinds.all() if not kinds or one.kind in kinds}
    instants = list(states.values())
    if not kinds or not states.keys() >= set(kinds):
        instants.append(cluster.observed_at)
    known = [instant for instant in instants if instant is not None]
    return min(known) if len(known) == len(instants) else None


def _is_stale(oldest: datetime | None, now: datetime) -> bool:
    return oldest is None or now - oldest > stale_after()


def _cluster(cluster: Any, oldest: datetime | None, now: datetime, error: Fault | None) -> ClusterFreshness:
    by_state: defaultdict[str, list[str]] = defaultdict(list)
    for one in cluster.kinds.all():
        by_state[one.state].append(one.kind)
    return ClusterFreshness(
        id=cluster.pk,
        name=cluster.name,
        enabled=cluster.enabled,
        state=read_state(cluster, now),
        stale=_is_stale(oldest, now),
        observed_at=cluster.observed_at,
        error=error,
        forbidden=tuple(by_state[KindState.State.FORBIDDEN]),
        failed=tuple(by_state[KindState.State.FAILED]),
        objects_skipped=cluster.n_skipped,
        pools_incomplete=cluster.n_incomplete,
        revision=cluster.revision,
    )
