"""What stands around every page: the way to the API, and how fresh and how whole the page is."""

import html
import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.utils import timezone

from inventory.models import Claim, Cluster, Device, KindState, Node, Pod
from tests.dashboard.pages.conftest import Get
from tests.factories import make_cluster, make_device, make_pool


def _links(page: str) -> list[str]:
    return [html.unescape(link) for link in re.findall(r'href="(/api/v1/[^"]*)"', page)]


def _paths() -> list[str]:
    device, node = Device.objects.get(name="hami-gpu-1", node__name="gpu-node-2"), Node.objects.first()
    claim, pod = Claim.objects.first(), Pod.objects.first()
    assert node
    assert claim
    assert pod
    return [
        *("/", "/?cluster=lab-1", "/nodes/?product=Ascend310P3", "/pods/?q=a", "/claims/?state=pending"),
        *("/devices/?view=table&ordering=-key&page=1", "/devices/?show=others&q=n", "/clusters/"),
        *(f"/devices/{device.pk}/", f"/nodes/{node.pk}/", f"/pods/{pod.pk}/", f"/claims/{claim.pk}/"),
        "/clusters/lab-1/",
    ]


def test_every_link_to_the_api_answers(recorded_cluster: Cluster, get: Get, signed_in: Client) -> None:
    for path in _paths():
        links = _links(get(path))
        assert links, path
        for link in links:
            assert signed_in.get(link).status_code == 200, (path, link)


def test_the_api_has_the_rows_of_the_page(recorded_cluster: Cluster, get: Get, signed_in: Client) -> None:
    cards = _links(get("/devices/?view=table&product=Ascend310P3"))[-2]
    others = _links(get("/devices/?show=others"))[-2]
    assert {row["product"] for row in signed_in.get(cards).json()["results"]} == {"Ascend310P3"}
    assert {row["accelerator"] for row in signed_in.get(others).json()["results"]} == {False}


@pytest.mark.django_db
@pytest.mark.parametrize("query", ["room=8 GiB", "state=free", "from=a&to=b", "product=-"])
def test_a_condition_on_cards_only_leads_to_no_other_rows(get: Get, query: str) -> None:
    make_device()
    assert not _links(get(f"/devices/?view=table&{query}"))


@pytest.mark.django_db
def test_the_page_of_a_thing_has_no_table(get: Get) -> None:
    device = make_device()
    assert [link for link in _links(get(f"/devices/{device.pk}/")) if "/devices/" in link] == [
        f"/api/v1/devices/{device.pk}/"
    ]


@pytest.mark.django_db
def test_what_a_form_left_empty_goes_out_of_the_address(signed_in: Client) -> None:
    answer = signed_in.get("/devices/?cluster=&product=A100&state=&team=&view=table")
    assert answer["Location"] == "/devices/?product=A100&view=table"
    assert signed_in.get("/pods/?q=&state=")["Location"] == "/pods/"


@pytest.mark.django_db
def test_cards_without_a_product_can_be_asked_for(read: Get, get: Get) -> None:
    make_device("named")
    make_device("nameless", product="")
    assert 'href="/devices/?product=-"' in get("/")
    page = read("/devices/?view=table&product=-")
    assert "nameless" in page
    assert "named node-1" not in page


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/devices/", "/devices/?view=wall", "/nodes/", "/pods/", "/claims/"])
def test_a_list_that_was_never_read_is_not_empty_but_unread(read: Get, path: str) -> None:
    make_cluster("new", observed_at=None)
    page = read(path)
    assert "not read yet" in page
    assert "There is no" not in page
    assert "0 free" not in page


@pytest.mark.django_db
def test_the_overview_of_what_was_never_read_has_no_zero(read: Get) -> None:
    make_cluster("new", observed_at=None)
    page = read("/")
    assert "Not read yet: nothing is known of it." in page
    assert not re.search(r"\b0 ", page)


@pytest.mark.django_db
def test_numbers_say_which_clusters_they_leave_out(read: Get) -> None:
    make_device()
    make_cluster("new", observed_at=None)
    for path in ("/", "/devices/", "/pods/"):
        assert "1 cluster is not in these numbers: it was never read." in read(path)
    assert "not in these numbers" not in read("/?cluster=lab")


@pytest.mark.django_db
def test_the_age_of_a_page_is_that_of_its_clusters_and_kinds(read: Get) -> None:
    now = timezone.now()
    make_device(pool=make_pool(cluster=make_cluster("young", observed_at=now)))
    make_cluster("old", observed_at=now - timedelta(hours=5))
    assert "read 5 h ago" in read("/devices/")
    page = read("/devices/?cluster=young")
    assert re.search(r"read \d s ago", page)
    assert "stale" not in page


@pytest.mark.django_db
def test_a_page_tells_only_of_kinds_that_it_rests_on(read: Get) -> None:
    now = timezone.now()
    cluster = make_cluster(observed_at=now)
    KindState.objects.create(cluster=cluster, kind="pods", state=KindState.State.FORBIDDEN, succeeded_at=now)
    assert "not allowed to read pods" in read("/pods/")
    assert "not allowed to read" not in read("/devices/")


@pytest.mark.django_db
def test_a_failing_cluster_that_is_stale_says_both(read: Get) -> None:
    long_ago = timezone.now() - timedelta(hours=3)
    make_cluster(observed_at=long_ago, error_reason="refused", error_message="connection refused")
    for path in ("/", "/clusters/lab/"):
        page = read(path)
        assert re.search("the last reading failed *, stale since", page)
    assert "reading failed, stale since" in read("/")
    assert "reading failed stale" in read("/clusters/lab/")


@pytest.mark.django_db
def test_troubles_are_one_line_each_and_folded_after_two(get: Get) -> None:
    for name in ("a", "b", "c", "d"):
        make_cluster(name, observed_at=timezone.now(), error_reason="refused", error_message="refused")
    page = get("/pods/")
    folded = page.index('<details class="more">')
    assert page.count('class="banner bad"') == 4
    assert page[:folded].count('class="banner bad"') == 2
    assert "2 more clusters need a look" in page


@pytest.mark.django_db
def test_a_long_answer_is_cut_and_whole_on_the_page_of_its_cluster(read: Get) -> None:
    message = "HTTP 502 from the proxy: <html><body><h1>Bad gateway</h1></body></html>"
    make_cluster(observed_at=timezone.now(), error_reason="http", error_message=message)
    page = read("/pods/")
    assert "HTTP 502 from the proxy: …" in page
    assert "<h1>" not in page
    assert message in read("/clusters/lab/")


@pytest.mark.django_db
def test_a_page_knows_when_it_will_be_too_old(get: Get) -> None:
    now = timezone.now()
    make_cluster(observed_at=now)
    assert f'data-as-of="{now.isoformat()}" data-limit="' in get("/pods/")


@pytest.mark.parametrize("path", ["/devices/", "/nodes/", "/pods/", "/claims/", "/teams/", "/changes/", "/"])
def test_a_page_is_never_older_than_it_says(recorded_cluster: Cluster, get: Get, path: str) -> None:
    """A poll that ends while the rows of the page are read."""
    ended: list[str] = []

    def poll(execute: Callable[..., Any], sql: str, parameters: Any, many: bool, context: Any) -> Any:
        found = execute(sql, parameters, many, context)
        if not ended and re.match(r'SELECT "inventory_(?!cluster|kindstate)', sql):
            ended.append(sql)
            Cluster.objects.update(revision=F("revision") + 1)
        return found

    recorded_cluster.refresh_from_db()
    with connection.execute_wrapper(poll):
        page = get(path)
    assert ended
    told = json.loads(re.findall(r'<script id="live-data"[^>]*>(.*?)</script>', page)[0])
    assert told["generations"] == {recorded_cluster.name: recorded_cluster.revision}


_EMPTY = [
    ("/devices/?view=table", "resourceslices"),
    ("/devices/?view=bars", "resourceslices"),
    ("/devices/?view=wall", "resourceslices"),
    ("/devices/?show=others", "resourceslices"),
    ("/nodes/", "resourceslices"),
    ("/pods/", "pods"),
    ("/claims/", "resourceclaims"),
]


def _state(kind: str, state: KindState.State = KindState.State.READ, **fields: Any) -> None:
    now = timezone.now()
    cluster = make_cluster(observed_at=now)
    for other in {"resourceslices", "resourceclaims", "pods", "nodes"} - {kind}:
        KindState.objects.create(cluster=cluster, kind=other, state=KindState.State.READ, succeeded_at=now)
    KindState.objects.create(cluster=cluster, kind=kind, state=state, **fields)


@pytest.mark.django_db
@pytest.mark.parametrize(("path", "kind"), _EMPTY)
def test_a_list_of_what_may_not_be_read_is_not_empty_but_forbidden(read: Get, path: str, kind: str) -> None:
    _state(kind, KindState.State.FORBIDDEN)
    page = read(path)
    assert page.count(f"not allowed to read {kind}") == 2
    assert "There is no" not in page
    assert not re.search(r"\b0 (free|cards)|\b(Nodes|Devices|Pods|Claims) 0 (Not all|not allowed)", page)


@pytest.mark.django_db
@pytest.mark.parametrize(("path", "kind"), _EMPTY)
def test_a_list_of_a_kind_that_was_never_read_is_unread(read: Get, path: str, kind: str) -> None:
    _state(kind, KindState.State.NEVER)
    page = read(path)
    assert f"not read yet : {kind}" in page or f"not read yet: {kind}" in page
    assert "There is no" not in page


@pytest.mark.django_db
@pytest.mark.parametrize(("path", "kind"), _EMPTY)
def test_an_empty_list_of_which_objects_were_skipped_is_incomplete(read: Get, path: str, kind: str) -> None:
    _state(kind, succeeded_at=timezone.now(), objects_skipped=2)
    page = read(path)
    assert "There is no" in page
    assert f"incomplete: not every object could be read of {kind}" in page


@pytest.mark.django_db
@pytest.mark.parametrize(("path", "kind"), _EMPTY)
def test_an_empty_list_of_what_was_read_says_why(read: Get, path: str, kind: str) -> None:
    _state(kind, succeeded_at=timezone.now(), objects_skipped=0)
    page = read(path)
    assert re.search(r"There is no \w+( \w+)?\. (No|Every|What)", page)
    assert "incomplete" not in page
    assert "not allowed" not in page


@pytest.mark.django_db
def test_places_have_no_number_of_what_may_not_be_read(get: Get) -> None:
    _state("resourceclaims", KindState.State.FORBIDDEN)
    page = get("/")
    numbers = {
        name: re.search(rf'href="/{name}/"[^>]*>(?:(?!</a>).)*\b0\b', page, re.DOTALL) is not None
        for name in ("devices", "pods", "claims")
    }
    assert numbers == {"devices": True, "pods": True, "claims": False}
