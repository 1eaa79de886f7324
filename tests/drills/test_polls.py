"""Polls that go wrong in the middle, with real workers: nobody ever sees half of one."""

import threading
import time

import pytest

from demo import generated
from demo.faults import Hang
from demo.resources import CATALOGUE
from tests.drills.conftest import MakeSite, Site, eventually, kill
from tests.inventory.sync.objects import card, claim, resource_slice, result, store

CLAIMS = next(resource for resource in CATALOGUE if resource.plural == "resourceclaims")
HELD = "SELECT allocated FROM inventory_balance WHERE dimension = 'memory'"


def poll_until(site: Site, sql: str, value: int) -> None:
    """Send polls until one is applied; the lease of a killed worker has to run out first."""

    def reached() -> bool:
        site.send_poll()
        time.sleep(0.5)
        return site.rows(sql) == [(value,)]

    eventually(reached, f"{sql} = {value}")


@pytest.fixture
def one_card(make_site: MakeSite) -> Site:
    shared = result(consumedCapacity={"memory": "8Gi", "cores": "50"})
    return make_site(store(resource_slice(card()), claim("c", shared)))


def test_a_worker_killed_while_it_reads_leaves_the_old_snapshot_whole(one_card: Site) -> None:
    site = one_card
    worker = site.start_worker("--pool", "solo")
    poll_until(site, HELD, 8 * 2**30)
    kill(worker)
    before = site.snapshot()
    site.server.store.delete(CLAIMS, "team-a", "c")
    # Now every kind is to be read in full, and all of it is written at once.
    site.write("UPDATE inventory_kindstate SET resource_version = ''")
    opened = threading.Event()
    site.server.faults.inject("*/pods", Hang(opened))
    asked = site.server.requests.count("*/pods")
    site.let_leases_run_out()
    worker = site.start_worker("--pool", "solo")
    site.send_poll()
    eventually(lambda: site.server.requests.count("*/pods") > asked, "the list of Pods")
    kill(worker)
    opened.set()
    assert site.snapshot() == before

    site.start_worker("--pool", "solo")
    poll_until(site, HELD, 0)
    site.manage("check_ledger")


def test_a_worker_killed_in_the_middle_of_its_transaction_leaves_the_old_snapshot_whole(
    make_site: MakeSite,
) -> None:
    held = generated.cluster(300, 1500, seed=1, managed_fields=False)
    site = make_site(held)
    worker = site.start_worker("--pool", "solo")
    poll_until(site, "SELECT count(*) FROM inventory_claim", 1500)
    before = site.snapshot()
    for one in held.objects(CLAIMS)[:1400]:
        held.delete(CLAIMS, one["metadata"]["namespace"], one["metadata"]["name"])

    with site.transaction_held_open():
        site.send_poll()
        eventually(site.is_writing, "an open transaction of the worker")
        kill(worker)
    assert site.snapshot() == before

    site.start_worker("--pool", "solo")
    poll_until(site, "SELECT count(*) FROM inventory_claim", len(held.objects(CLAIMS)))
    site.manage("check_ledger")


def test_two_workers_never_poll_one_cluster_at_once(one_card: Site) -> None:
    site = one_card
    site.start_worker("--pool", "prefork", "--concurrency", "2")
    opened = threading.Event()
    site.server.faults.inject("*/pods", Hang(opened), times=1)
    site.send_poll()
    eventually(lambda: site.server.requests.count("*/pods") == 1, "the first poll")
    for _ in range(5):
        site.send_poll()
    time.sleep(1)
    assert site.server.requests.count("/version") == 1
    opened.set()
    eventually(lambda: site.number("SELECT count(*) FROM inventory_share") == 1, "the end of the first poll")
