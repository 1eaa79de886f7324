"""The largest request that still fits: the page of a cluster, and the part of each node's page."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from inventory.models import Cluster, KindState, Node
from tests.dashboard.pages.conftest import Get, Serve
from tests.factories import make_cluster
from tests.inventory.sync.objects import card, claim, named, resource_slice, result


def _of_node(name: str) -> str:
    return f"/nodes/{Node.objects.get(name=name).pk}/largest/"


def test_the_largest_of_each_recorded_product_is_told(recorded_cluster: Cluster, read: Get) -> None:
    page = read("/nodes/largest/")
    assert (
        "NVIDIA A100-SXM4-80GB hami-core-gpu.project-hami.io 80 GiB memory: 80Gi, cores: 0 "
        "leaves 100 % of cores leaving out cores takes 100 % of it" in page
    )
    assert "100 % memory: 1Mi, cores: 100 leaves 80.0 GiB of memory" in page
    # A product without cores is not one without any left.
    assert "Fabric L40S fabric.example.com 45.0 GiB the whole device fgpu-3 none published 1 of 4" in page
    assert "117.3 GiB memory" in page


def test_it_is_narrowed_by_product(recorded_cluster: Cluster, read: Get, get: Get) -> None:
    page = read("/nodes/largest/?product=Ascend310P3&cluster=lab-1")
    assert "npu-node-1" in page
    assert "gpu-node-1" not in page
    assert 'href="?product=Ascend310P3"' in get("/nodes/largest/")
    assert "No cards are published in what was read with: Product none-such" in read(
        "/nodes/largest/?product=none-such"
    )


def test_of_several_clusters_one_is_chosen(serve: Serve, read: Get, get: Get) -> None:
    for name in ("one", "two"):
        serve(named("v1", "Node", "node-1", status={}), resource_slice(card()), name=name)
    page = get("/nodes/largest/?product=NVIDIA+L4")
    assert "Which cluster?" in page
    assert 'href="?product=NVIDIA+L4&amp;cluster=two"' in page
    assert "24 GiB" not in page
    assert "24 GiB" in read("/nodes/largest/?cluster=two")
    assert "only one cluster at a time" in read("/nodes/largest/?cluster=one&cluster=two", 400)


def test_the_page_of_a_node_leaves_it_to_a_script_or_a_link(recorded_cluster: Cluster, get: Get) -> None:
    node = Node.objects.get(name="gpu-node-1").pk
    page = get(f"/nodes/{node}/")
    assert f'data-later="/nodes/{node}/largest/"' in page
    assert 'href="?largest=now#largest"' in page


def test_the_link_gives_the_page_with_it_inside(recorded_cluster: Cluster, read: Get, get: Get) -> None:
    node = Node.objects.get(name="gpu-node-1").pk
    assert "80 GiB memory: 80Gi, cores: 0 leaves 100 % of cores" in read(f"/nodes/{node}/?largest=now")
    page = get(f"/nodes/{node}/?largest=now")
    assert "data-later" not in page
    assert f'href="/api/v1/nodes/{node}/"' in page


def test_the_part_of_a_node_tells_its_own(recorded_cluster: Cluster, read: Get) -> None:
    part = read(_of_node("gpu-node-1"))
    assert "Largest that fits here" in part
    assert "2 of 8" in part
    assert "75.3 GiB memory" in part
    assert "gpu-node-2" not in part


def test_a_node_that_sees_cards_of_a_fabric_tells_them(recorded_cluster: Cluster, read: Get) -> None:
    part = read(_of_node("fabric-node-1"))
    assert "Fabric L40S fabric.example.com 45.0 GiB the whole device fgpu-3 none published 1 of 4" in part


def test_a_node_that_sees_no_card_of_a_fabric_says_so(recorded_cluster: Cluster, read: Get) -> None:
    assert "The scheduler sees no card here." in read(_of_node("policy-node-1"))


def test_where_there_is_no_card_to_be_seen_there_is_no_such_part(serve: Serve, get: Get) -> None:
    nic = resource_slice(card("nic-0", capacity={}), driver="nic.example.com")
    serve(named("v1", "Node", "node-1", status={}), nic)
    assert 'id="largest"' not in get(f"/nodes/{Node.objects.get().pk}/")


def test_the_part_says_how_old_it_is(recorded_cluster: Cluster, read: Get) -> None:
    assert "As of 20" in read(_of_node("gpu-node-1"))
    assert "stale" not in read(_of_node("gpu-node-1"))
    KindState.objects.filter(kind="deviceclasses").update(succeeded_at=timezone.now().replace(year=2020))
    part = read(_of_node("gpu-node-1"))
    assert "As of 2020" in part
    assert "stale" in part


def test_lists_of_nodes_and_the_overview_lead_there(recorded_cluster: Cluster, get: Get) -> None:
    assert 'href="/nodes/largest/"' in get("/nodes/")
    assert 'href="/nodes/largest/"' in get("/")


def test_cores_without_memory_are_told_as_well(serve: Serve, read: Get) -> None:
    held = claim("held", result(consumedCapacity={"memory": "24Gi", "cores": "20"}))
    serve(named("v1", "Node", "node-1", status={}), resource_slice(card()), held)
    assert "none left none left 0 of 1 80 % cores" in read("/nodes/largest/")


def test_what_is_left_on_tainted_cards_is_not_told_as_used_up(serve: Serve, read: Get) -> None:
    taint = {"key": "broken", "effect": "NoSchedule"}
    serve(named("v1", "Node", "node-1", status={}), resource_slice(card(taints=[taint])))
    page = read("/nodes/largest/")
    assert "none to be had none to be had 0 of 1 1 cannot be had nothing" in page
    assert "none left" not in page


def test_a_request_that_leaves_out_what_is_not_there_is_warned_of(serve: Serve, read: Get) -> None:
    held = claim("held", result(consumedCapacity={"memory": "4Gi", "cores": "90"}))
    serve(named("v1", "Node", "node-1", status={}), resource_slice(card()), held)
    told = "20Gi, cores: 0 leaves 10 % of cores leaving out cores takes 100 % of it, which is not left"
    assert told in read("/nodes/largest/")


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
    assert "“gone” is not known here" in read("/nodes/largest/?cluster=gone", 400)


def test_text_of_a_cluster_is_never_markup(serve: Serve, get: Get) -> None:
    hostile = "<script>alert(1)</script>"
    capacity = {f"{hostile}/memory": {"value": "24Gi"}, "cores": {"value": "100"}}
    odd = card(hostile, attributes={"productName": {"string": hostile}}, capacity=capacity)
    serve(named("v1", "Node", hostile, status={}), resource_slice(odd, pool=hostile, nodeName=hostile))
    node = Node.objects.get().pk
    for path in ("/nodes/largest/", f"/nodes/{node}/", f"/nodes/{node}/largest/"):
        assert hostile not in get(path), path
        assert "&lt;script&gt;" in get(path), path


@pytest.mark.parametrize("path", ["/nodes/largest/", "/nodes/{node}/", "/nodes/{node}/largest/"])
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


def test_parts_of_pages_are_never_kept_by_a_browser(recorded_cluster: Cluster, signed_in: Client) -> None:
    assert "no-store" in signed_in.get(_of_node("gpu-node-1"))["Cache-Control"]


@pytest.mark.django_db
def test_a_node_that_never_was_is_not_found(get: Get) -> None:
    get("/nodes/1/largest/", 404)
