import pytest

from dashboard.api.urls import RESOURCES
from tests.dashboard.api.conftest import Get
from tests.factories import make_device, make_node


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("colour=red", "colour"),
        ("fields=name,nope", "fields"),
        ("fields=", "fields"),
        ("state=broken", "state"),
        ("state=free&state=broken", "state"),
        ("cluster=nowhere", "cluster"),
        ("team=nobody", "team"),
        ("node=", "node"),
        ("node=a&node=", "node"),
        ("q=%00", "q"),
        ("label_selector=a in (b", "label_selector"),
        ("accelerator=yes", "accelerator"),
        ("ordering=colour", "ordering"),
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("limit=-1", "limit"),
        ("limit=ten", "limit"),
        ("limit=1&limit=2", "limit"),
        ("limit=٣", "limit"),
        ("offset=-1", "offset"),
        ("offset=99999999999", "offset"),
        ("cursor=nope", "cursor"),
        ("cursor=aWQ6eA", "cursor"),
        ("cursor=start&offset=0", "offset"),
        ("cursor=start&ordering=name", "ordering"),
        ("format=xml", "format"),
        ("format=csv&format=json", "format"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_named(get: Get, query: str, field: str) -> None:
    body = get(f"devices/?{query}", status=400)
    assert [error["field"] for error in body["errors"]] == [field]
    assert field in body["detail"]


def test_every_wrong_parameter_is_named_at_once(get: Get) -> None:
    body = get("devices/?colour=red&size=big", status=400)
    assert [error["field"] for error in body["errors"]] == ["colour", "size"]


@pytest.mark.parametrize("name", RESOURCES)
def test_no_resource_ignores_a_parameter(get: Get, name: str) -> None:
    assert get(f"{name}/?colour=red", status=400)["errors"][0]["field"] == "colour"


def test_an_item_knows_no_filters(get: Get) -> None:
    assert get(f"devices/{make_device().pk}/?node=n1", status=400)["errors"][0]["field"] == "node"


def test_a_name_that_nothing_has_is_an_empty_list_and_no_mistake(get: Get) -> None:
    assert get("devices/?node=gone")["results"] == []


def test_repeated_parameters_are_alternatives(get: Get) -> None:
    for name in ("a", "b", "c"):
        make_device(name, node=make_node(f"node-{name}"))
    found = get("devices/?node=node-a&node=node-c&fields=name")["results"]
    assert found == [{"name": "a"}, {"name": "c"}]


def test_the_order_may_be_turned_round(get: Get) -> None:
    for name in ("a", "b"):
        make_device(name)
    assert get("devices/?ordering=-name&fields=name")["results"] == [{"name": "b"}, {"name": "a"}]
