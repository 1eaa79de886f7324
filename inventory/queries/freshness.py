"""How old and how whole the snapshot is that an answer rests on."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec
from django.conf import settings
from django.db.models import Count, Q, QuerySet

from inventory.models import Cluster, KindState, Pool, SkippedObject, Team
from inventory.queries.at_once import Rows, at_once
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
    """`as_of` is the oldest observation behind an answer, None before the first one.

    `generation` changes with what polls found, and when a cluster turns stale.
    """

    as_of: datetime | None
    stale: bool
    clusters: tuple[ClusterFreshness, ...]
    generation: tuple[str, ...]


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
    return told(at_once(**questions(viewer=viewer, names=names, ids=ids)), now, viewer=viewer, kinds=kinds)


def questions(
    *, viewer: Viewer, names: Collection[str] = (), ids: Collection[int] = ()
) -> dict[str, QuerySet[Any, Any]]:
    """What to ask for, so that it can be asked together with other things; `told` reads the answers."""
    clusters = Cluster.objects.order_by("name")
    if names:
        clusters = clusters.filter(name__in=names)
    if ids:
        clusters = clusters.filter(pk__in=ids)
    known: dict[str, Any] = {"cluster__in": clusters.order_by().values("pk")} if names or ids else {}
    kinds = KindState.objects.filter(**known).order_by("pk")
    skipped = SkippedObject.objects.filter(**known).order_by()
    odd = Pool.objects.filter(**known).exclude(state=Pool.State.COMPLETE).order_by()
    return {
        "clusters": clusters.values_list(*_COLUMNS),
        "kinds": kinds.values_list("cluster_id", *_KindSeen._fields),
        "skipped": skipped.values_list("cluster_id").annotate(number=Count("pk")),
        "incomplete": odd.values_list("cluster_id").annotate(number=Count("pk")),
        "teams": Team.objects.visible_to(viewer).order_by("pk").values_list("pk", "slug"),
    }


def told(
    answers: Mapping[str, Rows], now: datetime, *, viewer: Viewer, kinds: Collection[str] = ()
) -> Freshness:
    """For what rests on these kinds, or on all of them."""
    clusters = [Cluster(**dict(zip(_COLUMNS, row, strict=True))) for row in answers["clusters"]]
    seen: defaultdict[int, list[_KindSeen]] = defaultdict(list)
    for cluster, *row in answers["kinds"]:
        seen[cluster].append(_KindSeen(*row))
    skipped, incomplete = Counter(dict(answers["skipped"])), Counter(dict(answers["incomplete"]))
    oldest = {one.pk: _oldest(one.observed_at, seen[one.pk], kinds) for one in clusters}
    moments = [instant for instant in oldest.values() if instant is not None]
    found = tuple(
        _cluster(
            one,
            seen[one.pk],
            oldest[one.pk],
            now,
            fault_of(one, viewer=viewer),
            skipped[one.pk],
            incomplete[one.pk],
        )
        for one in clusters
    )
    return Freshness(
        as_of=min(moments, default=None),
        stale=any(one.stale for one in found),
        clusters=found,
        generation=_generation(found, (one.revision for one in clusters), answers["teams"]),
    )


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


_COLUMNS = (
    "id",
    "name",
    "enabled",
    "observed_at",
    "error_at",
    "error_reason",
    "error_message",
    "revision",
)


class _KindSeen(NamedTuple):
    kind: str
    state: str
    succeeded_at: datetime | None


def _oldest(
    observed_at: datetime | None, seen: Iterable[_KindSeen], kinds: Collection[str]
) -> datetime | None:
    """None where the cluster, or one of the kinds, was never read."""
    states = {one.kind: one.succeeded_at for one in seen if not kinds or one.kind in kinds}
    instants = list(states.values())
    if not kinds or not states.keys() >= set(kinds):
        instants.append(observed_at)
    known = [instant for instant in instants if instant is not None]
    return min(known) if len(known) == len(instants) else None


def _cluster(
    cluster: Cluster,
    seen: Iterable[_KindSeen],
    oldest: datetime | None,
    now: datetime,
    error: Fault | None,
    skipped: int,
    incomplete: int,
) -> ClusterFreshness:
    by_state: defaultdict[str, list[str]] = defaultdict(list)
    for one in seen:
        by_state[one.state].append(one.kind)
    return ClusterFreshness(
        id=cluster.pk,
        name=cluster.name,
        enabled=cluster.enabled,
        state=read_state(cluster, now),
        stale=oldest is None or now - oldest > stale_after(),
        observed_at=cluster.observed_at,
        error=error,
        forbidden=tuple(by_state[KindState.State.FORBIDDEN]),
        failed=tuple(by_state[KindState.State.FAILED]),
        objects_skipped=skipped,
        pools_incomplete=incomplete,
    )


def _generation(
    clusters: Iterable[ClusterFreshness], revisions: Iterable[int], teams: Rows
) -> tuple[str, ...]:
    """Stays as it is while polls find no change; teams may be renamed between polls, and change members."""
    stamps = (
        f"{one.id}:{one.name}:{revision}:stale={one.stale}:{one.forbidden}:{one.failed}"
        for one, revision in zip(clusters, revisions, strict=True)
    )
    return (*stamps, *(f"team={pk}:{slug}" for pk, slug in teams))
