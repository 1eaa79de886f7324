"""Usage over time: exact numbers, what was not read, and what cannot be asked."""

import csv
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from io import StringIO
from itertools import product
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from inventory.models import Cluster, Coverage, Membership, Share
from inventory.queries import holdings
from tests.counting import questions
from tests.dashboard.api.conftest import Get, csv_text, decoded
from tests.factories import make_cluster, make_team
from tests.past import make_coverage, make_held, make_published, make_used

pytestmark = pytest.mark.django_db
GI = 2**30
QUARTER = {"memory": "20Gi", "cores": "10"}
DAY = "from=2026-03-01&to=2026-03-02"


def report(get: Get, query: str = DAY) -> Any:
    return get(f"usage/report/?{query}")


def only(body: Any) -> Any:
    (row,) = body["results"]
    return row


def fraction(hours: dict[str, Any]) -> Fraction:
    return Fraction(hours["exact"] or hours["value"])


def table(api: Client, path: str) -> list[dict[str, str]]:
    response = api.get(f"/api/v1/{path}")
    assert response.status_code == 200, response.content
    return list(csv.DictReader(StringIO(csv_text(response))))


def test_four_quarters_of_a_card_for_an_hour_are_a_card_equivalent_hour(get: Get) -> None:
    make_coverage()
    make_published()
    for _ in range(4):
        make_held(start=3, end=4, consumed=QUARTER)
    body = report(get)
    row = only(body)
    assert row["team"] == "vision"
    assert row["card_equivalent_hours"] == {"value": 1, "exact": None}
    assert row["share_hours"]["value"] == 4
    assert (row["device_hours"]["value"], row["card_hours"]["value"]) == (1, 1)
    memory = row["held"]["memory"]
    assert (memory["unit"], memory["hours"]["value"], memory["unknown"]["value"]) == ("bytes", 80 * GI, 0)
    assert row["there"] is None
    (reading,) = body["readings"]
    assert (reading["cluster"], reading["read_hours"]["value"], reading["unread"]) == ("lab", 24, [])
    assert (body["starts_at"], body["exact_until"]) == ("2026-03-01T00:00:00Z", None)


def test_a_number_that_is_not_finite_has_the_fraction_beside_it(get: Get) -> None:
    make_coverage()
    make_published(capacity={"memory": "70Gi"})
    make_held(start=0, end=1, consumed={"memory": "10Gi"})
    hours = only(report(get))["card_equivalent_hours"]
    assert hours == {"value": Decimal("0.142857143"), "exact": "1/7"}
    assert Fraction(hours["exact"]) == Fraction(10, 70)


def test_what_is_not_known_is_null_and_no_zero(get: Get) -> None:
    make_coverage()
    make_published()
    make_held(start=7, end=8, consumed={"memory": None})
    row = only(report(get))
    assert row["card_hours"]["value"] == 1
    assert row["card_equivalent_hours"] == {"value": None, "exact": None}
    assert row["card_equivalent_hours_unknown"]["value"] == 1
    assert row["held"]["memory"]["hours"]["value"] is None
    assert row["held"]["memory"]["unknown"]["value"] == 1


def test_what_was_not_read_is_told_and_is_in_no_number(get: Get) -> None:
    make_coverage(0, 6)
    make_coverage(18, 30)
    make_published()
    make_held(start=4, end=20)
    body = report(get)
    assert only(body)["card_hours"]["value"] == 4
    (reading,) = body["readings"]
    assert (reading["read_hours"]["value"], reading["unread_hours"]["value"]) == (12, 12)
    assert reading["unread"] == [{"starts_at": "2026-03-01T06:00:00Z", "ends_at": "2026-03-01T18:00:00Z"}]


def test_groups_of_cards_say_what_there_was(get: Get) -> None:
    make_coverage()
    make_published()
    row = only(report(get, f"{DAY}&group_by=product,node"))
    assert (row["product"], row["node"], row["cluster"]) == ("A100", "node-1", "lab")
    assert row["there"]["card_hours"]["value"] == 24
    assert row["there"]["capacity"]["memory"]["hours"]["value"] == 24 * 80 * GI


def test_a_workload_has_its_kind(get: Get) -> None:
    make_coverage()
    make_published()
    make_used(make_held(end=2), end=2)
    row = only(report(get, f"{DAY}&group_by=workload"))
    assert row["workload"] == {"kind": "Deployment", "name": "web"}


def test_a_series_has_a_step_for_each_day_of_the_zone(get: Get) -> None:
    make_coverage(-100, 1000)
    make_published(start=-100)
    make_held(start=-100)
    # The clocks of Berlin go forward on the 29th.
    body = get("usage/?from=2026-03-28&to=2026-03-31&tz=Europe/Berlin")
    assert body["count"] == 3
    assert [step["starts_at"] for step in body["results"]] == [
        "2026-03-27T23:00:00Z",
        "2026-03-28T23:00:00Z",
        "2026-03-29T22:00:00Z",
    ]
    assert [step["groups"][0]["card_hours"]["value"] for step in body["results"]] == [24, 23, 24]
    assert all(step["readings"][0]["unread"] == [] for step in body["results"])


def test_pages_of_a_series_are_the_series(get: Get) -> None:
    make_coverage()
    make_published()
    make_held(start=0.5, end=30.25)
    query = "from=2026-03-01T00:20:00Z&to=2026-03-02T06:40:00Z&step=hour"
    whole = get(f"usage/?{query}&limit=1000")
    parts = [get(f"usage/?{query}&limit=7&offset={offset}") for offset in range(0, 35, 7)]
    assert whole["count"] == parts[0]["count"] == 31
    assert [step for part in parts for step in part["results"]] == whole["results"]
    total = sum(step["groups"][0]["card_hours"]["value"] for step in whole["results"] if step["groups"])
    assert total == Decimal("29.75")


def test_a_step_without_a_group_says_what_was_read(get: Get) -> None:
    make_coverage(24, 48)
    first, second = get("usage/?from=2026-03-01&to=2026-03-03")["results"]
    assert (first["groups"], first["readings"][0]["read_hours"]["value"]) == ([], 0)
    assert second["readings"][0]["read_hours"]["value"] == 24


def test_a_table_has_a_line_for_each_group_of_each_step(api: Client) -> None:
    make_coverage(0, 36)
    make_published()
    make_held(start=0, end=12)
    make_held(start=0, end=12, team_slug="nlp", namespace="nlp", consumed=QUARTER)
    lines = table(api, "usage/?from=2026-03-01&to=2026-03-03&format=csv")
    assert [(line["starts_at"], line["team"], line["card_hours"]) for line in lines] == [
        ("2026-03-01T00:00:00Z", "nlp", "12"),
        ("2026-03-01T00:00:00Z", "vision", "12"),
        ("2026-03-02T00:00:00Z", "", ""),
    ]
    assert [line["unread_hours"] for line in lines] == ["0", "0", "12"]
    assert lines[0]["held.memory.hours"] == str(12 * 20 * GI)
    assert lines[0]["card_equivalent_hours"] == "3"


def test_a_report_is_a_table_too(api: Client) -> None:
    make_coverage()
    make_published()
    make_held(end=1, consumed={"memory": "10Gi"})
    (line,) = table(api, f"usage/report/?{DAY}&format=csv&fields=team,card_equivalent_hours")
    assert line == {
        "starts_at": "2026-03-01T00:00:00Z",
        "ends_at": "2026-03-02T00:00:00Z",
        "read_hours": "24",
        "read_hours.exact": "",
        "unread_hours": "0",
        "unread_hours.exact": "",
        "team": "vision",
        "card_equivalent_hours": "0.125",
        "card_equivalent_hours.exact": "",
    }


def test_filters_narrow_what_is_added_up(get: Get) -> None:
    make_coverage()
    make_published()
    make_published("gpu-1", product="L4")
    make_held(end=1)
    make_held("gpu-1", end=2, team_slug="nlp", namespace="nlp")
    make_held("gpu-2", end=3, team_slug="nlp", namespace="nlp", device_class="big", claim_name="train")
    make_published("gpu-2", product="H200")
    one_of_vision = ("team=vision", "device=gpu-0&pool=node-1", "product=A100")
    one_of_nlp = ("product=L4", "namespace=nlp&device=gpu-1", "claim=train", "device_class=big")
    for query, team in (*product(one_of_vision, ["vision"]), *product(one_of_nlp, ["nlp"])):
        assert only(report(get, f"{DAY}&{query}"))["team"] == team
    assert report(get, f"{DAY}&product=H100")["results"] == []
    assert len(report(get, f"{DAY}&product=L4&product=A100")["results"]) == 2


def test_a_moment_of_a_cluster_is_counted_to_the_microsecond(recorded_cluster: Cluster, get: Get) -> None:
    (read,) = Coverage.objects.values_list("started_at", "ended_at")
    day = read[0].date()
    body = get(f"usage/report/?from={day}&to={day + timedelta(days=2)}&group_by=team,node&limit=1000")
    held = holdings.counted(Share.objects.all()).count()
    seconds = Fraction((read[1] - read[0]) // timedelta(microseconds=1), 10**6)
    assert sum(fraction(row["share_hours"]) for row in body["results"]) == held * seconds / 3600
    assert fraction(body["readings"][0]["read_hours"]) == seconds / 3600


# --- Who sees what ---


def test_others_are_one_row_without_a_name_and_no_filter_finds_them(db: None) -> None:
    make_coverage()
    make_published()
    user = User.objects.create_user("member")
    Membership.objects.create(user=user, team=make_team("vision"), role="member")
    for number, slug in enumerate(("vision", "canary", "canary-2")):
        make_held(end=number + 1, team_slug=slug, namespace=f"of-{slug}")
    client = Client()
    client.force_login(user)

    def rows(query: str) -> list[tuple[Any, ...]]:
        body = decoded(client.get(f"/api/v1/usage/report/?{DAY}&{query}"))
        return [(one["team"], one["withheld"], one["share_hours"]["value"]) for one in body["results"]]

    for group in ("team", "namespace", "workload"):
        assert rows(f"group_by={group}") == [("vision", False, 1), (None, True, 5)]
    assert rows("group_by=product") == [(None, False, 6)]
    for name in ("team=canary", "namespace=of-canary", "team=nobody"):
        assert rows(name) == []
        assert rows(f"group_by=node&{name}") == rows("group_by=node&team=nobody")


# --- What cannot be asked ---


@pytest.mark.parametrize("path", ["usage/", "usage/report/"])
@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("", ["from", "to"]),
        ("from=2026-03-01", ["to"]),
        ("from=2026-03-02&to=2026-03-01", ["to"]),
        ("from=2026-03-01&to=2026-03-01", ["to"]),
        ("from=yesterday&to=2026-03-01", ["from"]),
        ("from=2026-02-30&to=2026-03-01", ["from"]),
        ("from=2026-03-01&to=2026-03-02T25:00:00Z", ["to"]),
        ("from=2026-03-01&from=2026-03-02&to=2026-03-03", ["from"]),
        (f"{DAY}&tz=Mars/Olympus", ["tz"]),
        (f"{DAY}&tz=../../etc/passwd", ["tz"]),
        (f"{DAY}&tz=localtime", ["tz"]),
        (f"{DAY}&group_by=colour", ["group_by"]),
        (f"{DAY}&group_by=team,team", ["group_by"]),
        (f"{DAY}&group_by=team,node,product", ["group_by"]),
        (f"{DAY}&colour=red", ["colour"]),
        (f"{DAY}&fields=nope", ["fields"]),
        (f"{DAY}&cluster=nowhere", ["cluster"]),
        (f"{DAY}&namespace=%00", ["namespace"]),
        (f"{DAY}&cursor=start", ["cursor"]),
        (f"{DAY}&limit=0", ["limit"]),
        (f"{DAY}&format=xml", ["format"]),
        # Before the first record, and in the future.
        ("from=2026-02-01&to=2026-03-01", ["to"]),
        ("from=9000-01-01&to=9001-01-01", ["from"]),
        # Beyond what any zone can be counted in.
        ("from=0001-01-01&to=2026-03-02&tz=Asia/Tokyo", ["from"]),
        ("from=2026-03-01&to=9999-12-31T23:59:59Z&tz=Pacific/Kiritimati", ["to"]),
        ("from=9999-12-31&to=9999-12-31T23:59:59Z", ["from", "to"]),
    ],
)
def test_what_cannot_be_asked_is_named(get: Get, path: str, query: str, fields: list[str]) -> None:
    make_coverage()
    told = get(f"{path}?{query}", status=400)
    assert [one["field"] for one in told["errors"]] == fields


@pytest.mark.parametrize(
    "query",
    [
        f"{DAY}&step=minute",
        "from=2026-03-01&to=2026-09-01&step=hour",
        "from=0002-01-01&to=2026-09-01&step=day",
    ],
)
def test_steps_that_are_none_or_too_many_are_refused(get: Get, query: str) -> None:
    make_coverage()
    assert [one["field"] for one in get(f"usage/?{query}", status=400)["errors"]] == ["step"]


def test_a_report_has_no_steps(get: Get) -> None:
    assert get(f"usage/report/?{DAY}&step=day", status=400)["errors"][0]["field"] == "step"


def test_what_is_before_the_first_record_is_said_so(get: Get) -> None:
    make_coverage()
    told = get("usage/report/?from=2026-02-01&to=2026-03-01", status=400)["errors"][0]["detail"]
    assert told == ("lies before the first record, which is of 2026-03-01T00:00:00Z: nothing is known of it")


def test_before_there_is_any_record_nothing_is_known(get: Get) -> None:
    make_cluster()
    body = report(get)
    assert body["results"] == []
    (reading,) = body["readings"]
    assert (reading["first_record"], reading["unread_hours"]["value"]) == (None, 24)


# --- Caches ---


def test_an_answer_about_the_past_stays_as_it_is_while_time_goes_on(api: Client) -> None:
    coverage = make_coverage(0, 30)
    past, present = (f"/api/v1/usage/report/?{query}" for query in (DAY, "from=2026-03-01&to=2026-03-03"))
    tags = {path: api.get(path)["ETag"] for path in (past, present)}
    coverage.ended_at = coverage.ended_at.replace(hour=7)
    coverage.save()
    status = [api.get(path, headers={"If-None-Match": tags[path]}).status_code for path in (past, present)]
    assert status == [304, 200]


def test_zones_and_steps_make_different_tags(api: Client) -> None:
    make_coverage()
    queries = (DAY, f"{DAY}&tz=Asia/Tokyo", f"{DAY}&step=hour", f"{DAY}&group_by=node")
    assert len({api.get(f"/api/v1/usage/?{query}")["ETag"] for query in queries}) == 4


def test_a_question_costs_as_much_for_many_rows_as_for_few(api: Client) -> None:
    make_coverage()
    make_published()
    for number in range(30):
        make_held(start=number / 10, end=number, team_slug=f"team-{number}", namespace=f"n-{number}")
    make_team()
    for path in (f"usage/report/?{DAY}", "usage/?from=2026-03-01&to=2026-03-30&limit=100"):
        with CaptureQueriesContext(connection) as queries:
            assert api.get(f"/api/v1/{path}").status_code == 200
        assert questions(queries) <= 17
