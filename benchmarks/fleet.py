"""Many clusters on several workers, as they run in production: Celery, beat, PostgreSQL and Valkey."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.measuring import quantiles, usage
from benchmarks.served import Control, kubeconfig, served
from benchmarks.surroundings import migrated

_SETTLE_SECONDS = 5.0
_SAMPLE_SECONDS = 0.5
_PATIENCE_SECONDS = 900.0
_WORKERS, _POSTGRESQL = "--app=dashboard worker", "postgres"
_READ = "SELECT count(*) FROM inventory_cluster WHERE observed_at IS NOT NULL"
# Of each cluster what is written of its claims, and how long ago the kind was confirmed that waits longest.
_STATES = """
    SELECT max(resource_version) FILTER (WHERE kind = 'resourceclaims'),
           extract(epoch FROM clock_timestamp() - min(succeeded_at))
    FROM inventory_kindstate JOIN inventory_cluster ON inventory_cluster.id = cluster_id
    WHERE state = 'read' GROUP BY cluster_id, inventory_cluster.name
    ORDER BY split_part(inventory_cluster.name, '-', 2)::int
"""
_SIZE = "SELECT pg_database_size(current_database())"
_CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"


@dataclass(frozen=True)
class Fleet:
    clusters: int
    workers: int
    devices: int
    claims: int


def measure(fleet: Fleet, churn_per_second: float, seconds: float) -> dict[str, Any]:
    """Until every cluster is read; then how far behind it is, at rest and while each cluster changes.

    `behind_seconds`: the age of the oldest change to a claim that is not written yet, sampled;
    `confirmed_seconds`: how long ago the API server was last heard of, of the kind where that is longest.
    """
    with tempfile.TemporaryDirectory(prefix="sliceboard-benchmark-") as name:
        folder = Path(name)
        with (
            served(fleet.devices, fleet.claims, folder, fleet.clusters) as control,
            _environment(fleet, folder) as environment,
            _running(fleet, folder, environment),
            psycopg.connect(environment["DATABASE_URL"], autocommit=True) as database,
        ):
            read = _seconds_until_all_are_read(database, fleet.clusters)
            rest = _lags(database, control, seconds)
            control.churn(churn_per_second)
            changing = _lags(database, control, seconds)
            return {
                "all_read_seconds": read,
                "rest": rest,
                "changing": {**changing, "writes_per_second": control.rest()},
                "largest_worker_mib": usage(_WORKERS).largest_mib,
                "workers_mib": usage(_WORKERS).together_mib,
                "database_mib": _one(database, _SIZE) / 2**20,
                # Without our own.
                "connections": _one(database, _CONNECTIONS) - 1,
            }


@contextmanager
def _environment(fleet: Fleet, folder: Path) -> Iterator[dict[str, str]]:
    from dashboard.supervisor.broker import server_binary
    from tests.services.broker import running_broker

    declared = ",".join(f"cluster-{one}={kubeconfig(folder, one)}" for one in range(fleet.clusters))
    with (
        running_broker(server_binary()) as broker,
        migrated(
            "postgresql", folder, SLICEBOARD_BROKER_URL=broker, SLICEBOARD_CLUSTERS=declared
        ) as environment,
    ):
        command = [sys.executable, "manage.py", "prepare", "--without-static"]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        yield environment


@contextmanager
def _running(fleet: Fleet, folder: Path, environment: dict[str, str]) -> Iterator[None]:
    # Where the project is, the settings know; they need a key for that.
    os.environ.update(
        {name: environment[name] for name in ("DJANGO_SETTINGS_MODULE", "SLICEBOARD_SECRET_KEY")}
    )
    from dashboard.supervisor.processes import Processes
    from dashboard.supervisor.programs import Programs

    programs = Programs(environment)
    with Processes(folder) as processes:
        for number in range(fleet.workers):
            worker, name = programs.worker(), f"worker-{number}"
            argv = (*worker.argv, f"--hostname={name}@benchmark")
            processes.start(replace(worker, name=name, argv=argv))
        processes.start(programs.beat())
        yield


def _seconds_until_all_are_read(database: psycopg.Connection, clusters: int) -> float:
    began = time.monotonic()
    while _one(database, _READ) < clusters:
        if time.monotonic() - began > _PATIENCE_SECONDS:
            raise SystemExit(f"not every cluster was read within {_PATIENCE_SECONDS:.0f} s")
        time.sleep(0.05)
    return time.monotonic() - began


def _lags(database: psycopg.Connection, control: Control, seconds: float) -> dict[str, Any]:
    time.sleep(_SETTLE_SECONDS)
    behind: list[float] = []
    confirmed: list[float] = []
    before, asked = [usage(word).cpu for word in (_WORKERS, _POSTGRESQL)], control.requests()
    began = time.monotonic()
    while (past := time.monotonic() - began) < seconds:
        states = database.execute(_STATES).fetchall()
        behind += control.behind([version for version, _ in states])
        confirmed += (float(age) for _, age in states)
        time.sleep(_SAMPLE_SECONDS)
    workers, postgresql = (
        usage(word).cpu - used for word, used in zip((_WORKERS, _POSTGRESQL), before, strict=True)
    )
    return {
        "behind_seconds": quantiles(behind),
        "confirmed_seconds": quantiles(confirmed),
        "workers_cores": workers / past,
        "postgresql_cores": postgresql / past,
        "requests_per_second": (control.requests() - asked) / past,
    }


def _one(database: psycopg.Connection, statement: str) -> int:
    row = database.execute(statement).fetchone()
    return int(row[0]) if row else 0
