from datetime import timedelta

import pytest
from django.utils import timezone

from demo.store import Store
from inventory.kube.connection import Source, connect
from inventory.models import Cluster, Device
from inventory.sync import lease
from inventory.sync.apply import apply
from inventory.sync.read import read
from tests.inventory.sync.conftest import Follow
from tests.inventory.sync.objects import card, resource_slice, store

NOW = timezone.now()


@pytest.fixture
def cluster(db: None) -> Cluster:
    return Cluster.objects.create(name="lab")


def test_only_one_holder_at_a_time(cluster: Cluster) -> None:
    assert lease.take(cluster.pk, NOW, 60) is not None
    assert lease.take(cluster.pk, NOW + timedelta(seconds=59), 60) is None


def test_a_lease_that_was_given_back_can_be_taken_at_once(cluster: Cluster) -> None:
    held = lease.take(cluster.pk, NOW, 60)
    assert held is not None
    lease.release(held)
    assert lease.take(cluster.pk, NOW, 60) is not None


def test_a_lease_of_a_killed_holder_runs_out(cluster: Cluster) -> None:
    first = lease.take(cluster.pk, NOW, 60)
    second = lease.take(cluster.pk, NOW + timedelta(seconds=61), 60)
    assert first is not None
    assert second is not None
    assert second.number > first.number


def test_a_holder_that_wakes_up_late_cannot_give_back_its_successor_s_lease(cluster: Cluster) -> None:
    first = lease.take(cluster.pk, NOW, 60)
    assert first is not None
    assert lease.take(cluster.pk, NOW + timedelta(seconds=61), 60) is not None
    lease.release(first)
    assert lease.take(cluster.pk, NOW + timedelta(seconds=62), 60) is None


def test_a_cluster_that_is_gone_has_no_lease(db: None) -> None:
    assert lease.take(12345, NOW, 60) is None


def test_a_poll_that_lost_its_lease_writes_nothing(follow: Follow) -> None:
    followed = follow(store(resource_slice(card())))
    first = lease.take(followed.cluster.pk, NOW, 60)
    assert first is not None
    with connect(Source(followed.cluster.kubeconfig, "", False)) as client:
        reading = read(client, timezone.now)
    assert lease.take(followed.cluster.pk, NOW + timedelta(seconds=61), 60) is not None
    with pytest.raises(lease.LeaseLost):
        apply(first, reading, timezone.now())
    assert not Device.objects.exists()


def test_a_poll_of_a_leased_cluster_is_left_to_the_holder(follow: Follow) -> None:
    followed = follow(Store())
    held = lease.take(followed.cluster.pk, timezone.now(), 60)
    assert held is not None
    assert followed.poll().ended == "busy"
    lease.release(held)
    followed.applied()
