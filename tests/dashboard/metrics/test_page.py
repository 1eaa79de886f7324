"""The page as a whole: who may read it, what it costs, and the rules that its names follow."""

import re

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from knox.models import AuthToken
from pytest_django import DjangoAssertNumQueries, Settings

from tests.dashboard.metrics.conftest import Scrape, body, make_kind, parsed, values
from tests.factories import make_balance, make_cluster, make_device, make_pool, make_share


def test_text_from_a_cluster_breaks_no_line(scrape: Scrape) -> None:
    make_device('gpu\n"0"\\', uuid="显卡 {0}")
    told = values(scrape(), "sliceboard_device_info", "device", "uuid")
    assert told == {('gpu\n"0"\\', "显卡 {0}"): 1}


def test_the_number_of_queries_does_not_grow_with_what_there_is(
    scraper: Client, settings: Settings, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    settings.SLICEBOARD_METRICS_SHARES = True
    make_kind()
    with CaptureQueriesContext(
        connection,
    ) as few:
        body(scraper.get("/metrics"))
    for name in ("one", "two", "three"):
        pool = make_pool(cluster=make_cluster(name))
        make_kind(cluster=pool.cluster)
        device = make_device(pool=pool)
        make_balance(device, "memory", "80Gi", "8Gi")
        make_share(device, consumed={"memory": "8Gi"})
    # The token and its user; clusters, kinds, leases, intervals, cards twice; five of devices, two of shares.
    assert len(few) == 15
    with django_assert_num_queries(15):
        body(scraper.get("/metrics"))


def test_names_follow_the_rules_of_prometheus(scraper: Client, settings: Settings) -> None:
    settings.SLICEBOARD_METRICS_SHARES = True
    make_kind()
    page = body(scraper.get("/metrics"))
    for family in parsed(page).values():
        assert re.fullmatch(r"sliceboard(_[a-z]+)+", family.name), family.name
        assert not family.name.endswith(("_total", "_milliseconds", "_kilobytes", "_ms"))
        assert family.documentation.endswith(".")
        assert family.type in ("gauge", "counter")
        if any(word in family.name for word in ("_timestamp", "_age", "_duration")):
            assert family.name.endswith("_seconds"), family.name
        for sample in family.samples:
            assert sample.name == family.name + ("_total" if family.type == "counter" else "")
            assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", label) for label in sample.labels)
    # And each line of it belongs to what its family says above it.
    assert len(re.findall(r"^# HELP ", page, re.MULTILINE)) == len(parsed(page))


def test_it_is_the_text_format_whatever_else_is_liked_better(scraper: Client) -> None:
    accept = "application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.5"
    response = scraper.get("/metrics", headers={"Accept": accept})
    assert response["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert response["Cache-Control"] == "no-store"
    assert body(response).endswith("\n")


@pytest.mark.django_db
def test_nobody_scrapes_without_a_sign_in(client: Client) -> None:
    response = client.get("/metrics")
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Bearer"


@pytest.mark.django_db
@pytest.mark.parametrize(("group", "status"), [("operators", 200), ("readers", 403)])
def test_operators_alone_may_look(client: Client, group: str, status: int) -> None:
    user = User.objects.create_user("someone", is_staff=True)
    user.groups.add(Group.objects.get_or_create(name=group)[0])
    client.force_login(user)
    assert client.get("/metrics").status_code == status
    _, token = AuthToken.objects.create(user)
    assert Client(headers={"Authorization": f"Bearer {token}"}).get("/metrics").status_code == status


@pytest.mark.django_db(transaction=True)
def test_who_goes_away_in_the_middle_leaves_no_transaction_open(scraper: Client) -> None:
    make_device()
    response = scraper.get("/metrics")
    parts = iter(response)
    assert b"sliceboard_build_info" in next(parts)
    assert b"# TYPE sliceboard_device_info gauge" in next(parts)
    assert connection.in_atomic_block
    response.close()
    assert not connection.in_atomic_block


def test_it_is_only_read(scraper: Client) -> None:
    assert scraper.post("/metrics").status_code == 405
