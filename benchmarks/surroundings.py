"""A database, the settings of a process that measures, and that process."""

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.measuring import usage

DATABASES = ("sqlite", "postgresql")
_POSTGRESQL = "postgres"


def end_in_order() -> None:
    """Let a request to end stop what was started and remove what was written, as Ctrl-C does."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


@contextmanager
def database(kind: str, folder: Path) -> Iterator[str]:
    """The URL of an empty database. PostgreSQL runs as in tests, without waiting for the disk."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / f'{secrets.token_hex(4)}.sqlite3'}"
        return
    from tests.services.postgresql import running_postgresql

    with running_postgresql() as url:
        yield url


@contextmanager
def migrated(kind: str, folder: Path, **settings: str) -> Iterator[dict[str, str]]:
    """The environment of processes that use an empty database of this kind."""
    with database(kind, folder) as url:
        environment = {
            **os.environ,
            "DATABASE_URL": url,
            "DJANGO_SETTINGS_MODULE": "dashboard.settings",
            "SLICEBOARD_SECRET_KEY": secrets.token_hex(32),
            "SLICEBOARD_STATE": str(folder),
            "SLICEBOARD_LOG_LEVEL": "WARNING",
            **settings,
        }
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], env=environment, check=True)
        yield environment


def measured(
    module: str, sizes: Mapping[str, int], kind: str, runs: int, **settings: str
) -> list[dict[str, Any]]:
    """What `--once` of a benchmark prints, in so many processes, on a database that `--fill` has filled."""
    command = [sys.executable, "-m", module]
    command += [part for name, size in sizes.items() for part in (f"--{name}", str(size))]
    with (
        tempfile.TemporaryDirectory(prefix="sliceboard-benchmark-") as folder,
        migrated(kind, Path(folder), **settings) as environment,
    ):
        subprocess.run([*command, "--fill", folder], env=environment, check=True)
        found = []
        for number in range(runs):
            done = subprocess.run(
                [*command, "--once"], env=environment, check=True, stdout=subprocess.PIPE, text=True
            )
            found.append(json.loads(done.stdout.splitlines()[-1]))
            print(f"run {number + 1}", file=sys.stderr)
        return found


def once(what: str, folder: Path, environment: Mapping[str, str], seconds: float = 0) -> dict[str, Any]:
    """One measurement in a fresh process; `database_cpu` is what PostgreSQL has used meanwhile."""
    command = [sys.executable, "-m", "benchmarks.poll_once", what, "--folder", str(folder)]
    before = usage(_POSTGRESQL).cpu
    done = subprocess.run(
        [*command, "--seconds", str(seconds)], env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return {**found, "database_cpu": usage(_POSTGRESQL).cpu - before}
