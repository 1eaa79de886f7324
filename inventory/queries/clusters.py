"""Clusters: what was read of each, when, and what went wrong."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal

import msgspec
from django.db.models import Count, QuerySet, prefetch_related_objects
from django.utils import timezone

from inventory.models import Cluster, Difference, Lease, SkippedObject
from inventory.queries import features
from inventory.queries.features import FeatureRow
from inventory.queries.filters import Filters, Ordering, Search, States, Truth, cluster_filter
from inventory.queries.freshness import ReadState, fault_of, in_states, read_state, stale_after
from inventory.queries.reading import (
    DifferenceRow,
    Fault,
    KindRow,
    SkippedRow,
    difference_row,
    kind_row,
    skipped_row,
)
from inventory.viewer import Viewer

KINDS: tuple[str, ...] = ()
# Of one cluster; how many there are in all is `objects_skipped`, and `differences`.
SKIPPED_SHOWN = 500
DIFFERENCES_SHOWN = 100


class ClusterRow(msgspec.Struct, frozen=True):
    """A cluster. `objects_skipped` counts what could not be read; an item has the first 500 in `skipped`.

    `paused`: it is not enabled, and its last snapshot stays. `followed_by` is how many of its parts, together
    all of its kinds, a worker follows now; 0: nobody reads it at this moment. `failures` are those since the
    last success, and `retry_at` is when it is tried again after them. `differences` counts what the
    comparison of `compared_at` found to be stored otherwise than the API server had it, null before the first
    one; an item has the first 100 in `found_differences`. `withheld`: of all these the item has only
    objects of the viewer's own namespaces, since they quote names.
    """

    id: int
    name: str
    enabled: bool
    paused: bool
    state: ReadState
    stale: bool
    server_version: str | None
    dra_version: str | None
    features: tuple[FeatureRow, ...]
    observed_at: datetime | None
    attempted_at: datetime | None
    followed_by: int
    error: Fault | None
    failures: int
    retry_at: datetime | None
    poll_seconds: Decimal | None
    kinds: tuple[KindRow, ...]
    objects_skipped: int
    skipped: tuple[SkippedRow, ...] | None
    compared_at: datetime | None
    differences: int | None
    found_differences: tuple[DifferenceRow, ...] | None
    withheld: bool


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


def queryset() -> QuerySet[Cluster]:
    return Cluster.objects.all()


def rows(page: Iterable[Cluster], now: datetime, *, viewer: Viewer) -> list[ClusterRow]:
    return _rows(list(page), now, viewer)


def one(cluster_id: int, now: datetime, *, viewer: Viewer) -> ClusterRow | None:
    """With the objects that could not be read, and what was found to differ."""
    return _detail(queryset().filter(pk=cluster_id).first(), now, viewer)


def by_name(name: str, now: datetime, *, viewer: Viewer) -> ClusterRow | None:
    return _detail(queryset().filter(name=name).first(), now, viewer)


def parts_followed(clusters: Iterable[Cluster], now: datetime) -> Mapping[int, int]:
    """How many parts of a cluster a worker follows now, by its id; one that nobody follows is left out."""
    live = Lease.objects.filter(cluster__in=clusters, until__gte=now).order_by().values_list("cluster_id")
    return dict(live.annotate(Count("pk")))


def _detail(cluster: Cluster | None, now: datetime, viewer: Viewer) -> ClusterRow | None:
    if cluster is None:
        return None
    (row,) = _rows([cluster], now, viewer)
    skipped = SkippedObject.objects.visible_to(viewer).filter(cluster=cluster)[:SKIPPED_SHOWN]
    differences = (
        Difference.objects.filter(cluster=cluster) if viewer.teams is None else Difference.objects.none()
    )
    return msgspec.structs.replace(
        row,
        skipped=tuple(map(skipped_row, skipped)),
        found_differences=tuple(map(difference_row, differences[:DIFFERENCES_SHOWN])),
    )


def _rows(clusters: Sequence[Cluster], now: datetime, viewer: Viewer) -> list[ClusterRow]:
    prefetch_related_objects(clusters, "kinds")
    counts, gates = _skipped_counts(clusters), features.of_clusters(clusters)
    followed = parts_followed(clusters, now)
    return [
        _row(one, now, viewer, gates[one.pk], counts.get(one.pk, 0), followed.get(one.pk, 0))
        for one in clusters
    ]


def _skipped_counts(clusters: Sequence[Cluster]) -> Mapping[int, int]:
    found = SkippedObject.objects.filter(cluster__in=clusters).order_by().values_list("cluster_id")
    return dict(found.annotate(Count("pk")))


def _row(
    cluster: Cluster,
    now: datetime,
    viewer: Viewer,
    gates: tuple[FeatureRow, ...],
    skipped: int,
    followed_by: int,
) -> ClusterRow:
    return ClusterRow(
        id=cluster.pk,
        name=cluster.name,
        enabled=cluster.enabled,
        paused=not cluster.enabled,
        state=read_state(cluster, now),
        stale=cluster.observed_at is None or now - cluster.observed_at > stale_after(),
        server_version=cluster.server_version or None,
        dra_version=cluster.dra_version or None,
        features=gates,
        observed_at=cluster.observed_at,
        attempted_at=cluster.attempted_at,
        followed_by=followed_by,
        error=fault_of(cluster, viewer=viewer),
        failures=cluster.failures,
        retry_at=cluster.retry_at,
        poll_seconds=cluster.poll_seconds,
        kinds=tuple(kind_row(state, now, viewer=viewer) for state in cluster.kinds.all()),
        objects_skipped=skipped,
        skipped=None,
        compared_at=cluster.compared_at,
        differences=cluster.differences,
        found_differences=None,
        withheld=viewer.teams is not None,
    )
