"""Workers killed at random points of their polls, while the cluster lives and readers look on."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import pytest

from demo import generated
from demo.churn import Churn, run
from tests.drills.conftest import ROOT, MakeSite, Site, wait_until_equal
from tests.drills.past import past_faults
from tests.drills.reader import history_faults, untold

_LONGEST_LIFE = 0.9
_WRITES_PER_SECOND = 100


class Poller:
    """A process that polls, and can be killed and started again at once."""

    def __init__(self, site: Site, process: "subprocess.Popen[str]") -> None:
        self._site, self._process = site, process

    def start(self) -> None:
        self._tell("start")

    def kill(self) -> None:
        self._tell("kill")
        self._site.let_leases_run_out()

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "done\n"


@contextmanager
def polled(site: Site) -> Iterator[Poller]:
    """What it says of itself has to be free of errors."""
    log = site.folder / "poller.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            (sys.executable, "-m", "tests.drills.poller"),
            cwd=ROOT,
            env=site.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=output,
            text=True,
        )
        with process:
            yield Poller(site, process)
    assert "Traceback" not in log.read_text(), log.read_text()[-5000:]


@contextmanager
def living(churn: Churn) -> Iterator[None]:
    stopped = threading.Event()
    thread = threading.Thread(target=run, args=(churn, _WRITES_PER_SECOND, stopped))
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def check(site: Site, *, since: int | None) -> None:
    """`since`: from which revision on every share must have left its trace."""
    wait_until_equal(site, send_polls=False)
    assert history_faults(site.rows) == []
    assert past_faults(site.rows) == []
    if since is not None:
        assert untold(site.server.store.changes_after(since), site.rows) == []


@pytest.mark.timeout(300)
@pytest.mark.parametrize("forgetting", [False, True])
def test_a_worker_killed_at_random_points_loses_nothing_and_doubles_nothing(
    make_site: MakeSite, *, forgetting: bool
) -> None:
    """`forgetting`: now and then the API server has no history, and everything is read in full."""
    held, random = generated.cluster(16, 60, seed=1, managed_fields=False), Random(int(forgetting))
    site, churn = make_site(held), Churn(held, 7)
    with polled(site) as poller, site.sampled():
        poller.start()
        check(site, since=None)
        since = None if forgetting else held.revision
        for _ in range(5):
            with living(churn):
                for _ in range(10):
                    time.sleep(random.uniform(0, _LONGEST_LIFE))
                    poller.kill()
                    if forgetting and random.randrange(3) == 0:
                        held.compact()
                    poller.start()
            check(site, since=since)


def test_celery_workers_killed_at_random_points_lose_nothing_and_double_nothing(make_site: MakeSite) -> None:
    held, random = generated.cluster(16, 60, seed=1, managed_fields=False), Random(3)
    site, churn = make_site(held), Churn(held, 7)
    worker = site.start_worker("--pool", "solo")
    wait_until_equal(site)
    since = held.revision
    with site.sampled(), living(churn):
        for _ in range(4):
            site.send_poll()
            # A worker takes some seconds to begin.
            worker = site.kill_and_replace(worker, random, within_seconds=5)
            site.let_leases_run_out()
    wait_until_equal(site)
    check(site, since=since)
