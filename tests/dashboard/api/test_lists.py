from decimal import Decimal
from urllib.parse import urlsplit

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from dashboard.api.urls import RESOURCES
from inventory.models import Device, Pool, TeamQuota
from tests.dashboard.api.conftest import Get
from tests.factories import (
    READ_AT,
    make_balance,
    make_claim,
    make_cluster,
    make_device,
    make_namespace,
    make_node,
    make_pod,
    make_pool,
    make_share,
    make_team,
)


def names(body: dict[str, list[dict[str, str]]]) -> list[str]:
    return [one["name"] for one in body["results"]]


def make_devices(count: int, pool: Pool | None = None) -> None:
    pool = pool or make_pool()
    start = Device.objects.count()
    Device.objects.bulk_create(
        Device(cluster=pool.cluster, pool=pool, name=f"gpu-{number:04}", position=number)
        for number in range(start, start + count)
    )


def test_a_list_says_how_many_there_are_and_what_it_rests_on(get: Get) -> None:
    make_device()
    body = get("devices/")
    assert list(body) == ["count", "next", "previous", "as_of", "stale", "results"]
    assert (body["count"], body["next"], body["previous"]) == (1, None, None)
    assert body["as_of"] == "2026-11-29T15:00:00Z"


def test_a_device_is_given_as_the_contract_has_it(get: Get) -> None:
    device = make_device("npu-0-0", node=make_node("n1"), bottleneck="cores")
    make_balance(device, "cores", "100", "50")
    make_balance(device, "memory", None, "8Gi", reason="not published")

    body = get("devices/")["results"][0]

    assert body["capacity"]["cores"] == {
        "total": {"quantity": "100", "value": 100},
        "allocated": {"quantity": "50", "value": 50},
        "remaining": {"quantity": "50", "value": 50},
        "ratio": Decimal("0.500000"),
        "reason": None,
        "request_policy": None,
    }
    assert body["capacity"]["memory"]["total"] is None
    assert body["capacity"]["memory"]["reason"] == "not published"
    assert body["bottleneck"] == {"dimension": "cores", "ratio": Decimal("0.500000")}
    assert (body["node"], body["state"], body["teams"]) == ("n1", "free", [])


def test_an_item_says_what_it_rests_on_too(get: Get) -> None:
    device = make_device("npu-0-0")
    body = get(f"devices/{device.pk}/")
    assert (body["name"], body["as_of"], body["stale"]) == ("npu-0-0", "2026-11-29T15:00:00Z", True)


def test_pages_follow_each_other_by_limit_and_offset(get: Get) -> None:
    make_devices(5)
    first = get("devices/?limit=2")
    second = get(_path(first["next"]))
    last = get(_path(second["next"]))
    assert names(first) + names(second) + names(last) == [f"gpu-{number:04}" for number in range(5)]
    assert last["next"] is None
    assert names(get(_path(last["previous"]))) == names(second)
    assert names(get(_path(second["previous"]))) == names(first)


def test_a_page_past_the_end_is_empty(get: Get) -> None:
    make_devices(1)
    assert get("devices/?offset=7")["results"] == []


def test_links_keep_every_value_of_a_repeated_parameter(get: Get) -> None:
    for name in ("a", "b", "c"):
        make_device(name)
    following = get("devices/?device=a&device=b&limit=1")["next"]
    assert names(get(_path(following))) == ["b"]


def test_a_cursor_goes_through_everything_once_without_a_count(get: Get) -> None:
    make_devices(5)
    body = get("devices/?cursor=start&limit=2")
    found = names(body)
    while body["next"]:
        assert body["count"] is None
        body = get(_path(body["next"]))
        found += names(body)
    assert found == [f"gpu-{number:04}" for number in range(5)]


def test_a_cursor_is_not_moved_by_what_goes_away_before_it(get: Get) -> None:
    make_devices(4)
    body = get("devices/?cursor=start&limit=2")
    Device.objects.get(name="gpu-0000").delete()
    assert names(get(_path(body["next"]))) == ["gpu-0002", "gpu-0003"]


def test_only_the_fields_asked_for_are_given(get: Get) -> None:
    device = make_device("npu-0-0")
    assert get("devices/?fields=name,state")["results"] == [{"name": "npu-0-0", "state": "free"}]
    assert set(get(f"devices/{device.pk}/?fields=name")) == {"name", "as_of", "stale"}


def test_the_oldest_cluster_asked_for_is_what_an_answer_rests_on(get: Get) -> None:
    make_cluster("old", observed_at=READ_AT)
    make_cluster("never", observed_at=None)
    assert get("devices/")["as_of"] == "2026-11-29T15:00:00Z"
    assert get("devices/?cluster=never")["as_of"] is None
    assert get("devices/?cluster=never")["stale"] is True


@pytest.mark.parametrize("name", RESOURCES)
def test_every_resource_has_a_list_and_items(get: Get, name: str) -> None:
    _one_of_each()
    body = get(f"{name}/")
    assert body["results"], name
    first = body["results"][0]
    item = get(f"{name}/{first['slug' if name == 'teams' else 'id']}/")
    assert {**item, **first}.keys() == item.keys()


@pytest.mark.parametrize("name", RESOURCES)
def test_head_is_answered_without_a_body(api: Client, name: str) -> None:
    response = api.head(f"/api/v1/{name}/")
    assert (response.status_code, response.content) == (200, b"")


# Token, user; clusters with their counts, their kinds, teams; count, devices, balances, shares.
_DEVICE_QUERIES = 9


def test_a_thousand_devices_cost_as_many_queries_as_ten(
    api: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_devices(10)
    # It is noted that the token was used, once in a while.
    api.get("/api/v1/devices/")
    with django_assert_num_queries(_DEVICE_QUERIES):
        assert len(api.get("/api/v1/devices/?limit=1000").json()["results"]) == 10
    make_devices(990)
    with django_assert_num_queries(_DEVICE_QUERIES):
        assert len(api.get("/api/v1/devices/?limit=1000").json()["results"]) == 1000


@pytest.mark.parametrize("name", RESOURCES)
def test_more_rows_cost_no_more_queries(
    api: Client, django_assert_max_num_queries: DjangoAssertNumQueries, name: str
) -> None:
    _one_of_each()
    with django_assert_max_num_queries(100) as few:
        api.get(f"/api/v1/{name}/")
    for _ in range(12):
        _one_of_each()
    with django_assert_max_num_queries(len(few)):
        api.get(f"/api/v1/{name}/")


def _one_of_each() -> None:
    number = Device.objects.count()
    cluster = make_cluster(f"lab-{number}")
    node = make_node("n1", cluster=cluster)
    device = make_device("gpu-0", pool=make_pool(cluster=cluster), node=node)
    make_balance(device, "memory", "80Gi", "8Gi")
    team = make_team(f"team-{number}")
    TeamQuota.objects.create(team=team, dimension="memory", quantity="320Gi")
    claim = make_claim(namespace=make_namespace(cluster=cluster, team=team))
    cluster.device_classes.create(name="gpu", uid="1")
    make_share(device, claim, consumed={"memory": "8Gi"})
    make_pod(uses=claim, node=node)


def _path(url: str) -> str:
    split = urlsplit(url)
    return f"{split.path.removeprefix('/api/v1/')}?{split.query}"
