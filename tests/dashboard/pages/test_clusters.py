from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from inventory.models import Cluster, Difference, KindState, Lease, Node, Pool, SkippedObject
from tests.dashboard.pages.conftest import Get
from tests.factories import make_cluster, make_pool


def test_a_recorded_cluster_tells_kind_by_kind_what_was_read(recorded_cluster: Cluster, read: Get) -> None:
    page = read("/clusters/lab-1/")
    assert "Kubernetes v1.36" in page
    assert "resourceslices read 16 0" in page
    assert "None: every object was understood." in page
    assert (
        "incomplete incomplete generation 3 fabric.example.com: 1 of 2 slices of generation 3 are published"
        in page
    )


def test_a_recorded_node_shows_its_cards_and_pools(recorded_cluster: Cluster, read: Get) -> None:
    node = Node.objects.get(name="gpu-node-2")
    page = read(f"/nodes/{node.pk}/")
    assert "8 cards; 150 GiB of 640 GiB memory allocated; 325 % of 800 % cores allocated" in page
    assert "gpu-node-2 complete generation 1 hami-core-gpu.project-hami.io: 1 of 1 slices, 8 devices" in page


def test_a_node_is_found_by_its_name(recorded_cluster: Cluster, signed_in: Client) -> None:
    node = Node.objects.get(name="gpu-node-2")
    assert signed_in.get("/nodes/lab-1/gpu-node-2/")["Location"] == f"/nodes/{node.pk}/"


@pytest.mark.django_db
def test_every_skipped_object_is_listed_with_its_part_and_reason(read: Get) -> None:
    cluster = make_cluster()
    SkippedObject.objects.create(
        cluster=cluster,
        kind="resourceslices",
        name="slice-1",
        part="devices[3]",
        reason="'8GB' is not a quantity",
    )
    page = read("/clusters/lab/")
    assert "slice-1 resourceslices devices[3] '8GB' is not a quantity" in page


@pytest.mark.django_db
def test_a_kind_that_may_not_be_read_is_told_with_its_reason(read: Get) -> None:
    cluster = make_cluster()
    KindState.objects.create(
        cluster=cluster,
        kind="pods",
        state=KindState.State.FORBIDDEN,
        error_reason="forbidden",
        error_message="pods is forbidden: grant list on pods",
        failed_at=timezone.now(),
    )
    page = read("/clusters/lab/")
    assert (
        "pods not allowed to read not known not known never read not known 0 none pods is forbidden" in page
    )


@pytest.mark.django_db
def test_a_cluster_that_was_never_read_says_so(read: Get) -> None:
    make_cluster("new", observed_at=None, attempted_at=None)
    page = read("/clusters/")
    assert "new never read" in page


@pytest.mark.django_db
def test_a_cluster_says_whether_anybody_follows_it(read: Get) -> None:
    now = timezone.now()
    followed = make_cluster("followed")
    Lease.objects.create(cluster=followed, part="pods", holder="a", until=now + timedelta(minutes=1))
    make_cluster("paused", enabled=False)
    make_cluster("alone")
    assert "followed now Changes arrive as they happen." in read("/clusters/followed/")
    assert "paused It is not read; what was read last stays." in read("/clusters/paused/")
    assert "not followed A worker is sent for within 15 s." in read("/clusters/alone/")
    page = read("/clusters/")
    assert "followed stale followed now" in page
    assert "paused stale paused" in page
    assert "alone stale not followed" in page


@pytest.mark.django_db
def test_a_cluster_that_waits_says_until_when_and_why(read: Get) -> None:
    retry_at = timezone.now() + timedelta(minutes=2)
    make_cluster(failures=3, retry_at=retry_at, error_reason="unreachable", error_message="nobody listens")
    waits = f"waits to try again 3 failures in a row; tried again at {retry_at:%H:%M} : nobody listens"
    assert waits in read("/clusters/lab/")
    assert f"waits to try again {retry_at:%H:%M}" in read("/clusters/")


@pytest.mark.django_db
def test_a_kind_tells_how_far_it_was_followed(read: Get) -> None:
    now = timezone.now()
    KindState.objects.create(
        cluster=make_cluster(),
        kind="pods",
        state="failed",
        objects_read=7,
        objects_skipped=1,
        succeeded_at=now - timedelta(minutes=3),
        events_total=1234,
        listed_at=now - timedelta(hours=2),
        seconds="1.5",
        failures=2,
        retry_at=now + timedelta(minutes=1),
        error_reason="timeout",
        error_message="no answer in time",
        failed_at=now,
    )
    page = read("/clusters/lab/")
    assert f"pods reading failed 7 1 {now - timedelta(minutes=3):%H:%M} 3 min 1,234 2 h ago took 1 s" in page
    assert "no answer in time 0 s ago 2 failures in a row; tried again at" in page


@pytest.mark.django_db
def test_a_comparison_without_a_difference_says_when(read: Get) -> None:
    now = timezone.now()
    make_cluster(compared_at=now, differences=0)
    assert f"Compared with the API server no difference, {now:%H:%M}" in read("/clusters/lab/")
    assert f"no difference, {now:%H:%M}" in read("/clusters/")


@pytest.mark.django_db
def test_before_the_first_comparison_nothing_is_said_of_differences(read: Get) -> None:
    make_cluster()
    page = read("/clusters/lab/")
    assert "Compared with the API server not yet" in page
    assert "difference" not in page.lower()


@pytest.mark.django_db
def test_a_difference_is_told_as_a_fault_of_sliceboard(read: Get) -> None:
    cluster = make_cluster(compared_at=timezone.now(), differences=101)
    Difference.objects.create(cluster=cluster, kind="pods", what="<train> is not stored")
    page = read("/clusters/lab/")
    assert "101 differences: a fault of Sliceboard." in page
    assert "pods <train> is not stored" in page
    assert "The first 1 of 101." in page
    assert "101 differences" in read("/clusters/")


@pytest.mark.django_db
def test_an_odd_pool_is_told_with_its_reason(read: Get) -> None:
    make_pool("torn", state=Pool.State.INCONSISTENT, reason="two slices name different generations")
    assert "torn inconsistent" in read("/clusters/lab/")
