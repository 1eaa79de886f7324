import pytest
from django.test import Client
from django.utils import timezone

from inventory.models import Cluster, KindState, Node, Pool, SkippedObject
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
    assert "pods not allowed to read not known not known never read not known pods is forbidden" in page


@pytest.mark.django_db
def test_a_cluster_that_was_never_read_says_so(read: Get) -> None:
    make_cluster("new", observed_at=None, attempted_at=None)
    page = read("/clusters/")
    assert "new never read" in page


@pytest.mark.django_db
def test_an_odd_pool_is_told_with_its_reason(read: Get) -> None:
    make_pool("torn", state=Pool.State.INCONSISTENT, reason="two slices name different generations")
    assert "torn inconsistent" in read("/clusters/lab/")
