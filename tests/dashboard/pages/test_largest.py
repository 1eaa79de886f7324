"""The largest request that still fits: the page of all nodes, and the part of each node's page."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from inventory.models import Cluster, Node
from tests.dashboard.pages.conftest import Get, Serve
from tests.factories import make_cluster
from tests.inventory.sync.objects import card, claim, named, resource_slice, result


def test_the_largest_of_each_recorded_product_is_told(recorded_cluster: Cluster, read: Get) -> None:
    page = read("/nodes/largest/")
    assert "NVIDIA A100-SXM4-80GB hami-core-gpu.project-hami.io 80 GiB with 100 % of cores left" in page
    assert "6 of 16 117.3 GiB memory" in page
    # A product without cores is not one without any left.
    assert "Fabric L40S fabric.example.com 45.0 GiB fgpu-3 none published 1 of 4 nothing" in page
    assert "npu-node-2 Ascend310P3 ascend.project-hami.io none left none left 0 of 1 5.0 GiB memory" in page


def test_it_is_narrowed_by_product(recorded_cluster: Cluster, read: Get, get: Get) -> None:
    page = read("/nodes/largest/?product=Ascend310P3&cluster=lab-1")
    assert "npu-node-1" in page
    assert "gpu-node-1" not in page
    assert 'href="?product=Ascend310P3"' in get("/nodes/largest/")
    assert "No cards are published in what was read with: Product none-such" in read(
        "/nodes/largest/?product=none-such"
    )


def test_the_page_of_a_node_tells_its_own(recorded_cluster: Cluster, read: Get) -> None:
    node = Node.objects.get(name="gpu-node-1")
    page = read(f"/nodes/{node.pk}/")
    assert "Largest that fits here" in page
    assert "80 GiB with 100 % of cores left hami-gpu-6 100 % with 80 GiB of memory left" in page
    assert "2 of 8 75.3 GiB memory" in page


def test_a_node_that_sees_cards_of_a_fabric_tells_them(recorded_cluster: Cluster, read: Get) -> None:
    node = Node.objects.get(name="fabric-node-1")
    page = read(f"/nodes/{node.pk}/")
    assert "Fabric L40S fabric.example.com 45.0 GiB fgpu-3 none published 1 of 4" in page


def test_a_node_without_cards_has_no_such_part(recorded_cluster: Cluster, read: Get) -> None:
    node = Node.objects.get(name="policy-node-1")
    assert "Largest that fits here" not in read(f"/nodes/{node.pk}/")


def test_lists_of_nodes_and_the_overview_lead_there(recorded_cluster: Cluster, get: Get) -> None:
    assert 'href="/nodes/largest/"' in get("/nodes/")
    assert 'href="/nodes/largest/"' in get("/")


def test_cores_without_memory_are_told_as_well(serve: Serve, read: Get) -> None:
    held = claim("held", result(consumedCapacity={"memory": "24Gi", "cores": "20"}))
    serve(named("v1", "Node", "node-1", status={}), resource_slice(card()), held)
    assert "none left none left 0 of 1 80 % cores" in read("/nodes/largest/")


def test_long_lists_come_in_pages(serve: Serve, read: Get, get: Get) -> None:
    names = [f"node-{number:02}" for number in range(60)]
    slices = [resource_slice(card(), name=name, pool=name, nodeName=name) for name in names]
    serve(*(named("v1", "Node", name, status={}) for name in names), *slices)
    assert "1 to 50 of 60" in read("/nodes/largest/")
    assert "51 to 60 of 60" in read("/nodes/largest/?page=2")
    get("/nodes/largest/?page=3", 404)


@pytest.mark.django_db
def test_a_cluster_that_was_never_read_is_no_empty_one(read: Get) -> None:
    make_cluster("lab")
    page = read("/nodes/largest/")
    assert "Not known here: never read from cluster lab" in page
    assert "No cards are published" not in page


@pytest.mark.django_db
def test_an_unknown_cluster_is_refused(read: Get) -> None:
    assert "cluster" in read("/nodes/largest/?cluster=gone", 400)


def test_text_of_a_cluster_is_never_markup(serve: Serve, get: Get) -> None:
    hostile = "<script>alert(1)</script>"
    odd = card(hostile, attributes={"productName": {"string": hostile}})
    serve(named("v1", "Node", hostile, status={}), resource_slice(odd, pool=hostile, nodeName=hostile))
    assert hostile not in get("/nodes/largest/")
    assert "&lt;script&gt;" in get("/nodes/largest/")
    assert hostile not in get(f"/nodes/{Node.objects.get().pk}/")


@pytest.mark.parametrize("path", ["/nodes/largest/", "/nodes/{node}/"])
def test_it_takes_as_many_queries_for_many_nodes_as_for_few(
    serve: Serve, signed_in: Client, path: str
) -> None:
    def queries(cluster: str, nodes: int) -> int:
        names = [f"{cluster}-{number}" for number in range(nodes)]
        slices = [resource_slice(card(), name=name, pool=name, nodeName=name) for name in names]
        served = serve(*(named("v1", "Node", name, status={}) for name in names), *slices, name=cluster)
        node = Node.objects.filter(cluster=served).order_by("pk")[0]
        asked_for = f"{path.format(node=node.pk)}?cluster={cluster}"
        with CaptureQueriesContext(connection) as asked:
            assert signed_in.get(asked_for).status_code == 200
        return len(asked)

    few = queries("few", 2)
    assert queries("many", 30) == few
    assert few <= 60
