from datetime import timedelta

import pytest
from django.utils import timezone

from demo.store import Store
from inventory.kube import kinds
from inventory.kube.connection import Source, connect
from inventory.kube.discovery import discover
from inventory.models import Cluster, Device
from inventory.sync import lease
from inventory.sync.apply import apply
from inventory.sync.changes import Batch
from inventory.sync.parts import DEVICES, PARTS, PODS
from inventory.sync.read import Reader
from tests.inventory.sync.conftest import Follow
from tests.inventory.sync.objects import card, resource_slice, store

NOW = timezone.now()


@pytest.fixture
def cluster(db: None) -> Cluster:
    return Cluster.objects.create(name="lab")


def test_only_one_holder_at_a_time(cluster: Cluster) -> None:
    assert lease.take(cluster.pk, PARTS, NOW, 60) is not None
    assert lease.take(cluster.pk, PARTS, NOW + timedelta(seconds=59), 60) is None


def test_a_lease_that_was_given_back_can_be_taken_at_once(cluster: Cluster) -> None:
    held = lease.take(cluster.pk, PARTS, NOW, 60)
    assert held is not None
    lease.release(held)
    assert lease.take(cluster.pk, PARTS, NOW, 60) is not None


def test_a_lease_of_a_killed_holder_runs_out(cluster: Cluster) -> None:
    first = lease.take(cluster.pk, PARTS, NOW, 60)
    second = lease.take(cluster.pk, PARTS, NOW + timedelta(seconds=61), 60)
    assert first is not None
    assert second is not None
    assert all(second.numbers[part] > first.numbers[part] for part in PARTS)


def test_a_holder_that_wakes_up_late_cannot_give_back_its_successor_s_lease(cluster: Cluster) -> None:
    first = lease.take(cluster.pk, PARTS, NOW, 60)
    assert first is not None
    assert lease.take(cluster.pk, PARTS, NOW + timedelta(seconds=61), 60) is not None
    lease.release(first)
    assert lease.take(cluster.pk, PARTS, NOW + timedelta(seconds=62), 60) is None


def test_a_cluster_that_is_gone_has_no_lease(db: None) -> None:
    assert lease.take(12345, PARTS, NOW, 60) is None


def test_a_poll_that_lost_its_lease_writes_nothing(follow: Follow) -> None:
    followed = follow(store(resource_slice(card())))
    first = lease.take(followed.cluster.pk, PARTS, NOW, 60)
    assert first is not None
    with connect(Source(followed.cluster.kubeconfig, "", False)) as client:
        served = discover(client)
        reader = Reader(client, served, lambda: None)
        read = reader.read(kinds.RESOURCE_SLICES, {})
    assert lease.take(followed.cluster.pk, PARTS, NOW + timedelta(seconds=61), 60) is not None
    with pytest.raises(lease.LeaseLost):
        apply(
            first, Batch(served, {"resourceslices": read}, confirmed={"resourceslices": NOW}), timezone.now()
        )
    reader.close()
    assert not Device.objects.exists()


def test_a_poll_of_a_leased_cluster_is_left_to_the_holder(follow: Follow) -> None:
    followed = follow(Store())
    held = lease.take(followed.cluster.pk, PARTS, timezone.now(), 60)
    assert held is not None
    assert followed.poll().ended == "busy"
    lease.release(held)
    followed.applied()


def test_two_workers_may_hold_the_parts_of_one_cluster(cluster: Cluster) -> None:
    devices, pods = (lease.take(cluster.pk, (part,), NOW, 60) for part in (DEVICES, PODS))
    assert devices is not None
    assert pods is not None
    assert (set(devices.numbers), set(pods.numbers)) == ({DEVICES}, {PODS})


def test_who_wants_all_parts_gets_those_that_are_left(cluster: Cluster) -> None:
    assert lease.take(cluster.pk, (PODS,), NOW, 60) is not None
    rest = lease.take(cluster.pk, PARTS, NOW, 60)
    assert rest is not None
    assert set(rest.numbers) == {DEVICES}


def test_a_lease_that_is_renewed_lasts_from_then(cluster: Cluster) -> None:
    held = lease.take(cluster.pk, PARTS, NOW, 60)
    assert held is not None
    lease.renew(held, NOW + timedelta(seconds=50))
    assert lease.take(cluster.pk, PARTS, NOW + timedelta(seconds=100), 60) is None
    assert lease.take(cluster.pk, PARTS, NOW + timedelta(seconds=111), 60) is not None
    with pytest.raises(lease.LeaseLost):
        lease.renew(held, NOW + timedelta(seconds=112))
