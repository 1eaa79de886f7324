import pytest
from django.http import QueryDict
from pytest_django import DjangoAssertNumQueries

from inventory.kube.quantity import parse
from inventory.queries import nodes
from inventory.viewer import EVERYTHING
from tests.factories import make_balance, make_claim, make_device, make_node, make_pod, make_pool, make_share

pytestmark = pytest.mark.django_db


def found(query: str = "") -> list[nodes.NodeRow]:
    return nodes.rows(
        nodes.NodeFilter(QueryDict(query), viewer=EVERYTHING).filter_queryset(nodes.queryset()),
        viewer=EVERYTHING,
    )


def test_a_node_tells_its_pools_drivers_and_what_its_cards_have_left() -> None:
    node = make_node("n1")
    make_balance(make_device("a", node=node), "memory", "80Gi", "20Gi")
    make_device("nic", node=node, pool=make_pool(driver="nic.example.com"), accelerator=False)

    (row,) = found()

    assert row.drivers == ("gpu.example.com", "nic.example.com")
    assert [pool.driver for pool in row.pools] == ["gpu.example.com", "nic.example.com"]
    assert (row.devices, row.cards) == (2, 1)
    assert [(one.dimension, one.remaining) for one in row.capacity] == [("memory", parse("60Gi"))]


def test_a_node_that_only_runs_pods_is_told_of() -> None:
    make_pod("train", node=make_node("n1"))
    assert [pod.name for pod in found()[0].pods] == ["train"]


def test_pods_that_have_finished_use_nothing_of_their_node() -> None:
    node = make_node("n1")
    make_device("a", node=node)
    for phase in ("Running", "Succeeded", "Failed"):
        make_pod(phase.lower(), node=node, phase=phase)
    make_pod("long-gone", node=make_node("n2"), phase="Succeeded")
    (row,) = found()
    assert [pod.name for pod in row.pods] == ["running"]


def test_a_node_with_neither_devices_nor_pods_has_nothing_to_tell() -> None:
    make_node("empty")
    assert found() == []


def test_nodes_are_found_by_what_is_on_them() -> None:
    make_share(make_device("a", node=make_node("n1")), make_claim("train"))
    make_device("b", node=make_node("n2"), product="H100")
    assert [row.name for row in found("claim=train")] == ["n1"]
    assert [row.name for row in found("product=H100")] == ["n2"]
    assert [row.name for row in found("device=a&device=b")] == ["n1", "n2"]


def test_more_nodes_cost_no_more_queries(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for number in range(2):
        make_device(f"gpu-{number}", node=make_node(f"n{number}"))
    with django_assert_num_queries(7):
        found()
    for number in range(2, 30):
        make_device(f"gpu-{number}", node=make_node(f"n{number}"))
    with django_assert_num_queries(7):
        assert len(found()) == 30
