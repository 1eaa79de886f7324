"""A real Valkey or Redis for tests, on a free port of its own, with a password."""

import secrets
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis

from dashboard.supervisor.processes import Process, Processes, Program


class Broker:
    """A server that can be stopped and started again, under the same URL.

    `keeps`: it writes down what it holds, and has it again afterwards.
    """

    def __init__(self, processes: Processes, folder: Path, server: Path, *, keeps: bool = False) -> None:
        self._processes = processes
        self._folder = folder
        self._server = server
        self._keeps = keeps
        self._process: Process | None = None
        self._password = secrets.token_hex(16)
        # Another process may take the port before the server does: then with another one.
        for _ in range(5):
            self._port = _free_port()
            if self._begin():
                return
        raise RuntimeError(self._failure())

    @property
    def url(self) -> str:
        return f"redis://:{self._password}@127.0.0.1:{self._port}/0"

    def start(self) -> None:
        if not self._begin():
            raise RuntimeError(self._failure())

    def stop(self) -> None:
        if self._process is not None:
            self._processes.stop((self._process,))
            self._process = None

    def _begin(self) -> bool:
        """Whether it answers; else it has ended."""
        config = self._folder / "broker.conf"
        config.write_text(
            f'port {self._port}\nbind 127.0.0.1\nrequirepass {self._password}\nsave ""\n'
            f"appendonly {'yes' if self._keeps else 'no'}\ndir {self._folder}\n"
        )
        argv = (str(self._server), str(config))
        self._process = self._processes.start(Program("broker", argv, folder=self._folder))
        while self._process.exit_code() is None:
            if _answers(self.url):
                return True
            time.sleep(0.02)
        return False

    def _failure(self) -> str:
        told = self._process.last_lines() if self._process else ""
        return f"{self._server} did not start:\n{told}"


@contextmanager
def running_broker(server: Path) -> Iterator[str]:
    """The URL of a new, empty server of this program; it ends with the block, or with this process."""
    with own_broker(server) as broker:
        yield broker.url


@contextmanager
def own_broker(server: Path, *, keeps: bool = False) -> Iterator[Broker]:
    """A new, empty server; it ends with the block, or with this process."""
    folder = Path(tempfile.mkdtemp(prefix="sliceboard-broker-"))
    try:
        with Processes(folder) as processes:
            processes.remove_at_the_end(folder)
            yield Broker(processes, folder, server, keeps=keeps)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _answers(url: str) -> bool:
    with redis.Redis.from_url(url) as client:
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False
