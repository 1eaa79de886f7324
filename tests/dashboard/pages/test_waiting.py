"""How long claims wait."""

import json
import re
from datetime import timedelta

import plotly.graph_objects as go
import pytest
from django.utils import timezone

from inventory.models import Claim, Cluster
from tests.dashboard.pages.conftest import Get
from tests.dashboard.pages.test_teams import reader, text
from tests.factories import make_claim, make_cluster, make_device, make_namespace, make_team
from tests.looking_back import make_event, make_read, make_there

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def cluster(db: None) -> Cluster:
    """Three claims that were allocated, one of which nobody knows how long it waited."""
    now, cluster = timezone.now(), make_cluster(observed_at=timezone.now())
    make_read(cluster, now - 20 * DAY, now)
    for waited in (2, 75, None):
        make_event(cluster, "allocated", now - 3 * HOUR, product="A100", node="node-1", waited=waited)
    return cluster


def test_a_page_tells_how_long_claims_waited(cluster: Cluster, read: Get) -> None:
    page = read("/claims/waiting/")
    assert (
        "2 claims were allocated in this time; half waited up to 2 s, nine of ten up to 1 min 15 s." in page
    )
    assert "Of 1 more it is not known. No claim waits now." in page
    assert "1 min to 2 min 1 0" in page
    assert "A100 2 2 s 1 min 15 s 1 min 15 s 1 min 15 s 1" in page


def test_claims_that_wait_are_told_with_their_age(cluster: Cluster, read: Get) -> None:
    created = cluster.observed_at - 2 * HOUR if cluster.observed_at else None
    make_claim("late", state=Claim.State.PENDING, created_at=created)
    page = read("/claims/waiting/")
    assert "1 claim waits now." in page
    assert "2 h since" in page


def test_figures_are_plain_data_that_plotly_understands(cluster: Cluster, get: Get) -> None:
    found = re.findall(
        r'<script id="[\w-]+-figure" type="application/json">(.*?)</script>', get("/claims/waiting/")
    )
    assert len(found) == 4
    for text_of in found:
        figure = json.loads(text_of)
        go.Figure(data=figure["data"], layout=figure["layout"])
        assert "#" not in text_of


def test_filters_and_the_period_are_in_the_address(cluster: Cluster, read: Get) -> None:
    assert "No claim was allocated in this time, as far as it was read." in read(
        "/claims/waiting/?node=other"
    )
    assert "2 claims were allocated" in read("/claims/waiting/?period=day&node=node-1&product=A100")
    assert "Nothing was read in this time" in read("/claims/waiting/?until=2020-01-01")
    read("/claims/waiting/?team=nobody", 400)


def test_a_member_reads_no_name_of_others(cluster: Cluster) -> None:
    make_event(cluster, "allocated", timezone.now() - HOUR, team="secret", waited=5)
    make_claim("covert", namespace=make_namespace("secret"), state=Claim.State.PENDING)
    told = text(reader("member", make_team("vision")), "/claims/waiting/")
    assert "1 claim of another team waits, too." in told
    assert "all others" in told
    assert "secret" not in told
    assert "covert" not in told


def test_nothing_at_all_says_so(db: None, read: Get) -> None:
    page = read("/claims/waiting/")
    assert "No claim was allocated in this time" in page
    assert "No claim waits now." in page


def test_the_table_over_time_has_every_step_that_is_drawn(cluster: Cluster, get: Get) -> None:
    make_there(make_device(), timezone.now() - 20 * DAY)
    page = get("/claims/waiting/")
    figure = re.search(r'<script id="in-use-figure"[^>]*>(.*?)</script>', page)
    table = page[page.index("Over time, as a table") : page.index('id="pending"')]
    assert figure
    assert table.count('<th scope="row"') >= len(json.loads(figure[1])["data"][1]["x"]) > 100
