"""How reading goes, cluster by cluster and kind by kind."""

from collections.abc import Iterator, Sequence

from prometheus_client.metrics_core import Metric

from dashboard.metrics.families import Told, families, family
from inventory.models import KindState
from inventory.queries.metrics import ClusterFigures, KindFigures

_CLUSTER: Sequence[Told[ClusterFigures]] = (
    Told("cluster_up", "Whether the last attempt to read the cluster went well.", lambda one: one.up),
    Told("cluster_enabled", "Whether the cluster is read; 0: it is paused.", lambda one: one.enabled),
    Told(
        "cluster_last_attempt_timestamp_seconds",
        "When a worker last began to follow the cluster.",
        lambda one: one.attempted_at,
    ),
    Told(
        "cluster_observed_timestamp_seconds",
        "The oldest moment of which what is shown of the cluster is true.",
        lambda one: one.observed_at,
    ),
    Told(
        "cluster_observed_age_seconds",
        "How long ago that moment is, by the clock of this server.",
        lambda one: one.observed_age,
    ),
    Told(
        "cluster_full_reading_duration_seconds",
        "How long it took to read in full what was to be read in full the last time.",
        lambda one: one.full_reading_seconds,
    ),
    Told(
        "cluster_failures_in_a_row",
        "Attempts on the whole cluster that failed since the last one that went well.",
        lambda one: one.failures,
    ),
    Told(
        "cluster_retry_timestamp_seconds",
        "When the cluster is tried again after a failure.",
        lambda one: one.retry_at,
    ),
    Told(
        "cluster_compared_timestamp_seconds",
        "When every row was last compared with the API server.",
        lambda one: one.compared_at,
    ),
    Told(
        "cluster_differences",
        "Rows that the last comparison found to say something else than the API server: a fault of ours.",
        lambda one: one.differences,
    ),
    Told(
        "cluster_leases",
        "Parts of the cluster that a worker follows now.",
        lambda one: one.parts_followed,
    ),
    Told(
        "cluster_open_share_intervals",
        "Shares that are held now, by their history.",
        lambda one: one.shares_held,
    ),
)
_KIND: Sequence[Told[KindFigures]] = (
    Told(
        "kind_last_success_timestamp_seconds",
        "The moment of which what is known of the kind is true.",
        lambda one: one.succeeded_at,
    ),
    Told("kind_age_seconds", "How long ago that is, by the clock of this server.", lambda one: one.age),
    Told("kind_objects", "Objects of the kind that are kept.", lambda one: one.objects),
    Told(
        "kind_objects_skipped",
        "Objects of the kind, or parts of them, that could not be read.",
        lambda one: one.objects_skipped,
    ),
    Told(
        "kind_last_list_timestamp_seconds", "When the kind was last read in full.", lambda one: one.listed_at
    ),
    Told("kind_last_list_duration_seconds", "How long that took.", lambda one: one.list_seconds),
    Told(
        "kind_failures_in_a_row",
        "Attempts on the kind that failed since the last success.",
        lambda one: one.failures,
    ),
    Told("kind_lists", "How often the kind was read in full.", lambda one: one.lists, counter=True),
    Told("kind_events", "Changes of the kind that were watched.", lambda one: one.events, counter=True),
    Told("kind_received_bytes", "What lists and watches sent.", lambda one: one.bytes, counter=True),
    Told("kind_failures", "Attempts on the kind that failed.", lambda one: one.failures_in_all, counter=True),
)


def told(found: Sequence[ClusterFigures]) -> Iterator[Metric]:
    yield from families(_CLUSTER, ("cluster",), [((one.name,), one) for one in found])
    yield family(
        "cluster_error",
        "The reason why the last attempt on the cluster failed.",
        ("cluster", "reason"),
        (((one.name, one.error_reason), 1) for one in found if one.error_reason),
    )
    kinds = [((one.name, kind.kind), kind) for one in found for kind in one.kinds]
    yield from families(_KIND, ("cluster", "kind"), kinds)
    yield family(
        "kind_error",
        "The reason why the last attempt on the kind failed.",
        ("cluster", "kind", "reason"),
        (((*labels, kind.error_reason), 1) for labels, kind in kinds if kind.error_reason),
    )
    yield family(
        "kind_state",
        "1 for the state in which the kind is, 0 for the others.",
        ("cluster", "kind", "state"),
        (
            ((*labels, state.value), kind.state is state)
            for labels, kind in kinds
            for state in KindState.State
        ),
    )
