"""Workers as they run in production: processes of their own, a real broker, a database on disk."""

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from celery import Celery

from dashboard.supervisor.processes import Process, Processes, Program
from demo.server import ApiServer
from demo.store import Store

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0
_WAITING = (
    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%skippedobject%'"
)


def eventually(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, f"{what} did not happen in {PATIENCE:.0f} s"
        time.sleep(0.05)


class Site:
    """A database and a broker, the workers on them, and the cluster they follow. Reads with plain SQL."""

    def __init__(
        self, database: str, broker: str, folder: Path, processes: Processes, server: ApiServer
    ) -> None:
        self.server = server
        self._database = database
        self._folder = folder
        self._processes = processes
        # A key prefix of its own: sites of tests that run side by side share the broker.
        self._queue = f"drill-{uuid4().hex[:8]}"
        self._app = Celery("drill", broker=broker)
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

    def start_worker(self, *options: str) -> Process:
        argv = (
            sys.executable,
            "-m",
            "celery",
            "--app",
            "dashboard",
            "worker",
            "--queues",
            self._queue,
            *options,
        )
        return self._processes.start(Program(f"worker-{uuid4().hex[:6]}", argv, self.environment, ROOT))

    def send_poll(self) -> None:
        self._app.send_task("inventory.tasks.poll_cluster", (1,), queue=self._queue)

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

    def close(self) -> None:
        self._app.close()


MakeSite = Callable[[Store], Site]


@pytest.fixture(params=["embedded", "production"])
def make_site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeSite]:
    """SQLite with Valkey, as on one machine, or PostgreSQL with Redis."""
    with ExitStack() as stack:
        broker = request.getfixturevalue("valkey" if request.param == "embedded" else "redis_server")
        if request.param == "embedded":
            database = f"sqlite:///{tmp_path / 'drill.sqlite3'}"
        else:
            database = stack.enter_context(_database(request.getfixturevalue("postgresql")))
        processes = stack.enter_context(Processes(tmp_path))

        def make(store: Store) -> Site:
            server = stack.enter_context(ApiServer(store))
            site = Site(database, broker, tmp_path, processes, server)
            stack.callback(site.close)
            return site

        yield make


@contextmanager
def _database(server: str) -> Iterator[str]:
    """A database of its own on the server of the session."""
    name = f"drill_{uuid4().hex[:8]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield server.rpartition("/")[0] + f"/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
