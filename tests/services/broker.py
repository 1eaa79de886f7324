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

from dashboard.supervisor.processes import Processes, Program


@contextmanager
def running_broker(server: Path) -> Iterator[str]:
    """The URL of a new, empty server of this program; it ends with the block, or with this process."""
    folder = Path(tempfile.mkdtemp(prefix="sliceboard-broker-"))
    try:
        with Processes(folder) as processes:
            processes.remove_at_the_end(folder)
            yield _start(processes, folder, server)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _start(processes: Processes, folder: Path, server: Path) -> str:
    """Another process may take the port before the server does: then with another one."""
    for _ in range(5):
        port, password = _free_port(), secrets.token_hex(16)
        config = folder / "broker.conf"
        config.write_text(
            f'port {port}\nbind 127.0.0.1\nrequirepass {password}\nsave ""\nappendonly no\ndir {folder}\n'
        )
        process = processes.start(Program("broker", (str(server), str(config)), folder=folder))
        url = f"redis://:{password}@127.0.0.1:{port}/0"
        while process.exit_code() is None:
            if _answers(url):
                return url
            time.sleep(0.02)
    raise RuntimeError(f"{server} did not start:\n{process.last_lines()}")


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
