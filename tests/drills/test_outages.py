"""What workers stand on goes away and comes back: database, broker, disk, processor time."""

import os
import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dashboard.supervisor.processes import Process
from demo import generated
from demo.churn import Churn, run
from demo.store import Store
from tests.drills.conftest import QUEUE, MakeSite, Site, SiteOn, eventually, wait_until_equal
from tests.drills.past import past_faults
from tests.drills.reader import history_faults, untold
from tests.services.broker import Broker
from tests.services.postgresql import Postgresql

pytestmark = pytest.mark.timeout(240)

_POLLING = {"SLICEBOARD_POLL_SECONDS": "2"}
_LONG = {"SLICEBOARD_POLL_SECONDS": "60"}
_REVISION = "SELECT revision FROM inventory_cluster"
_NUMBERS = "SELECT sum(number) FROM inventory_lease"


def cluster() -> Store:
    return generated.cluster(16, 60, seed=1, managed_fields=False)


@contextmanager
def living(held: Store) -> Iterator[None]:
    stopped = threading.Event()
    thread = threading.Thread(target=run, args=(Churn(held, 7), 60, stopped))
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def grows(site: Site) -> None:
    """Somebody follows."""
    before = site.number(_REVISION)
    eventually(lambda: site.number(_REVISION) > before, "something new in the tables")


def nothing_is_lost(site: Site, since: int, *, send_polls: bool = False) -> None:
    wait_until_equal(site, send_polls=send_polls)
    assert history_faults(site.rows) == []
    assert past_faults(site.rows) == []
    assert untold(site.server.store.changes_after(since), site.rows) == []


def ended(workers: list[Process], how: str) -> bool:
    return any(f"ended={how}" in worker.log.read_text() for worker in workers)


def test_a_database_and_a_broker_that_restart_while_the_cluster_lives_lose_nothing(
    own_postgresql: Postgresql, own_broker: Broker, site_on: SiteOn
) -> None:
    held = cluster()
    site = site_on(own_postgresql.url, own_broker.url, held, queue=QUEUE)
    site.start_worker("--pool", "solo", environment=_POLLING)
    site.start_beat(_POLLING)
    wait_until_equal(site, send_polls=False)
    since = held.revision
    with living(held):
        for service in (own_postgresql, own_broker):
            grows(site)
            service.stop()
            service.start()
            grows(site)
    nothing_is_lost(site, since)


def test_two_beats_and_two_workers_are_never_two_writers(
    own_broker: Broker, site_on: SiteOn, tmp_path: Path
) -> None:
    held = cluster()
    site = site_on(f"sqlite:///{tmp_path / 'drill.sqlite3'}", own_broker.url, held, queue=QUEUE)
    workers = [site.start_worker("--pool", "solo", environment=_POLLING) for _ in range(2)]
    for _ in range(2):
        site.start_beat(_POLLING)
    wait_until_equal(site, send_polls=False)
    since, taken = held.revision, site.number(_NUMBERS)
    with site.sampled(), living(held):
        eventually(lambda: site.number(_NUMBERS) > taken + 5, "some polls")
    nothing_is_lost(site, since)
    assert not ended(workers, "lost")


def test_a_worker_that_stalls_does_not_write_over_its_successor(make_site: MakeSite) -> None:
    held = cluster()
    site = make_site(held)
    stalled = site.start_worker("--pool", "solo", environment=_LONG)
    wait_until_equal(site)
    since = held.revision
    os.killpg(stalled.group, signal.SIGSTOP)
    try:
        with site.sampled():
            site.let_leases_run_out()
            site.start_worker("--pool", "solo", environment=_LONG)
            with living(held):
                taken = site.number(_REVISION)
                eventually(lambda: _sent(site, taken), "the successor's rows")
                os.killpg(stalled.group, signal.SIGCONT)
                eventually(lambda: ended([stalled], "lost"), "that the stalled one has lost its lease")
            nothing_is_lost(site, since)
    finally:
        os.killpg(stalled.group, signal.SIGCONT)


def _sent(site: Site, revision: int) -> bool:
    site.send_poll()
    return site.number(_REVISION) > revision


def test_a_full_disk_leaves_the_old_snapshot_whole_until_there_is_space(
    own_broker: Broker, site_on: SiteOn, tmp_path: Path
) -> None:
    held, file = cluster(), tmp_path / "drill.sqlite3"
    site = site_on(f"sqlite:///{file}", own_broker.url, held, queue=QUEUE)
    worker = site.start_worker("--pool", "solo", environment=_POLLING)
    site.start_beat(_POLLING)
    wait_until_equal(site, send_polls=False)
    since = held.revision
    with site.sampled():
        # Less than the file has: nothing can be moved into it, so what is written beside it is not freed.
        least = file.stat().st_size // 2
        resource.prlimit(worker.group, resource.RLIMIT_FSIZE, (least, resource.RLIM_INFINITY))
        with living(held):
            eventually(lambda: "disk I/O error" in worker.log.read_text(), "that it says so")
        unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.prlimit(worker.group, resource.RLIMIT_FSIZE, unlimited)
        nothing_is_lost(site, since)
