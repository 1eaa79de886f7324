"""The export for tools that put a price on it: a line for each use of a share by a Pod."""

import csv
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.api.usage_allocations import TITLES, AllocationLine
from inventory.models import Membership
from tests.dashboard.api.conftest import Get, csv_text
from tests.factories import make_team
from tests.past import make_coverage, make_held, make_published, make_used

pytestmark = pytest.mark.django_db
PATH = "/api/v1/usage/allocations/"
DAY = "from=2026-03-01&to=2026-03-02"
# In the order in which OpenCost's own CSV has them.
OPENCOST = ["Date", "Namespace", "ControllerKind", "ControllerName", "Pod", "GPUs"]


def lines(client: Client, query: str = DAY) -> list[dict[str, str]]:
    response = client.get(f"{PATH}?{query}")
    assert response.status_code == 200, response.content
    return list(csv.DictReader(StringIO(csv_text(response))))


def test_every_column_has_a_name_and_those_of_opencost_are_in_its_order() -> None:
    assert tuple(TITLES) == AllocationLine.__struct_fields__
    assert [title for title in TITLES.values() if title in OPENCOST] == OPENCOST


def test_a_line_says_who_had_what_from_when_to_when(api: Client) -> None:
    make_coverage()
    make_published()
    share = make_held(start=-5, end=30, consumed={"memory": "20Gi", "cores": "10"})
    make_used(share, "web-0", start=-5, end=6)
    used, idle = lines(api)
    shown = {
        "Date": "2026-03-01",
        "Cluster": "lab",
        "Namespace": "team-vision",
        "ControllerKind": "Deployment",
        "ControllerName": "web",
        "Pod": "web-0",
        "Start": "2026-03-01T00:00:00Z",
        "End": "2026-03-01T06:00:00Z",
        "Minutes": "360",
        "GPUs": "0.25",
        "GPUHours": "1.5",
        "GPUHoursExact": "",
        "Team": "vision",
        "Product": "A100",
        "AllocatedAt": "2026-02-28T19:00:00Z",
        "ReleasedAt": "2026-03-02T06:00:00Z",
    }
    assert {name: used[name] for name in shown} == shown
    assert (idle["Pod"], idle["ControllerName"], idle["GPUHours"]) == ("", "", "4.5")


def test_pods_that_share_a_claim_have_even_parts_of_it(api: Client) -> None:
    make_coverage()
    make_published()
    share = make_held(start=0, end=3)
    for pod in ("a", "b", "c"):
        make_used(share, pod, end=3, node="node-1")
    found = lines(api)
    assert [(line["Pod"], line["Part"], line["GPUHours"]) for line in found] == [
        (pod, "0.333333333", "1") for pod in ("a", "b", "c")
    ]


def test_what_is_not_known_is_empty_and_what_is_not_finite_a_fraction(api: Client) -> None:
    make_coverage()
    make_published(capacity={"memory": "70Gi"})
    make_held(start=0, end=1, consumed={"memory": "10Gi"})
    make_held(start=1, end=2, consumed={"memory": None})
    one, other = lines(api)
    assert (one["GPUHours"], one["GPUHoursExact"]) == ("0.142857143", "1/7")
    assert (other["GPUs"], other["GPUHours"], other["Minutes"]) == ("", "", "60")


def test_what_was_not_read_is_not_counted(api: Client) -> None:
    make_coverage(0, 6)
    make_coverage(12, 24)
    make_published()
    make_held(start=3, end=15)
    found = lines(api)
    assert sum(float(line["Minutes"]) for line in found) == 360


def test_windows_cut_a_use_by_days(api: Client) -> None:
    make_coverage()
    make_published()
    make_used(make_held(start=20, end=30), start=20, end=30)
    query = "from=2026-03-01&to=2026-03-03&step=day&tz=Europe/Berlin"
    found = lines(api, query)
    assert [(line["Date"], line["WindowStart"], line["GPUHours"]) for line in found] == [
        ("2026-03-01", "2026-02-28T23:00:00Z", "3"),
        ("2026-03-02", "2026-03-01T23:00:00Z", "7"),
    ]


def test_only_what_may_be_named_is_in_it(db: None) -> None:
    make_coverage()
    make_published()
    user = User.objects.create_user("member")
    Membership.objects.create(user=user, team=make_team("vision"), role="member")
    make_used(make_held(end=2))
    make_used(make_held(end=2, team_slug="canary", namespace="canary-prod"), "canary-0")
    client = Client()
    client.force_login(user)
    assert [line["Namespace"] for line in lines(client)] == ["team-vision"]
    assert lines(client, f"{DAY}&team=canary") == lines(client, f"{DAY}&team=nobody") == []


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("from=2026-03-01", "to"),
        (f"{DAY}&step=minute", "step"),
        (f"{DAY}&group_by=team", "group_by"),
        (f"{DAY}&fields=Pod", "fields"),
        (f"{DAY}&limit=1", "limit"),
        (f"{DAY}&format=json", "format"),
        ("from=2026-02-01&to=2026-03-01", "to"),
    ],
)
def test_what_cannot_be_asked_is_named(get: Get, query: str, field: str) -> None:
    make_coverage()
    told = get(f"usage/allocations/?{query}", status=400)
    assert [one["field"] for one in told["errors"]] == [field]


def test_it_is_csv_only(api: Client) -> None:
    make_coverage()
    assert api.get(f"{PATH}?{DAY}", headers={"Accept": "application/json"}).status_code == 406
    assert api.options(PATH).status_code == 200
    response = api.get(f"{PATH}?{DAY}")
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    known = {"If-None-Match": response["ETag"]}
    assert api.get(f"{PATH}?{DAY}", headers=known).status_code == 304
