import json
import re
from typing import Any

import pytest

from dashboard.pages.devices import fitting_view
from inventory.models import Cluster, Node
from inventory.models.devices import DeviceState
from inventory.queries import wall
from tests.dashboard.pages.conftest import Get
from tests.factories import make_balance, make_cluster, make_device, make_node, make_pool, make_share


def _island(page: str, name: str) -> Any:
    match = re.search(rf'<script id="{name}" type="application/json">(.*?)</script>', page)
    assert match
    return json.loads(match[1])


def _cells(page: str) -> list[Any]:
    columns = (column for group in _island(page, "wall-data")["groups"] for column in group["columns"])
    return [cell for column in columns for cell in column["cells"]]


def test_few_cards_are_bars_and_every_view_is_in_the_url(recorded_cluster: Cluster, get: Get) -> None:
    page = get("/devices/")
    assert 'data-figure="cards-figure"' in page
    for view in ("bars", "wall", "groups", "table"):
        assert f'href="?view={view}"' in page


def test_every_card_is_a_bar_and_a_row(recorded_cluster: Cluster, get: Get) -> None:
    page = get("/devices/?view=bars")
    figure = _island(page, "cards-figure")
    assert len({href for trace in figure["data"] for href in trace["customdata"]}) == 35
    assert page.count('scope="rowgroup"') == 35


def test_the_bars_have_one_trace_for_each_team(recorded_cluster: Cluster, get: Get) -> None:
    figure = _island(get("/devices/?view=bars"), "cards-figure")
    # The free track, and nlp, vision, batch, fabric, gang and quota; infra has admin access only.
    assert len(figure["data"]) == 7


def test_the_wall_has_a_cell_for_every_card(recorded_cluster: Cluster, get: Get) -> None:
    assert len(_cells(get("/devices/?view=wall"))) == 35


def test_filters_keep_the_cells_of_the_wall_in_place_and_grey_the_rest(
    recorded_cluster: Cluster, get: Get
) -> None:
    cells = _cells(get("/devices/?view=wall&product=Ascend310P3"))
    assert len(cells) == 35
    assert len([cell for cell in cells if not cell[1] & 2]) == 5


def test_the_wall_in_numbers_adds_up(recorded_cluster: Cluster, read: Get) -> None:
    page = read("/devices/?view=wall")
    assert "NVIDIA A100-SXM4-80GB 2 16 6 5 5 0 0 0 0 73 % 45 %" in page
    assert "All 6 35 11 9 14 0 1 0 3 58 % 48 %" in page


def test_a_node_of_the_wall_opens_in_place_under_its_own_url(recorded_cluster: Cluster, read: Get) -> None:
    node = Node.objects.get(name="gpu-node-2")
    page = read(f"/devices/?view=wall&at=n{node.pk}")
    assert "gpu-node-2 8 cards, NVIDIA A100-SXM4-80GB Open node" in page
    assert "hami-gpu-1 3 shares" in page
    assert read(f"/devices/at/n{node.pk}/") in page


@pytest.mark.django_db
@pytest.mark.parametrize("at", ["n1", "p1", "x1", "n", "n" + "9" * 30, "nä"])
def test_a_column_that_is_not_there_is_not_found(get: Get, at: str) -> None:
    get(f"/devices/at/{at}/", 404)


@pytest.mark.django_db
def test_what_is_left_of_cards_whose_numbers_are_not_known_is_not_known_either(read: Get) -> None:
    make_balance(make_device("gpu-0", state=DeviceState.UNKNOWN), "memory", None, None)
    assert "A100 0 1 0 0 0 0 0 1 0 not known not known" in read("/devices/?view=wall")


@pytest.mark.django_db
def test_past_the_largest_wall_a_cell_is_a_run_of_nodes(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wall, "LARGEST", 4)
    monkeypatch.setattr(wall, "BLOCKS", 2)
    for number in range(6):
        node = make_node(f"node-{number}")
        make_device(f"gpu-{number}", pool=make_pool(f"node-{number}"), node=node)
    page = get("/devices/?view=wall")
    columns = _island(page, "wall-data")["groups"][0]["columns"]
    assert [column["name"] for column in columns] == ["node-0", "node-3"]
    assert columns[0]["href"].endswith("view=wall&from=node-0&to=node-2&cluster=lab")
    inside = _cells(get("/devices/?view=wall&from=node-0&to=node-2&cluster=lab"))
    assert len(inside) == 3


@pytest.mark.parametrize(
    ("cards", "view"),
    [(0, "bars"), (128, "bars"), (129, "wall"), (5000, "wall"), (5001, "groups"), (50_000, "groups")],
)
def test_the_picture_fits_the_number_of_cards(cards: int, view: str) -> None:
    assert fitting_view(cards) == view


@pytest.mark.django_db
def test_what_is_too_much_for_a_wall_is_told_and_shown_in_groups(
    read: Get, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wall, "LARGEST", 1)
    make_device("gpu-0")
    make_device("gpu-1")
    assert "A wall has at most 1 cards; here are groups of nodes instead" in read("/devices/?view=wall")
    assert 'href="?view=groups" aria-current="true"' in get("/devices/?view=wall")
    assert "A wall has at most" not in read("/devices/?view=groups")


def test_groups_can_be_asked_for_of_few_cards_too(recorded_cluster: Cluster, get: Get) -> None:
    groups = _island(get("/devices/?view=groups&product=Ascend310P3"), "wall-data")["groups"]
    assert [len(group["columns"]) for group in groups] == [2]
    assert groups[0]["columns"][0]["href"].startswith("/devices/?view=wall&product=Ascend310P3&from=")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("state=odd", "state 'odd' is not one of free, partly_allocated"),
        ("view=pie", "view “pie” is none of bars, wall, groups, table"),
        ("page=0", "page “0” is not the number of a page; 1 is the first"),
        ("page=two", "page “two” is not the number of a page; 1 is the first"),
        ("cluster=nowhere", "cluster 'nowhere' is not known here"),
        ("room=much", "room 'much' is not a Kubernetes quantity"),
        ("ordering=colour", "ordering"),
    ],
)
def test_a_query_that_cannot_be_answered_is_told_as_it_is(read: Get, query: str, fault: str) -> None:
    make_device()
    assert fault in read(
        f"/devices/?view=table&{query}" if "view" not in query else f"/devices/?{query}", 400
    )


@pytest.mark.django_db
def test_a_page_past_the_last_is_not_found(read: Get) -> None:
    assert "There is no page 9; the last is 1." in read("/devices/?view=table&page=9", 404)


@pytest.mark.django_db
def test_an_empty_list_says_what_was_searched_and_offers_to_clear_it(read: Get, get: Get) -> None:
    make_device()
    path = "/devices/?view=table&product=H100"
    assert "There is no card with: Product H100. Clear the filters" in read(path)
    assert 'href="?view=table"' in get(path)


@pytest.mark.django_db
def test_room_finds_cards_that_leave_so_much(read: Get) -> None:
    roomy, used_up = make_device("roomy"), make_device("used-up", state=DeviceState.FULL)
    for device, cores in ((roomy, "70"), (used_up, "100")):
        make_balance(device, "memory", "80Gi", "72Gi")
        make_balance(device, "cores", "100", cores)
    page = read("/devices/?view=table&room=8 GiB, 30 %")
    assert "roomy" in page
    assert "used-up" not in page
    assert "There is no card" in read("/devices/?view=table&room=9 GiB")
    assert "There is no card" in read("/devices/?view=table&room=8 GiB, 31 %")


@pytest.mark.django_db
def test_tables_come_in_pages_that_keep_the_query(get: Get) -> None:
    pool = make_pool()
    for number in range(51):
        make_device(f"gpu-{number:02}", pool=pool)
    page = get("/devices/?view=table&ordering=-key&state=free")
    assert "gpu-50" in page
    assert "gpu-00" not in page
    assert 'href="?view=table&amp;ordering=-key&amp;state=free&amp;page=2"' in page
    assert 'aria-sort="descending"' in page


@pytest.mark.django_db
def test_what_is_not_known_is_neither_a_dash_nor_zero(read: Get) -> None:
    device = make_device(state=DeviceState.NOT_PUBLISHED)
    make_balance(device, "memory", None, "8Gi", reason="no current slice lists the device")
    page = read("/devices/?view=table")
    assert "not known" in page
    assert "0 GiB" not in page


@pytest.mark.django_db
def test_devices_that_are_no_cards_have_a_table_of_their_own(read: Get) -> None:
    nic = make_device("nic-0", accelerator=False, pool=make_pool(driver="nic.example.com"))
    make_share(nic)
    assert "nic-0" not in read("/devices/?view=table")
    assert "nic-0 nic.example.com" in read("/devices/?show=others")


@pytest.mark.django_db
def test_the_foot_leads_to_the_same_rows_in_the_api(get: Get) -> None:
    make_device(pool=make_pool(cluster=make_cluster("lab")))
    page = get("/devices/?view=table&cluster=lab&product=A100&page=1")
    assert 'href="/api/v1/devices/?cluster=lab&amp;product=A100&amp;accelerator=true"' in page
    assert 'href="/api/v1/devices/?cluster=lab&amp;product=A100&amp;accelerator=true&amp;format=csv"' in page


def test_groups_have_a_row_for_each_cell(recorded_cluster: Cluster, get: Get, read: Get) -> None:
    page = get("/devices/?view=groups")
    rows = re.findall(r'<tr><th scope="row"><a href="[^"]*&amp;from=[^"]*">', page)
    assert len(rows) == len(_cells(page)) > 2
    assert "gpu-node-2" in read("/devices/?view=groups")
