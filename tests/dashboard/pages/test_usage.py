"""Pages of usage: numbers, gaps, empty states, and what is no question."""

import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from dashboard.pages.usage_question import presets, question_of
from inventory.models import Membership, RollUp, Team
from inventory.rollups.adding import add_up
from inventory.rollups.pruning import forget_of
from tests.counting import questions
from tests.dashboard.pages.conftest import Get
from tests.factories import make_cluster, make_team
from tests.past import after, make_coverage, make_held, make_published, make_used

pytestmark = pytest.mark.django_db
MARCH = "from=2026-03-01&to=2026-03-04"
QUARTER = {"memory": "20Gi", "cores": "10"}


@pytest.fixture
def past() -> None:
    """Two teams on one card; the second day was not read."""
    make_coverage(0, 24)
    make_coverage(48, 1000)
    make_published()
    make_team("vision")
    Team.objects.update(colour=1)
    make_held(start=6, end=30, consumed=QUARTER)
    make_held(start=50, end=54, consumed=QUARTER)
    make_held(start=3, end=7, consumed={"memory": "40Gi"}, team_slug="canary", namespace="canary-prod")


def figure(page: str, name: str) -> Any:
    found = re.search(rf'id="{name}"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def member_of(team: str) -> Client:
    user = User.objects.create_user(f"member-of-{team}")
    Membership.objects.create(user=user, team=Team.objects.get(slug=team), role="member")
    client = Client()
    client.force_login(user)
    return client


def test_the_page_tells_in_one_sentence_what_was_held(past: None, read: Get) -> None:
    told = read(f"/usage/?{MARCH}")
    assert "7.5 h of card-equivalents were held, of 48 h of cards that there were: 16 %." in told
    assert "Not read, and in no number: lab for 24 h." in told
    assert "2026-03-01 to 2026-03-03" in told


def test_the_table_has_each_group_and_the_sums(past: None, read: Get) -> None:
    told = read(f"/usage/?{MARCH}")
    assert "canary A100 gpu.example.com 2 h 4 h 4 h 160 GiB·h" in told
    assert "Vision A100 gpu.example.com 5.5 h 22 h 22 h 440 GiB·h 220 h" in told
    assert "in all A100 7.5 h 25 h 25 h 600 GiB·h" in told
    assert "there were A100 48 h 3,840 GiB·h 4,800 h" in told


@pytest.mark.parametrize(
    ("group", "words"),
    [
        ("namespace", "team-vision lab"),
        ("workload", "no Pod"),
        ("product", "A100 gpu.example.com 7.5 h"),
        ("driver", "gpu.example.com"),
        ("node", "node-1 lab"),
        ("cluster", "lab"),
    ],
)
def test_it_is_added_up_by_any_group(past: None, read: Get, group: str, words: str) -> None:
    assert words in read(f"/usage/?{MARCH}&group_by={group}")


def test_by_product_each_line_is_a_sum_already(past: None, read: Get) -> None:
    told = read(f"/usage/?{MARCH}&group_by=product")
    held = "A100 gpu.example.com 7.5 h 25 h 25 h 600 GiB·h 220 h"
    assert f"{held} A100: there were 48 h 3,840 GiB·h 4,800 h" in told
    assert "in all" not in told


def test_of_each_cluster_it_is_told_for_how_long_it_was_not_read(past: None, read: Get) -> None:
    for name in ("edge", "test"):
        make_cluster(name)
    told = "Not read, and in no number: edge for 72 h; lab for 24 h; test for 72 h."
    assert told in read("/usage/?from=2026-03-01&to=2026-03-04")
    make_cluster("plant")
    assert "Of 4 clusters not all was read" in read("/usage/?from=2026-03-01&to=2026-03-04")


def test_it_can_be_sorted_by_its_numbers(past: None, read: Get, get: Get) -> None:
    for ordering, first, second in (("card_equivalents", "canary", "Vision"), ("-cards", "Vision", "canary")):
        told = read(f"/usage/?{MARCH}&ordering={ordering}")
        assert told.index(f"{first} A100") < told.index(f"{second} A100")
    assert 'aria-sort="descending"' in get(f"/usage/?{MARCH}&ordering=-cards")


def test_workloads_stand_with_their_kind(read: Get) -> None:
    make_coverage()
    make_published()
    make_used(make_held(end=2), end=2)
    assert "web Deployment · team-vision" in read(f"/usage/?{MARCH}&group_by=workload")


def test_where_nothing_was_read_the_area_breaks_off(past: None, get: Get) -> None:
    drawn = figure(get(f"/usage/?{MARCH}&step=day"), "area-figure")
    runs = {(trace["stackgroup"], tuple(trace["x"])) for trace in drawn["data"]}
    assert runs == {("run-0", ("2026-03-01", "2026-03-02")), ("run-1", ("2026-03-03", "2026-03-04"))}
    (gap,) = drawn["layout"]["shapes"]
    assert (gap["x0"], gap["x1"]) == ("2026-03-02", "2026-03-03")
    by_band = {trace["text"][0]: trace["y"] for trace in drawn["data"] if trace["stackgroup"] == "run-0"}
    assert sorted(by_band.values()) == [[2, 2], [4.5, 4.5]]


def test_the_table_below_the_area_says_what_was_not_read(past: None, read: Get) -> None:
    told = read(f"/usage/?{MARCH}&step=day")
    assert "From Vision canary Not read, of all clusters 2026-03-01 4.5 h 2 h" in told
    assert "2026-03-02 not read not read 24 h" in told


def test_hours_of_days_are_a_heat_map_with_its_table(past: None, get: Get, read: Get) -> None:
    page = get(f"/usage/?{MARCH}")
    heat, dashes, _rings = figure(page, "heat-figure")["data"]
    assert heat["x"] == ["03-01", "03-02", "03-03"]
    assert [heat["z"][6][day] for day in range(3)] == [0.75, None, 0]
    assert heat["z"][0] == [0, None, 0]
    assert len(dashes["x"]) == 24
    assert "06:00 0.8 h not read 0 h" in read(f"/usage/?{MARCH}")


def test_a_period_goes_by_the_clocks_of_the_zone(past: None, get: Get, read: Get) -> None:
    drawn = figure(get(f"/usage/?{MARCH}&tz=Asia/Tokyo"), "area-figure")
    assert drawn["layout"]["xaxis"]["range"] == ["2026-03-01", "2026-03-04"]
    assert "cut by the clocks of Asia/Tokyo" in read(f"/usage/?{MARCH}&tz=Asia/Tokyo")


def test_what_is_not_known_is_no_zero(read: Get, get: Get) -> None:
    make_coverage()
    make_published()
    make_held(end=2, consumed={"memory": None})
    told = read(f"/usage/?{MARCH}")
    assert "vision A100 gpu.example.com not known 2 h 2 h not known" in told
    assert "an unknown part of 2 h of card-equivalents were held, of 72 h of cards that there were." in told
    heat, _dashes, rings = figure(get(f"/usage/?{MARCH}"), "heat-figure")["data"]
    assert [heat["z"][hour][0] for hour in range(3)] == [None, None, 0]
    assert rings["y"] == [0, 1]


def test_the_table_of_hours_says_what_of_them_was_not_read(read: Get) -> None:
    make_coverage(0, 6.5)
    make_coverage(7, 1000)
    make_published()
    make_held(end=8)
    assert "06:00 0.5 h 0.5 h not read, of all clusters 0 h" in read(f"/usage/?{MARCH}")


def test_the_period_that_is_shown_is_marked(past: None, get: Get) -> None:
    """Also where nobody chose it."""
    marked = re.compile(r'<a href="[^"]+" aria-current="true">([^<]+)</a>')
    assert "30 days" in marked.findall(get("/usage/"))
    assert "30 days" in marked.findall(get("/usage/?tz=Asia/Tokyo"))
    assert "30 days" not in marked.findall(get(f"/usage/?{MARCH}"))


def test_a_link_to_the_first_record_goes_by_the_same_clocks(past: None, get: Get) -> None:
    page = get("/usage/?from=2026-01-01&to=2026-02-01&tz=Asia/Tokyo")
    assert 'href="/usage/?from=2026-03-01&amp;tz=Asia/Tokyo"' in page


def test_links_ask_for_a_period_to_the_microsecond(past: None, get: Get) -> None:
    page = get("/usage/?from=2026-03-01T00:00:00.1Z&to=2026-03-01T00:00:00.9Z")
    assert "from=2026-03-01T00%3A00%3A00.100000Z&amp;to=2026-03-01T00%3A00%3A00.900000Z" in page


def test_links_lead_to_the_very_numbers(past: None, get: Get, signed_in: Client) -> None:
    page = get(f"/usage/?{MARCH}&group_by=node")
    links = re.findall(r'href="(/api/v1/usage/[^"]+)"', page)
    assert len(links) == 5
    for link in links:
        assert signed_in.get(link.replace("&amp;", "&")).status_code == 200, link


# --- Nothing to tell ---


@pytest.mark.parametrize("path", ["/usage/", f"/usage/?{MARCH}", "/usage/2026-03/"])
def test_before_the_first_reading_there_is_no_history(read: Get, path: str) -> None:
    make_cluster()
    assert "Nothing has been recorded yet" in read(path)


def test_empty_periods_say_why(past: None, read: Get) -> None:
    for path in ("/usage/?from=2026-01-01&to=2026-02-01", "/usage/2026-02/"):
        assert "Nothing is known of this period: the first record is of 2026-03-01." in read(path)
    for path in ("/usage/?from=9000-01-01&to=9000-02-01", "/usage/9000-01/"):
        assert "This period has not begun" in read(path)
    assert "Nothing was read in this period" in read("/usage/?from=2026-03-02&to=2026-03-03")
    assert "Nothing was held in the time that was read." in read("/usage/?from=2026-03-10&to=2026-03-11")
    assert "Team nobody" in read(f"/usage/?{MARCH}&team=nobody")


def test_a_period_that_is_not_over_says_so(read: Get) -> None:
    make_cluster()
    now = datetime.now(UTC)
    make_coverage(0, (now - datetime(2026, 3, 1, tzinfo=UTC)).total_seconds() / 3600)
    make_published()
    make_held()
    for path in ("/usage/", f"/usage/{now:%Y-%m}/"):
        told = read(path)
        assert "The period is not over: the numbers go up to" in told
        assert "Not read, and in no number" not in told


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("from=2026-03-02&to=2026-03-01", "to"),
        ("from=soon", "from"),
        ("to=0001-01-02", "to"),
        ("from=0001-01-01T00:00:00Z&tz=America/Los_Angeles", "from"),
        ("from=2026-03-01&to=9999-12-31T23:59:59Z&tz=Pacific/Kiritimati&step=month", "to"),
        ("tz=Mars/Olympus", "tz"),
        ("group_by=colour", "group_by"),
        ("step=minute", "step"),
        ("from=2026-01-01&to=2026-12-01&step=hour", "step"),
        ("cluster=nowhere", "cluster"),
        (f"{MARCH}&ordering=colour", "ordering"),
    ],
)
def test_what_is_no_question_is_told(read: Get, query: str, name: str) -> None:
    assert name in read(f"/usage/?{query}", 400)


@pytest.mark.parametrize("month", ["2026-13", "2026-00", "0000-01", "9999-12"])
def test_what_is_no_month_is_no_page(get: Get, month: str) -> None:
    get(f"/usage/{month}/", 404)


# --- The report of a month ---


def test_a_report_has_each_team_with_its_products_and_the_sums(past: None, read: Get) -> None:
    make_published("gpu-1", product="L4")
    make_held("gpu-1", start=50, end=60, consumed=QUARTER)
    told = read("/usage/2026-03/")
    assert "Report of March 2026" in told
    assert "Vision A100 gpu.example.com 5.5 h" in told
    assert "Vision L4 gpu.example.com 2.5 h" in told
    assert "Vision all products 8 h" in told
    assert "2026-03-02 to 2026-03-03" in told
    assert "February 2026" in told
    assert "April 2026" in told


def test_a_report_leads_to_its_table(past: None, get: Get, signed_in: Client) -> None:
    link = re.search(r'href="(/api/v1/usage/report/[^"]+format=csv[^"]*)"', get("/usage/2026-03/"))
    assert link
    table = b"".join(signed_in.get(link[1].replace("&amp;", "&")).streaming_content).decode()  # type: ignore[attr-defined]
    assert [line.split(",")[7] for line in table.splitlines()] == ["team", "canary", "vision"]


# --- Who sees what ---


def test_what_others_held_is_one_line_without_a_name(past: None) -> None:
    client = member_of("vision")
    for path in (f"/usage/?{MARCH}", f"/usage/?{MARCH}&group_by=namespace", "/usage/2026-03/"):
        page = client.get(path).content.decode()
        assert "canary" not in page
        assert "all others" in page
        assert "7.5 h" in page
    assert "Nothing was held" in client.get(f"/usage/?{MARCH}&team=canary").content.decode()


def test_names_of_the_past_are_never_markup(get: Get) -> None:
    hostile = "<script>alert(1)</script>"
    make_coverage()
    make_published(product=hostile, node=hostile)
    share = make_held(end=40, team_slug=hostile, namespace=hostile)
    make_used(share, hostile, end=40, workload_name=hostile)
    for group in ("team", "namespace", "workload", "product", "node", "cluster"):
        assert hostile not in get(f"/usage/?{MARCH}&group_by={group}")
    assert hostile not in get("/usage/2026-03/")


def test_a_team_leads_to_its_usage(past: None, get: Get) -> None:
    page = get("/teams/vision/")
    assert 'href="/usage/?team=vision"' in page
    assert f'href="/usage/{datetime.now(UTC):%Y-%m}/?team=vision"' in page


def test_a_page_asks_as_often_for_many_rows_as_for_few(signed_in: Client) -> None:
    make_coverage()
    make_published()

    def queries(path: str) -> int:
        with CaptureQueriesContext(connection) as asked:
            assert signed_in.get(path).status_code == 200
        return questions(asked)

    paths = (f"/usage/?{MARCH}", f"/usage/?{MARCH}&group_by=workload", "/usage/2026-03/")
    make_used(make_held(end=40), end=20)
    few = [queries(path) for path in paths]
    for number in range(40):
        share = make_held(start=number, end=60, team_slug=f"t-{number}", namespace=f"n-{number}")
        make_used(share, f"pod-{number}", workload_name=f"w-{number}")
    assert [queries(path) for path in paths] == few
    assert max(few) <= 60


# --- What is not kept any more ---


@pytest.fixture
def forgotten(past: None, settings: Any) -> str:
    """All single shares of before the third day are gone; what they come to is kept."""
    settings.SLICEBOARD_INTERVAL_DAYS = 2
    settings.SLICEBOARD_HOUR_DAYS = 1
    cluster = make_cluster()
    list(add_up(cluster, after(24 * 6)))
    list(forget_of(cluster, after(24 * 4)))
    kept_from = RollUp.objects.get(cluster=cluster).intervals_from
    assert kept_from is not None
    return f"{kept_from:%Y-%m-%d}"


def test_days_of_long_ago_are_told_from_their_sums(past: None, forgotten: str, read: Get) -> None:
    told = read(f"/usage/?{MARCH}&step=day")
    assert "Vision A100 gpu.example.com 5.5 h 22 h" in told
    assert "From Vision canary Not read, of all clusters 2026-03-01 4.5 h 2 h" in told


def test_what_is_not_kept_in_detail_is_said_so(past: None, forgotten: str, read: Get) -> None:
    told = f"Single shares are kept since {forgotten}"
    # The hours of the heat map, and here and there more.
    assert told in read(f"/usage/?{MARCH}&step=day")
    assert read(f"/usage/?{MARCH}&step=hour&group_by=workload").count(told) == 3
    assert told in read("/usage/?from=2026-03-01T12:30:00Z&to=2026-03-04")


def test_the_api_refuses_what_is_not_kept_in_detail(past: None, forgotten: str, signed_in: Client) -> None:
    for path in ("usage/?step=hour", "usage/report/?group_by=workload", "usage/allocations/?step=day"):
        response = signed_in.get(f"/api/v1/{path}&{MARCH}")
        assert response.status_code == 400, path
        (told,) = response.json()["errors"]
        assert told["field"] == "from"
        assert forgotten in told["detail"]


def test_of_periods_of_the_same_days_one_is_the_chosen_one(rf: RequestFactory) -> None:
    now = datetime(2026, 11, 30, 12, tzinfo=UTC)
    request = rf.get("/usage/")
    links = presets(request, now, question_of(request.GET, now))
    assert links[1].href == links[2].href
    assert [link.name for link in links if link.chosen] == ["30 days"]
