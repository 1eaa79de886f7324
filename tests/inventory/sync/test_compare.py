"""The comparison in the background: our rows against the API server at one moment."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from demo import recorded
from demo.faults import Refuse
from inventory.models import (
    Balance,
    Claim,
    Cluster,
    ConsumedCapacity,
    Device,
    DeviceInterval,
    Difference,
    KindState,
    Pod,
    PodInterval,
    Share,
    ShareInterval,
    Slice,
)
from inventory.sync.compare import compare_cluster
from tests.inventory.sync.books import balance, shared
from tests.inventory.sync.conftest import Follow
from tests.inventory.sync.objects import card, claim, consumer, pod, resource_slice, store

HOUR = timedelta(hours=1)


def test_a_cluster_as_it_was_read_has_no_differences(follow: Follow) -> None:
    followed = follow(recorded.store())
    followed.applied()
    assert compare_cluster(followed.cluster.pk) == 0
    followed.cluster.refresh_from_db()
    assert followed.cluster.differences == 0
    assert followed.cluster.compared_at is not None


def test_what_happens_while_it_compares_is_no_difference(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    followed.store.put(claim("d", shared("1Gi", "1")))
    followed.store.put(resource_slice(card(), generation=2))
    assert compare_cluster(followed.cluster.pk) == 0


@pytest.mark.parametrize(
    ("rows", "fields", "told"),
    [
        (Claim.objects.all(), {"resource_version": "99"}, "is stored as of resourceVersion 99"),
        (Claim.objects.all(), {"uid": "other"}, "does not have it"),
        (Share.objects.all(), {"request": "other"}, "stored is"),
        (ConsumedCapacity.objects.filter(dimension="memory"), {"amount": 1}, "stored is"),
        (Slice.objects.all(), {"resource_version": "99"}, "resourceVersion 99"),
        (Device.objects.all(), {"published": False}, "otherwise than its slices publish it"),
        (Balance.objects.filter(dimension="memory"), {"remaining": 1}, "the ledger derives"),
        (Pod.objects.all(), {"uid": "other"}, "in the cluster and not stored"),
        (ShareInterval.objects.all(), {"device": "other"}, "open intervals"),
        (ShareInterval.objects.all(), {"team_slug": "other"}, "its open interval is 'other''s"),
        (ShareInterval.objects.all(), {"claim_uid": "other"}, "claim other is gone"),
        (ShareInterval.objects.all(), {"ended_at": timezone.now() + HOUR}, "its open intervals say []"),
        (DeviceInterval.objects.all(), {"capacity": {"memory": "1"}}, "its open interval says"),
        (DeviceInterval.objects.all(), {"pool": "other"}, "pool hami-core-gpu.project-hami.io/other is gone"),
        (DeviceInterval.objects.all(), {"ended_at": timezone.now() + HOUR}, "its open interval says nothing"),
        (PodInterval.objects.all(), {"pod_name": "other"}, "pods other: not reserved"),
        (PodInterval.objects.all(), {"ended_at": timezone.now() + HOUR}, "pods p: reserved, and no interval"),
        (PodInterval.objects.all(), {"workload_name": "other"}, "workload_name='other'"),
        (PodInterval.objects.all(), {"team_slug": "other"}, "team_slug='other'"),
        (PodInterval.objects.all(), {"claim_uid": "other"}, "claim other is gone"),
    ],
)
def test_a_row_that_says_something_else_is_found_told_and_mended(
    follow: Follow, rows: Any, fields: dict[str, object], told: str
) -> None:
    held = store(resource_slice(card()))
    held.put(claim("c", shared(), consumers=(consumer(held.put(pod())),)))
    followed = follow(held)
    followed.applied()
    assert rows.all().update(**fields) == 1
    assert (compare_cluster(followed.cluster.pk) or 0) > 0
    assert any(told in what for what in Difference.objects.values_list("what", flat=True))

    followed.applied()
    assert compare_cluster(followed.cluster.pk) == 0
    assert not Difference.objects.exists()
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")


def test_a_missing_row_is_found(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared()), claim("d")))
    followed.applied()
    Claim.objects.get(name="d").delete()
    assert compare_cluster(followed.cluster.pk) == 1
    assert "team-a/d" in Difference.objects.get().what


def test_a_moment_that_the_api_server_has_forgotten_is_not_compared(follow: Follow) -> None:
    followed = follow(store(resource_slice(card())))
    followed.applied()
    followed.store.put(claim("c"))
    followed.store.compact()
    assert compare_cluster(followed.cluster.pk) is None
    followed.cluster.refresh_from_db()
    assert followed.cluster.compared_at is None


def test_a_kind_that_cannot_be_read_leaves_the_comparison_for_later(follow: Follow) -> None:
    followed = follow(store(resource_slice(card())))
    followed.applied()
    followed.server.faults.inject("*/pods", Refuse(500))
    assert compare_cluster(followed.cluster.pk) is None
    assert KindState.objects.get(kind="pods").state == "read"


def test_a_comparison_that_runs_or_has_just_failed_is_not_begun_again(follow: Follow) -> None:
    followed = follow(store(resource_slice(card())))
    followed.applied()
    followed.server.faults.inject("*/pods", Refuse(500))
    assert compare_cluster(followed.cluster.pk) is None
    assert compare_cluster(followed.cluster.pk) is None
    Cluster.objects.update(comparison_begun_at=timezone.now() - timedelta(hours=1))
    assert compare_cluster(followed.cluster.pk) == 0
