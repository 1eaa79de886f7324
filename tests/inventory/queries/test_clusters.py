from datetime import timedelta

import pytest
from django.http import QueryDict
from django.utils import timezone

from inventory.models import KindState, SkippedObject
from inventory.queries import clusters
from inventory.queries.freshness import ReadState
from tests.factories import READ_AT, later, make_cluster

pytestmark = pytest.mark.django_db


def test_a_kind_lags_by_what_lies_between_its_last_success_and_the_last_attempt() -> None:
    cluster = make_cluster(attempted_at=later(45))
    KindState.objects.create(cluster=cluster, kind="pods", state="read", succeeded_at=READ_AT)
    KindState.objects.create(cluster=cluster, kind="nodes", state="forbidden")
    (row,) = clusters.rows(clusters.queryset(), later(50))
    assert {kind.kind: kind.lag_seconds for kind in row.kinds} == {"pods": 45, "nodes": None}


def test_a_kind_that_is_forbidden_says_so() -> None:
    KindState.objects.create(
        cluster=make_cluster(),
        kind="pods",
        state="forbidden",
        failed_at=READ_AT,
        error_reason="Forbidden",
        error_message="pods is forbidden",
    )
    (kind,) = clusters.rows(clusters.queryset(), READ_AT)[0].kinds
    assert kind.state == "forbidden"
    assert kind.objects is None
    assert kind.last_error is not None
    assert kind.last_error.message == "pods is forbidden"


def test_skipped_objects_are_counted_in_lists_and_named_in_an_item() -> None:
    cluster = make_cluster()
    for number in range(clusters.SKIPPED_SHOWN + 1):
        SkippedObject.objects.create(cluster=cluster, kind="pods", name=f"pod-{number:04}", reason="no UID")
    (row,) = clusters.rows(clusters.queryset(), READ_AT)
    assert (row.objects_skipped, row.skipped) == (501, None)
    item = clusters.one(cluster.pk, READ_AT)
    assert item is not None
    assert item.skipped is not None
    assert (item.objects_skipped, len(item.skipped), item.skipped[0].name) == (501, 500, "pod-0000")


def test_clusters_are_found_by_the_state_that_their_rows_tell() -> None:
    now = timezone.now()
    make_cluster("fresh", observed_at=now)
    make_cluster("stale", observed_at=now - timedelta(days=1))
    make_cluster("failing", observed_at=now, error_reason="Unreachable")
    make_cluster("never", observed_at=None)
    for state in ReadState:
        found = clusters.queryset(clusters.ClusterFilter(QueryDict(f"state={state}")))
        (row,) = clusters.rows(found, now)
        assert row.state is state
    either = clusters.queryset(clusters.ClusterFilter(QueryDict("state=fresh&state=stale&ordering=name")))
    assert [cluster.name for cluster in either] == ["fresh", "stale"]
