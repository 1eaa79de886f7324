import re
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone

from dashboard.pages import overview
from inventory.models import Claim, Cluster, Consumer, KindState, Node, Pool, SkippedObject
from inventory.queries import wall
from tests.dashboard.pages.conftest import Get
from tests.factories import (
    make_balance,
    make_claim,
    make_cluster,
    make_device,
    make_namespace,
    make_pool,
    make_share,
    make_team,
)


def test_the_recorded_cluster_adds_up(recorded_cluster: Cluster, read: Get) -> None:
    page = read("/")
    assert "23 of 35 cards hold something; 42 % of memory and 52 % of shared cores are allocated." in page
    assert "42 % 986.2 of 2,362 GiB" in page
    assert "52 % 1,085 of 2,100 %" in page
    assert "122.4 GiB free, on cards with no cores left" in page
    assert "NVIDIA A100-SXM4-80GB 16 cards, shared memory" in page
    assert "27 % 346.7 GiB 933.3 GiB" in page
    assert "NVIDIA H100 80GB HBM3 8 cards, whole cards" in page
    assert "NVIDIA H100 80GB HBM3 2 cards, partitions" in page
    assert "Ascend310P3 5 cards, shared" in page
    assert "Fabric L40S 4 cards, whole cards" in page


def test_what_is_no_card_is_named_and_not_summed(recorded_cluster: Cluster, read: Get) -> None:
    page = read("/")
    assert "cpu.example.com (1), fabric.example.com (5), nic.example.com (2), vmem.example.com (7)" in page


def test_teams_are_told_with_what_they_hold(recorded_cluster: Cluster, read: Get) -> None:
    page = read("/")
    assert "436.2 GiB 250 % 8 3" in page
    assert "infra 0 0 GiB 0 % 3 1" in page


def test_waiting_pods_are_told_in_the_words_of_the_scheduler(recorded_cluster: Cluster, read: Get) -> None:
    page = read("/")
    assert "17 Pods without a node" in page
    assert "0/9 nodes are available: 1 cannot allocate all claims" in page


@pytest.mark.django_db
def test_without_a_cluster_the_page_says_what_to_do(read: Get) -> None:
    page = read("/")
    assert "No cluster is read yet." in page
    assert "No cards are published in what was read." in page


@pytest.mark.django_db
def test_six_kinds_of_nothing_look_different(read: Get) -> None:
    now = timezone.now()
    make_cluster("fresh", observed_at=now)
    make_cluster("stale", observed_at=now - timedelta(hours=3))
    make_cluster("never", observed_at=None, attempted_at=None)
    make_cluster(
        "broken", observed_at=None, error_reason="refused", error_message="connection refused", error_at=now
    )
    shut = make_cluster("shut", observed_at=now)
    KindState.objects.create(
        cluster=shut,
        kind="resourceclaims",
        state=KindState.State.FORBIDDEN,
        succeeded_at=now,
        error_reason="forbidden",
    )
    make_pool(
        "half",
        cluster=make_cluster("fresh"),
        state=Pool.State.INCOMPLETE,
        reason="1 of 2 slices are published",
    )
    page = read("/")
    assert re.search(r"fresh \d+ s ago", page)
    assert "stale : stale since" in page
    assert "never : never read . The first reading is due within" in page
    assert re.search("broken : the last reading failed, never read . connection refused", page)
    assert "shut : not allowed to read resourceclaims" in page
    assert "half" in page
    assert "1 of 2 slices are published" in page


@pytest.mark.django_db
def test_zero_is_plain_zero(read: Get) -> None:
    device = make_device(pool=make_pool(driver="hami-core-gpu.project-hami.io"))
    make_balance(device, "memory", "80Gi", "0")
    assert "0 % 0 GiB 80 GiB" in read("/")


@pytest.mark.django_db
def test_a_sum_says_what_it_leaves_out(read: Get) -> None:
    known, unknown = make_device("gpu-0"), make_device("gpu-1")
    make_balance(known, "memory", "80Gi", "8Gi")
    make_balance(unknown, "memory", "80Gi", None)
    page = read("/")
    assert "1 card is not in these sums, because its numbers are not known." in page
    assert "10 % 8 of 80 GiB" in page


@pytest.mark.django_db
def test_the_page_of_one_cluster_tells_of_that_cluster(read: Get) -> None:
    make_balance(make_device("a", pool=make_pool(cluster=make_cluster("one"))), "memory", "80Gi", "0")
    make_balance(make_device("b", pool=make_pool(cluster=make_cluster("two"))), "memory", "80Gi", "40Gi")
    assert "one: 0 of 1 cards hold something; 0 % of memory is allocated." in read("/?cluster=one")


@pytest.mark.django_db
def test_an_unknown_cluster_is_refused_by_name(read: Get) -> None:
    assert "cluster “nowhere” is not known here" in read("/?cluster=nowhere", 400)


@pytest.mark.django_db
def test_skipped_objects_are_told_on_the_first_page(read: Get) -> None:
    SkippedObject.objects.create(cluster=make_cluster(), kind="pods", name="odd", reason="no name")
    assert "skipped 1 object They could not be read" in read("/")


@pytest.mark.django_db
def test_claims_of_pods_that_are_gone_and_vanished_devices_need_a_look(read: Get) -> None:
    lost = make_device("lost", listed=False, published=False, state="not_published", shares=1)
    leaked = make_claim("leaked")
    make_share(lost, leaked)
    Consumer.objects.create(claim=leaked, position=0, resource="pods", name="p", uid="u", gone=True)
    used = make_claim("used")
    make_share(lost, used)
    Consumer.objects.create(claim=used, position=0, resource="pods", name="q", uid="v", gone=True)
    Consumer.objects.create(claim=used, position=1, resource="pods", name="r", uid="w", gone=False)
    page = read("/")
    assert "orphaned team-vision/leaked It holds devices for Pods that are gone." in page
    assert "team-vision/used" not in page
    assert "not published 1 device Claims still hold what no resource slice lists any more." in page


def test_all_cards_are_squares_and_a_wall_or_groups_where_they_are_asked_for(
    recorded_cluster: Cluster, get: Get
) -> None:
    assert get("/").count('<rect class="use') + get("/").count('<rect class="free" x=') > 30
    wall_page, groups_page = get("/?view=wall"), get("/?view=groups")
    # A click leads to the page of the node: nothing opens in place here.
    assert '"peek": ""' in wall_page
    assert f'"href": "/nodes/{Node.objects.get(name="gpu-node-1").pk}/"' in wall_page
    assert '"href": "/devices/?view=wall\\u0026from=' in groups_page
    assert 'href="?view=squares"' in groups_page


@pytest.mark.django_db
def test_the_picture_of_the_first_page_fits_the_number_of_cards(
    get: Get, read: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overview, "_SQUARES", 1)
    make_device("gpu-0")
    assert 'class="cells"' in get("/")
    make_device("gpu-1")
    assert 'id="wall"' in get("/")
    # What cannot hold so many is not offered, and does not come when it is asked for.
    assert "view=squares" not in get("/")
    assert 'class="cells"' not in get("/?view=squares")
    monkeypatch.setattr(wall, "LARGEST", 1)
    assert "one cell is a run of neighbouring nodes" in read("/")
    assert "view “pie” is none of squares, wall, groups" in read("/?view=pie", 400)


@pytest.mark.django_db(transaction=True)
def test_a_team_that_is_made_while_the_page_is_read_is_on_the_next_one() -> None:
    if "mode=memory" in str(connection.settings_dict["NAME"]):
        pytest.skip("SQLite in memory locks whole tables; a file and PostgreSQL do not")
    client = Client()
    client.force_login(User.objects.create_superuser("operator"))
    claim = make_claim(namespace=make_namespace("team-a"))
    make_share(make_device(), claim)
    written: list[str] = []

    def make_meanwhile(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        found = execute(sql, params, many, context)
        if not written and 'FROM "inventory_team"' in sql:
            written.append(sql)
            _in_another_connection(lambda: Claim.objects.update(team=make_team("late")))
        return found

    with connection.execute_wrapper(make_meanwhile):
        page = client.get("/")
    assert written
    assert page.status_code == 200
    assert "late" not in page.content.decode()
    assert "late" in client.get("/").content.decode()


def _in_another_connection(write: Callable[[], object]) -> None:
    def run() -> None:
        write()
        connection.close()

    writer = threading.Thread(target=run)
    writer.start()
    writer.join()
