from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from demo.server import ApiServer
from demo.store import Object
from inventory.dra.units import Unit, short_name
from inventory.kube.quantity import Quantity, parse
from inventory.models import Balance, Cluster, Device
from inventory.models.amounts import to_quantity
from inventory.models.devices import DeviceState
from inventory.queries import largest
from inventory.queries.largest import Found, LargestRow, RoomRow
from inventory.sync.poll import poll_cluster
from tests.factories import make_cluster
from tests.inventory.sync import objects
from tests.inventory.sync.objects import card, claim, named, resource_slice, result
from tests.reading import read_recorded_cluster

Serve = Callable[..., Cluster]
ZERO = Quantity(0)


@pytest.fixture
def recorded_cluster(db: None, tmp_path: Path) -> Cluster:
    return read_recorded_cluster(tmp_path)


@pytest.fixture
def serve(db: None, tmp_path: Path) -> Serve:
    def read(*held: Object, name: str = "lab") -> Cluster:
        with ApiServer(objects.store(*held)) as server:
            path = server.kubeconfig(tmp_path / f"{name}.kubeconfig")
            cluster = Cluster.objects.create(name=name, kubeconfig=str(path))
            assert poll_cluster(cluster.pk).ended == "applied"
        return cluster

    return read


def _nodes(*names: str) -> list[Object]:
    return [named("v1", "Node", name, status={}) for name in names]


def _holding(**amounts: dict[str, str]) -> Object:
    """A claim with a share of each named card, `gpu_0` for `gpu-0`."""
    return claim(
        "held",
        *(
            result(name.replace("_", "-"), share_id=f"{number}", consumedCapacity=consumed)
            for number, (name, consumed) in enumerate(amounts.items(), start=1)
        ),
    )


def _remaining(device: int) -> dict[str, Quantity]:
    """What the books say is left of a device."""
    found = {
        one.dimension: to_quantity(one.remaining, one.exponent, one.notation)
        for one in Balance.objects.filter(device=device)
    }
    return {name: quantity for name, quantity in found.items() if quantity is not None}


def _found(cluster: str = "", **narrowed: Any) -> Found:
    """Of the named cluster, or of the only one."""
    known = Cluster.objects.filter(name=cluster) if cluster else Cluster.objects.all()
    return largest.of_cluster(known.get(), **narrowed)


def _stranded(row: RoomRow) -> dict[str, Quantity]:
    return {one.dimension: one.quantity for one in row.stranded}


def test_recorded_room_agrees_with_the_books(recorded_cluster: Cluster) -> None:
    rows = _found().rows
    told = [(row, one) for row in rows for one in (row.memory, row.cores) if one is not None]
    assert len(told) == 9
    for row, one in told:
        left = _remaining(one.device)
        # A request is rounded to steps of a mebibyte or one per cent; these amounts have none smaller.
        assert left[one.amount.dimension] == one.amount.quantity
        taken = {short_name(name): quantity for name, quantity in one.request}
        assert all(rest.quantity + taken[rest.dimension] == left[rest.dimension] for rest in one.beside)
        usable = Device.objects.filter(
            node__name__in=row.nodes, pool__driver=row.driver, product=row.product, tainted=False,
            state__in=(DeviceState.FREE, DeviceState.PARTLY_ALLOCATED),
        )  # fmt: skip
        most = [_remaining(device.pk)[one.amount.dimension] for device in usable]
        assert max(most, default=one.amount.quantity) == one.amount.quantity


def test_recorded_memory_without_cores_is_what_the_books_have_on_full_cards(
    recorded_cluster: Cluster,
) -> None:
    for row in _found().rows:
        full = Device.objects.filter(
            node__name__in=row.nodes,
            pool__driver=row.driver,
            product=row.product,
            shareable=True,
            tainted=False,
            state=DeviceState.FULL,
        )
        for dimension in largest.DIMENSIONS:
            left = [_remaining(device.pk).get(dimension, ZERO) for device in full]
            assert sum(one.nanos for one in left) == _stranded(row).get(dimension, ZERO).nanos, row.nodes


def test_recorded_products_are_the_best_of_their_nodes(recorded_cluster: Cluster) -> None:
    found = _found()
    products = {one.product: one for one in found.products}
    assert list(products) == [
        "Ascend310P3", "Fabric L40S", "NVIDIA A100-SXM4-80GB", "NVIDIA H100 80GB HBM3",
    ]  # fmt: skip
    a100 = products["NVIDIA A100-SXM4-80GB"]
    assert (a100.cards, a100.free) == (16, 6)
    assert a100.memory is not None
    assert a100.memory.memory is not None
    assert a100.memory.memory.amount.quantity == parse("80Gi")
    (stranded,) = a100.stranded
    rows = [row for row in found.rows if row.product == a100.product]
    assert stranded.quantity.nanos == sum(_stranded(row)["memory"].nanos for row in rows)
    # Partitions of one card count once.
    assert products["NVIDIA H100 80GB HBM3"].cards == 10


def test_cards_that_several_nodes_see_are_one_row(recorded_cluster: Cluster) -> None:
    (fabric,) = (row for row in _found().rows if row.product == "Fabric L40S")
    assert fabric.nodes == ("fabric-node-1", "fabric-node-2")
    (seen,) = (row for row in largest.of_node(Cluster.objects.get(), "fabric-node-2").rows)
    assert (seen.nodes, seen.cards, seen.memory) == (("fabric-node-2",), fabric.cards, fabric.memory)


def _most(one: LargestRow | None) -> tuple[str, str, list[str]]:
    assert one is not None
    return str(one.amount.quantity), one.name, [str(rest.quantity) for rest in one.beside]


def test_the_largest_is_that_of_one_card_with_what_it_has_beside(serve: Serve) -> None:
    held = _holding(a={"memory": "4Gi", "cores": "90"}, b={"memory": "14Gi", "cores": "20"})
    serve(*_nodes("node-1"), resource_slice(card("a"), card("b")), held)
    (row,) = _found().rows
    assert _most(row.memory) == ("20Gi", "a", ["10"])
    assert _most(row.cores) == ("80", "b", ["10Gi"])
    assert row.memory is not None
    assert row.memory.amount.unit is Unit.BYTES
    assert row.memory.beside[0].unit is Unit.PERCENT
    assert (row.cards, row.free, row.stranded) == (2, 0, ())


def test_of_cards_with_as_much_memory_the_one_with_more_cores_is_told(serve: Serve) -> None:
    held = _holding(a={"memory": "4Gi", "cores": "90"}, b={"memory": "4Gi", "cores": "20"})
    serve(*_nodes("node-1"), resource_slice(card("a"), card("b")), held)
    (row,) = _found().rows
    assert _most(row.memory) == ("20Gi", "b", ["80"])


def test_what_is_left_on_used_up_cards_is_stranded_either_way(serve: Serve) -> None:
    held = _holding(a={"memory": "4Gi", "cores": "100"}, b={"memory": "24Gi", "cores": "20"})
    serve(*_nodes("node-1"), resource_slice(card("a"), card("b")), held)
    found = _found()
    (row,) = found.rows
    assert (row.memory, row.cores, row.published) == (None, None, ("cores", "memory"))
    assert _stranded(row) == {"memory": parse("20Gi"), "cores": parse("80")}
    assert found.products[0].stranded == row.stranded


def test_a_device_that_two_sets_of_nodes_see_is_stranded_once(serve: Serve) -> None:
    shared = resource_slice(card("far"), name="far", pool="far", nodeName=None, allNodes=True)
    held = claim("held", {**result("far", consumedCapacity={"memory": "4Gi", "cores": "100"}), "pool": "far"})
    serve(*_nodes("node-1", "node-2"), resource_slice(card("near")), shared, held)
    found = _found()
    assert [row.nodes for row in found.rows] == [("node-1",), ("node-2",)]
    assert [_stranded(row) for row in found.rows] == [{"memory": parse("20Gi")}] * 2
    (product,) = found.products
    assert product.cards == 2
    assert {one.dimension: one.quantity for one in product.stranded} == {"memory": parse("20Gi")}


def test_a_tainted_card_gives_nothing_and_is_not_free(serve: Serve) -> None:
    taint = {"key": "broken", "effect": "NoSchedule"}
    serve(*_nodes("node-1"), resource_slice(card(taints=[taint])))
    (row,) = _found().rows
    assert (row.cards, row.free, row.barred, row.memory, row.stranded) == (1, 0, 1, None, ())


def test_what_has_no_card_is_no_product(serve: Serve) -> None:
    serve(*_nodes("node-1"), resource_slice(card("nic-0", capacity={}), driver="nic.example.com"))
    assert _found().products == ()


def test_it_is_told_of_one_cluster_and_of_some_products(serve: Serve) -> None:
    other = card("b", attributes={"productName": {"string": "T4"}})
    serve(*_nodes("node-1"), resource_slice(card("a"), other), name="one")
    serve(*_nodes("node-1"), resource_slice(card("c")), name="two")
    assert [(row.cluster, row.product) for row in _found("one").rows] == [
        ("one", "NVIDIA L4"), ("one", "T4"),
    ]  # fmt: skip
    assert [row.cluster for row in _found("two").rows] == ["two"]
    assert [row.product for row in _found("one", products=["T4"]).rows] == ["T4"]


def test_the_request_that_gets_it_names_every_dimension(serve: Serve) -> None:
    serve(*_nodes("node-1"), resource_slice(card("a")), _holding(a={"memory": "4Gi", "cores": "90"}))
    (row,) = _found().rows
    assert row.memory is not None
    assert [(name, str(quantity)) for name, quantity in row.memory.request] == [
        ("memory", "20Gi"), ("cores", "0"),
    ]  # fmt: skip
    (omitted,) = row.memory.omitted
    assert (omitted.amount.dimension, str(omitted.amount.quantity), omitted.left) == ("cores", "100", False)


def test_a_default_that_is_the_least_is_not_told(serve: Serve) -> None:
    least = {"default": "10", "validRange": {"min": "10", "step": "10"}}
    capacity = {"memory": {"value": "24Gi"}, "cores": {"value": "100", "requestPolicy": least}}
    serve(*_nodes("node-1"), resource_slice(card("a", capacity=capacity)))
    (row,) = _found().rows
    assert row.memory is not None
    assert row.memory.omitted == ()
    assert row.cores is not None
    assert [one.amount.dimension for one in row.cores.omitted] == ["memory"]


def test_a_card_that_is_not_shared_leaves_nothing(serve: Serve) -> None:
    serve(*_nodes("node-1"), resource_slice(card("a", allowMultipleAllocations=False)))
    (row,) = _found().rows
    assert row.memory is not None
    assert (row.memory.whole, row.memory.request, row.memory.beside) == (True, (), ())


def test_nodes_for_which_there_was_no_time_are_counted(serve: Serve) -> None:
    serve(*_nodes("node-1", "node-2"), resource_slice(card("a")))
    found = _found(seconds=0)
    assert (found.nodes_left, found.rows, largest.is_whole(found)) == (2, (), False)
    assert largest.of_node(Cluster.objects.get(), "node-1", seconds=0).nodes_left == 1
    assert largest.is_whole(_found())


def test_a_node_may_see_its_own_cards_and_those_of_no_node(serve: Serve) -> None:
    far = resource_slice(card("far"), name="far", pool="far", nodeName=None, allNodes=True)
    nic = resource_slice(card("nic-0", capacity={}), driver="nic.example.com")
    serve(*_nodes("node-1", "node-2"), nic, name="none")
    assert not largest.may_see_cards("none", "node-1")
    serve(*_nodes("node-1", "node-2"), resource_slice(card()), name="own")
    assert largest.may_see_cards("own", "node-1")
    assert not largest.may_see_cards("own", "node-2")
    serve(*_nodes("node-1", "node-2"), far, name="any")
    assert largest.may_see_cards("any", "node-2")


@pytest.mark.django_db
def test_of_a_cluster_that_was_never_read_nothing_is_known() -> None:
    make_cluster("lab")
    found = _found()
    assert found.rows == ()
    assert found.doubts == ("never read from cluster lab: resourceslices, resourceclaims, deviceclasses",)


def test_it_takes_as_many_queries_for_many_nodes_as_for_few(serve: Serve) -> None:
    def queries(name: str, nodes: int) -> int:
        names = [f"node-{number}" for number in range(nodes)]
        slices: list[Any] = [
            resource_slice(card(), card("hami-gpu-1"), name=one, pool=one, nodeName=one) for one in names
        ]
        serve(*_nodes(*names), *slices, name=name)
        with CaptureQueriesContext(connection) as asked:
            assert len(_found(name).rows) == nodes
        return len(asked)

    few = queries("few", 2)
    assert queries("many", 40) == few
