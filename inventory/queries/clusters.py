"""Clusters: what was read of each, when, and what went wrong."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal

import msgspec
from django.db.models import Count, QuerySet, prefetch_related_objects
from django.utils import timezone

from inventory.models import Cluster, KindState, SkippedObject
from inventory.queries import features
from inventory.queries.features import FeatureRow
from inventory.queries.filters import Filters, Ordering, Search, States, Truth, cluster_filter
from inventory.queries.freshness import Fault, ReadState, fault, in_states, read_state, stale_after

KINDS: tuple[str, ...] = ()
# Of one cluster; how many there are in all is `objects_skipped`.
SKIPPED_SHOWN = 500


class KindRow(msgspec.Struct, frozen=True):
    """How reading one kind went.

    `lag_seconds` is how far its last success lay behind the last attempt on the cluster; null: never read.
    """

    kind: str
    state: str
    objects: int | None
    objects_skipped: int | None
    last_success: datetime | None
    last_error: Fault | None
    lag_seconds: int | None
    bytes_read: int | None
    seconds: Decimal | None


class SkippedRow(msgspec.Struct, frozen=True):
    """An object, or the named part of one, that could not be read."""

    kind: str
    namespace: str | None
    name: str | None
    uid: str | None
    part: str | None
    reason: str


class ClusterRow(msgspec.Struct, frozen=True):
    """A cluster. `objects_skipped` counts what could not be read; an item has the first 500 in `skipped`."""

    id: int
    name: str
    enabled: bool
    state: ReadState
    stale: bool
    server_version: str | None
    dra_version: str | None
    features: tuple[FeatureRow, ...]
    observed_at: datetime | None
    attempted_at: datetime | None
    error: Fault | None
    poll_seconds: Decimal | None
    kinds: tuple[KindRow, ...]
    objects_skipped: int
    skipped: tuple[SkippedRow, ...] | None


class ReadStates(States):
    """States that follow from what is known of the last attempts, and from the clock."""

    def filter(self, qs: QuerySet[Cluster], value: Sequence[str]) -> QuerySet[Cluster]:
        return qs.filter(in_states(value, timezone.now()))


class ClusterFilter(Filters):
    cluster = cluster_filter("name")
    state = ReadStates(choices=[(state.value, state.value) for state in ReadState])
    enabled = Truth(field_name="enabled")
    q = Search("name")
    ordering = Ordering(fields={"id": "id", "name": "name", "observed_at": "observed_at"})

    class Meta:
        model = Cluster
        fields = ()


def queryset(filters: ClusterFilter | None = None) -> QuerySet[Cluster]:
    found = Cluster.objects.all()
    return found if filters is None else filters.filter_queryset(found)


def rows(page: Iterable[Cluster], now: datetime) -> list[ClusterRow]:
    clusters = list(page)
    prefetch_related_objects(clusters, "kinds")
    counts, gates = _skipped_counts(clusters), features.of_clusters(clusters)
    return [_row(cluster, now, gates[cluster.pk], counts.get(cluster.pk, 0), None) for cluster in clusters]


def one(cluster_id: int, now: datetime) -> ClusterRow | None:
    """With the objects that could not be read."""
    return _detail(queryset().filter(pk=cluster_id).first(), now)


def by_name(name: str, now: datetime) -> ClusterRow | None:
    return _detail(queryset().filter(name=name).first(), now)


def _detail(cluster: Cluster | None, now: datetime) -> ClusterRow | None:
    if cluster is None:
        return None
    skipped = tuple(map(_skipped, SkippedObject.objects.filter(cluster=cluster)[:SKIPPED_SHOWN]))
    gates, counts = features.of_clusters([cluster]), _skipped_counts([cluster])
    return _row(cluster, now, gates[cluster.pk], counts.get(cluster.pk, 0), skipped)


def _skipped_counts(clusters: Sequence[Cluster]) -> Mapping[int, int]:
    found = SkippedObject.objects.filter(cluster__in=clusters).order_by().values_list("cluster_id")
    return dict(found.annotate(Count("pk")))


def _row(
    cluster: Cluster,
    now: datetime,
    gates: tuple[FeatureRow, ...],
    count: int,
    skipped: tuple[SkippedRow, ...] | None,
) -> ClusterRow:
    return ClusterRow(
        id=cluster.pk,
        name=cluster.name,
        enabled=cluster.enabled,
        state=read_state(cluster, now),
        stale=cluster.observed_at is None or now - cluster.observed_at > stale_after(),
        server_version=cluster.server_version or None,
        dra_version=cluster.dra_version or None,
        features=gates,
        observed_at=cluster.observed_at,
        attempted_at=cluster.attempted_at,
        error=fault(cluster),
        poll_seconds=cluster.poll_seconds,
        kinds=tuple(_kind(state, cluster.attempted_at) for state in cluster.kinds.all()),
        objects_skipped=count,
        skipped=skipped,
    )


def _kind(state: KindState, attempted_at: datetime | None) -> KindRow:
    error = Fault(state.error_reason, state.error_message, state.failed_at) if state.error_reason else None
    return KindRow(
        kind=state.kind,
        state=state.state,
        objects=state.objects_read,
        objects_skipped=state.objects_skipped,
        last_success=state.succeeded_at,
        last_error=error,
        lag_seconds=_lag(state.succeeded_at, attempted_at),
        bytes_read=state.bytes_read,
        seconds=state.seconds,
    )


def _lag(succeeded_at: datetime | None, attempted_at: datetime | None) -> int | None:
    if succeeded_at is None or attempted_at is None:
        return None
    return max(0, (attempted_at - succeeded_at) // timedelta(seconds=1))


def _skipped(one: SkippedObject) -> SkippedRow:
    return SkippedRow(
        one.kind, one.namespace or None, one.name or None, one.uid or None, one.part or None, one.reason
    )
