from datetime import timedelta

import pytest
from django.http import QueryDict
from django.utils import timezone

from inventory.models import Difference, KindState, Lease, SkippedObject
from inventory.queries import clusters
from inventory.queries.freshness import ReadState
from inventory.viewer import EVERYTHING
from tests.factories import READ_AT, later, make_cluster

pytestmark = pytest.mark.django_db


def test_a_kind_lags_by_the_time_since_its_last_success_whatever_was_tried_since() -> None:
    cluster = make_cluster(attempted_at=later(45))
    KindState.objects.create(cluster=cluster, kind="pods", state="read", succeeded_at=READ_AT)
    KindState.objects.create(cluster=cluster, kind="nodes", state="forbidden")
    (row,) = clusters.rows(clusters.queryset(), later(50), viewer=EVERYTHING)
    assert {kind.kind: kind.lag_seconds for kind in row.kinds} == {"pods": 50, "nodes": None}


def test_a_clock_that_is_behind_makes_no_lag_below_zero() -> None:
    KindState.objects.create(cluster=make_cluster(), kind="pods", state="read", succeeded_at=later(3))
    ((kind,),) = (row.kinds for row in clusters.rows(clusters.queryset(), READ_AT, viewer=EVERYTHING))
    assert kind.lag_seconds == 0


def test_a_kind_tells_how_it_was_followed_and_when_it_is_tried_again() -> None:
    KindState.objects.create(
        cluster=make_cluster(),
        kind="pods",
        state="failed",
        succeeded_at=READ_AT,
        listed_at=later(-3600),
        lists_total=2,
        events_total=70,
        failures=3,
        retry_at=later(20),
    )
    ((kind,),) = (row.kinds for row in clusters.rows(clusters.queryset(), READ_AT, viewer=EVERYTHING))
    assert (kind.listed_at, kind.lists, kind.events) == (later(-3600), 2, 70)
    assert (kind.failures, kind.retry_at) == (3, later(20))


def test_a_cluster_is_followed_by_the_leases_that_have_not_run_out() -> None:
    cluster = make_cluster()
    Lease.objects.create(cluster=cluster, part="devices", holder="a", until=later(30))
    Lease.objects.create(cluster=cluster, part="pods", holder="b", until=later(10))
    Lease.objects.create(cluster=make_cluster("idle"), part="pods")
    followed = {
        row.name: row.followed_by for row in clusters.rows(clusters.queryset(), later(20), viewer=EVERYTHING)
    }
    assert followed == {"lab": 1, "idle": 0}


def test_a_cluster_is_paused_when_it_is_not_enabled() -> None:
    make_cluster(enabled=False, failures=2, retry_at=later(20))
    (row,) = clusters.rows(clusters.queryset(), READ_AT, viewer=EVERYTHING)
    assert (row.paused, row.failures, row.retry_at) == (True, 2, later(20))


def test_differences_are_not_known_before_the_first_comparison() -> None:
    make_cluster()
    (row,) = clusters.rows(clusters.queryset(), READ_AT, viewer=EVERYTHING)
    assert (row.compared_at, row.differences, row.found_differences) == (None, None, None)


def test_what_was_found_to_differ_is_counted_in_lists_and_told_in_an_item() -> None:
    cluster = make_cluster(compared_at=READ_AT, differences=101)
    for number in range(clusters.DIFFERENCES_SHOWN + 1):
        Difference.objects.create(cluster=cluster, kind="pods", what=f"pod-{number:03} is not stored")
    (row,) = clusters.rows(clusters.queryset(), READ_AT, viewer=EVERYTHING)
    assert (row.differences, row.found_differences) == (101, None)
    item = clusters.one(cluster.pk, READ_AT, viewer=EVERYTHING)
    assert item is not None
    assert item.found_differences is not None
    assert (item.differences, len(item.found_differences)) == (101, 100)
    assert item.found_differences[0].what == "pod-000 is not stored"


def test_a_kind_that_is_forbidden_says_so() -> None:
    KindState.objects.create(
        cluster=make_cluster(),
        kind="pods",
        state="forbidden",
        failed_at=READ_AT,
        error_reason="Forbidden",
        error_message="pods is forbidden",
    )
    (kind,) = clusters.rows(clusters.queryset(), READ_AT, viewer=EVERYTHING)[0].kinds
    assert kind.state == "forbidden"
    assert kind.objects is None
    assert kind.last_error is not None
    assert kind.last_error.message == "pods is forbidden"


def test_skipped_objects_are_counted_in_lists_and_named_in_an_item() -> None:
    cluster = make_cluster()
    for number in range(clusters.SKIPPED_SHOWN + 1):
        SkippedObject.objects.create(cluster=cluster, kind="pods", name=f"pod-{number:04}", reason="no UID")
    (row,) = clusters.rows(clusters.queryset(), READ_AT, viewer=EVERYTHING)
    assert (row.objects_skipped, row.skipped) == (501, None)
    item = clusters.one(cluster.pk, READ_AT, viewer=EVERYTHING)
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
        found = clusters.ClusterFilter(QueryDict(f"state={state}"), viewer=EVERYTHING).filter_queryset(
            clusters.queryset()
        )
        (row,) = clusters.rows(found, now, viewer=EVERYTHING)
        assert row.state is state
    either = clusters.ClusterFilter(
        QueryDict("state=fresh&state=stale&ordering=name"), viewer=EVERYTHING
    ).filter_queryset(clusters.queryset())
    assert [cluster.name for cluster in either] == ["fresh", "stale"]
