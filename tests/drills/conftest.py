"""Workers as they run in production: processes of their own, a real broker, a database on disk."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, Protocol
from uuid import uuid4

import psycopg
import pytest
from celery import Celery

from dashboard.supervisor.broker import server_binary
from dashboard.supervisor.processes import Process, Processes, Program
from demo.server import ApiServer
from demo.store import Store
from tests.drills.reader import differences
from tests.services.broker import Broker, own_broker
from tests.services.postgresql import Postgresql, own_postgresql

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0
NOTHING: Mapping[str, str] = MappingProxyType({})
# To which the product sends where nothing else is said.
QUEUE = "sliceboard"
_WAITING = (
    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%skippedobject%'"
)


def eventually(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, f"{what} did not happen in {PATIENCE:.0f} s"
        time.sleep(0.05)


def kill(worker: Process) -> None:
    """The worker with all its children, as the kernel does it when memory runs out."""
    os.killpg(worker.group, signal.SIGKILL)
    eventually(lambda: worker.exit_code() is not None, "the worker's end")


class Site:
    """A database and a broker, the workers on them, and the cluster they follow. Reads with plain SQL."""

    def __init__(
        self,
        database: str,
        broker: str,
        folder: Path,
        processes: Processes,
        server: ApiServer,
        queue: str | None = None,
    ) -> None:
        self.server = server
        self._database = database
        self.folder = folder
        self._processes = processes
        # One of its own: sites of tests that run side by side share the broker.
        self._queue = queue or f"drill-{uuid4().hex[:8]}"
        self._app = Celery("drill", broker=broker)
        self._sorts: dict[str, tuple[tuple[str, ...], Mapping[str, str]]] = {}
        self.environment = {
            **os.environ,
            "DATABASE_URL": database,
            "SLICEBOARD_BROKER_URL": broker,
            "SLICEBOARD_SECRET_KEY": "known to everybody",
            "SLICEBOARD_STATE": str(folder),
            "SLICEBOARD_LEASE_SECONDS": "10",
            "SLICEBOARD_CLUSTERS": f"lab={server.kubeconfig(folder / 'kubeconfig')}",
            "DJANGO_SETTINGS_MODULE": "dashboard.settings",
        }
        self.manage("prepare")

    @property
    def _is_postgresql(self) -> bool:
        return self._database.startswith("postgresql")

    def manage(self, *arguments: str) -> None:
        subprocess.run((sys.executable, "manage.py", *arguments), cwd=ROOT, env=self.environment, check=True)

    def start_worker(self, *options: str, environment: Mapping[str, str] = NOTHING) -> Process:
        """`environment`: what is different for this one."""
        name = f"worker-{uuid4().hex[:6]}"
        self._sorts[name] = options, environment
        worker = ("worker", "--queues", self._queue, "--hostname", f"{name}@drill", *options)
        return self._start(name, worker, environment)

    def start_workers(self, count: int, *options: str) -> list[Process]:
        return [self.start_worker(*options) for _ in range(count)]

    def start_beat(self, environment: Mapping[str, str] = NOTHING) -> Process:
        """It sends to the product's own queue: the site has to have that, and a broker of its own."""
        name = f"beat-{uuid4().hex[:6]}"
        return self._start(name, ("beat", "--pidfile=", "--schedule", str(self.folder / name)), environment)

    def _start(self, name: str, arguments: tuple[str, ...], environment: Mapping[str, str]) -> Process:
        argv = (sys.executable, "-m", "celery", "--app", "dashboard", *arguments)
        return self._processes.start(Program(name, argv, {**self.environment, **environment}, ROOT))

    def kill_and_replace(self, worker: Process, random: Random, within_seconds: float) -> Process:
        """Kill a worker at some moment of the time given, and start another of its sort in its place."""
        time.sleep(random.uniform(0, within_seconds))
        kill(worker)
        self._processes.stop((worker,))
        options, environment = self._sorts.pop(worker.name)
        return self.start_worker(*options, environment=environment)

    def send_poll(self) -> None:
        self.send("poll_cluster")

    def send(self, task: str) -> None:
        self._app.send_task(f"inventory.tasks.{task}", (1,), queue=self._queue)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        if self._is_postgresql:
            with psycopg.connect(self._database) as connection:
                return connection.execute(sql).fetchall()
        file = sqlite3.connect(self._database.removeprefix("sqlite:///"), timeout=30)
        try:
            return file.execute(sql).fetchall()
        finally:
            file.close()

    def number(self, sql: str) -> int:
        return int(self.rows(sql)[0][0])

    def write(self, sql: str) -> None:
        if self._is_postgresql:
            with psycopg.connect(self._database) as connection:
                connection.execute(sql)
            return
        with closing(sqlite3.connect(self._database.removeprefix("sqlite:///"), timeout=30)) as file, file:
            file.execute(sql)

    def let_leases_run_out(self) -> None:
        """As if the time of a holder that was killed had passed."""
        self.write("UPDATE inventory_lease SET until = NULL")

    @contextmanager
    def sampled(self) -> Iterator[Process]:
        """While somebody looks at the books all the time; afterwards nothing may have been wrong."""
        argv = (sys.executable, "-m", "tests.drills.sampler", self._database)
        reader = self._processes.start(Program(f"sampler-{uuid4().hex[:6]}", argv, self.environment, ROOT))
        yield reader
        self._processes.stop((reader,))
        told = reader.log.read_text()
        assert told == "looking\n", told[:5000]

    def snapshot(self) -> list[list[tuple[Any, ...]]]:
        """What readers see, table by table."""
        return [
            self.rows(f"SELECT * FROM inventory_{table} ORDER BY id")  # noqa: S608 (the names are ours)
            for table in ("device", "balance", "claim", "share", "consumedcapacity", "pod")
        ]

    @contextmanager
    def transaction_held_open(self) -> Iterator[None]:
        """On PostgreSQL a poll waits here for a lock on the last table that it writes.

        SQLite has one lock for all, which only the poll itself can hold: there it has to be caught at work.
        """
        if not self._is_postgresql:
            yield
            return
        with psycopg.connect(self._database) as connection:
            connection.execute("LOCK TABLE inventory_skippedobject IN ACCESS EXCLUSIVE MODE")
            yield
            connection.rollback()

    def is_writing(self) -> bool:
        """Somebody is in the middle of a transaction that lasts."""
        if self._is_postgresql:
            return self.number(_WAITING) > 0
        if not self._is_locked():
            return False
        time.sleep(0.1)
        return self._is_locked()

    def _is_locked(self) -> bool:
        file = sqlite3.connect(self._database.removeprefix("sqlite:///"), timeout=0, isolation_level=None)
        try:
            file.execute("BEGIN IMMEDIATE")
            file.execute("ROLLBACK")
        except sqlite3.OperationalError:
            return True
        finally:
            file.close()
        return False

    def bring_up(self, **options: Any) -> None:
        """The API server again, at its old address; `options` are those that it has now."""
        port = int(self.server.url.rpartition(":")[2])
        self.server = ApiServer(self.server.store, port=port, **options).start()

    def close(self) -> None:
        self.server.stop()
        self._app.close()


def wait_until_equal(site: Site, seconds: float = PATIENCE, *, send_polls: bool = True) -> None:
    """Wait until the database says what the API server holds, by the independent reader."""
    deadline = time.monotonic() + seconds
    while left := _differences(site):
        assert time.monotonic() < deadline, f"after {seconds:.0f} s there differ:\n" + "\n".join(left)
        if send_polls:
            site.send_poll()
        time.sleep(0.5)


def _differences(site: Site) -> list[str]:
    try:
        return differences(site.server.store, site.rows)
    except (psycopg.OperationalError, sqlite3.OperationalError) as error:
        return [f"the database does not answer: {error}"]


MakeSite = Callable[[Store], Site]


class SiteOn(Protocol):
    """A site on the database and the broker of these URLs, with a queue of its own if none is named.

    `server`: how the API server is to be.
    """

    def __call__(
        self, database: str, broker: str, store: Store, *, queue: str | None = None, **server: Any
    ) -> Site: ...


@contextmanager
def sites(folder: Path) -> Iterator[SiteOn]:
    with ExitStack() as stack:
        processes = stack.enter_context(Processes(folder))

        def make(
            database: str, broker: str, store: Store, *, queue: str | None = None, **server: Any
        ) -> Site:
            site = Site(database, broker, folder, processes, ApiServer(store, **server).start(), queue)
            stack.callback(site.close)
            return site

        yield make


@pytest.fixture
def site_on(tmp_path: Path) -> Iterator[SiteOn]:
    with sites(tmp_path) as make:
        yield make


@pytest.fixture(params=["embedded", "production"])
def make_site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeSite]:
    """SQLite with Valkey, as on one machine, or PostgreSQL with Redis."""
    with ExitStack() as stack:
        broker = request.getfixturevalue("valkey" if request.param == "embedded" else "redis_server")
        if request.param == "embedded":
            database = f"sqlite:///{tmp_path / 'drill.sqlite3'}"
        else:
            database = stack.enter_context(database_on(request.getfixturevalue("postgresql")))
        make = stack.enter_context(sites(tmp_path))
        yield lambda store: make(database, broker, store)


@pytest.fixture(name="own_postgresql")
def _own_postgresql() -> Iterator[Postgresql]:
    """A PostgreSQL of the test's own, to stop and start; what was committed survives."""
    with own_postgresql(durable=True) as server:
        yield server


@pytest.fixture(name="own_broker")
def _own_broker() -> Iterator[Broker]:
    """A Valkey of the test's own, to stop and start; like the embedded one it keeps nothing."""
    with own_broker(server_binary()) as server:
        yield server


@contextmanager
def database_on(server: str) -> Iterator[str]:
    """A database of its own on the server of the session."""
    name = f"drill_{uuid4().hex[:8]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield server.rpartition("/")[0] + f"/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
