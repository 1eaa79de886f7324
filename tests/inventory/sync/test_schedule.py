"""Which clusters are polled, and who makes room for whom."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from inventory.models import Cluster, KindState
from inventory.sync import lease
from inventory.sync.parts import DEVICES, PARTS, PODS
from inventory.sync.schedule import Due, due, must_make_room, to_compare

NOW = timezone.now()
LONG_AGO = NOW - timedelta(hours=1)


def _cluster(name: str, attempted_at: datetime | None = LONG_AGO, **fields: Any) -> Cluster:
    return Cluster.objects.create(name=name, attempted_at=attempted_at, **fields)


def test_a_cluster_that_nobody_follows_is_due(db: None) -> None:
    cluster = _cluster("lab")
    assert list(due(NOW)) == [Due(cluster.pk, PARTS, "")]


def test_one_that_somebody_follows_is_not(db: None) -> None:
    cluster = _cluster("lab")
    lease.take(cluster.pk, PARTS, NOW, 60)
    assert list(due(NOW)) == []
    assert list(due(NOW + timedelta(seconds=61))) == [Due(cluster.pk, PARTS, "")]


def test_one_of_which_a_part_is_free_is_due(db: None) -> None:
    cluster = _cluster("lab")
    lease.take(cluster.pk, (PODS,), NOW, 60)
    assert list(due(NOW)) == [Due(cluster.pk, PARTS, "")]


@pytest.mark.parametrize("fields", [{"enabled": False}, {"retry_at": NOW + timedelta(seconds=5)}])
def test_one_that_is_paused_or_waits_after_a_failure_is_not(db: None, fields: dict[str, Any]) -> None:
    _cluster("lab", **fields)
    assert list(due(NOW)) == []


def test_who_waited_longest_comes_first(db: None) -> None:
    late, early, never = _cluster("late", NOW), _cluster("early"), _cluster("never", None)
    order = [one.cluster_id for one in due(NOW)]
    assert order.index(early.pk) < order.index(late.pk)
    assert never.pk in order


def test_a_very_large_cluster_is_followed_by_two_workers(db: None, settings: Any) -> None:
    settings.SLICEBOARD_SPLIT_MIB = 100
    cluster = _cluster("lab", queue="large")
    for kind in ("pods", "resourceclaims"):
        KindState.objects.create(cluster=cluster, kind=kind, bytes_read=60 * 2**20)
    assert list(due(NOW)) == [Due(cluster.pk, (DEVICES,), "large"), Due(cluster.pk, (PODS,), "large")]


def test_who_is_alone_need_not_make_room(db: None) -> None:
    cluster = _cluster("lab", NOW)
    lease.take(cluster.pk, PARTS, NOW, 60)
    _cluster("paused", enabled=False)
    _cluster("failing", retry_at=NOW + timedelta(minutes=1))
    _cluster("young", NOW)
    assert not must_make_room(cluster.pk, NOW)


def test_one_makes_room_for_another_that_waits(db: None) -> None:
    cluster = _cluster("lab", NOW)
    lease.take(cluster.pk, PARTS, NOW, 60)
    _cluster("waits")
    assert must_make_room(cluster.pk, NOW)


def test_one_makes_no_room_for_a_cluster_with_workers_of_its_own(db: None) -> None:
    cluster = _cluster("lab", NOW)
    _cluster("waits", queue="other")
    assert not must_make_room(cluster.pk, NOW)


def test_as_many_make_room_as_wait_the_longest_followed_first(db: None) -> None:
    followed = [_cluster(f"lab-{number}", NOW - timedelta(seconds=60 - number)) for number in range(4)]
    for cluster in followed:
        lease.take(cluster.pk, PARTS, NOW, 60)
    for number in range(2):
        _cluster(f"waits-{number}")
    assert [must_make_room(cluster.pk, NOW) for cluster in followed] == [True, True, False, False]


def test_a_cluster_that_is_paused_or_removed_is_left(db: None) -> None:
    cluster = _cluster("lab", NOW, enabled=False)
    assert must_make_room(cluster.pk, NOW)
    assert must_make_room(12345, NOW)


def test_clusters_that_can_be_read_are_compared_again_after_a_while(db: None) -> None:
    never = _cluster("never", observed_at=NOW)
    _cluster("lately", observed_at=NOW, compared_at=NOW)
    _cluster("never read")
    _cluster("failing", observed_at=NOW, error_reason="unreachable")
    _cluster("paused", observed_at=NOW, enabled=False)
    assert [one.cluster_id for one in to_compare(NOW)] == [never.pk]
    Cluster.objects.filter(pk=never.pk).update(compared_at=LONG_AGO)
    assert to_compare(NOW) == []
    assert [one.cluster_id for one in to_compare(NOW + timedelta(seconds=1))] == [never.pk]


def test_many_clusters_are_compared_one_after_the_other(db: None, settings: Any) -> None:
    settings.SLICEBOARD_COMPARE_SECONDS = 600
    for number in range(50):
        _cluster(f"lab-{number}", observed_at=NOW)
    assert len(to_compare(NOW)) == 6
