"""The web server as it runs in production, on the database of the tests."""

import http.client
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self
from urllib.parse import quote

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from dashboard.supervisor.address import Address
from dashboard.supervisor.processes import Process, Processes, Program
from dashboard.supervisor.supervise import answers
from tests.dashboard.running import ROOT, Answer, free_port
from tests.dashboard.stream.reading import Event, events_of

_PATIENCE_SECONDS = 60.0


class Web(NamedTuple):
    process: Process
    address: Address

    @property
    def url(self) -> str:
        return self.address.url.rstrip("/")

    @property
    def threads(self) -> list[int]:
        """How many each of its processes has."""
        command = ("ps", "-o", "nlwp=", "-g", str(self.process.group))
        listed = subprocess.run(command, capture_output=True, text=True, check=True)
        return [int(line) for line in listed.stdout.split()]

    def ask(self, path: str, body: str | None = None, headers: Mapping[str, str] | None = None) -> Answer:
        asking = http.client.HTTPConnection(self.address.host, self.address.port, timeout=_PATIENCE_SECONDS)
        asking.request("POST" if body is not None else "GET", path, body, dict(headers or {}))
        response = asking.getresponse()
        answer = Answer(response.status, response.headers, response.read())
        asking.close()
        return answer


class Listening:
    """A client of the stream; each event is waited for as long as it takes, within reason."""

    def __init__(self, web: Web, query: str = "", headers: Mapping[str, str] | None = None) -> None:
        self._connection = http.client.HTTPConnection(
            web.address.host, web.address.port, timeout=_PATIENCE_SECONDS
        )
        self._connection.request("GET", f"/api/v1/stream/?{query}", headers=dict(headers or {}))
        self.response = self._connection.getresponse()
        assert self.response.status == 200, self.response.read()
        self.events: Iterator[Event] = events_of(self._lines())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.response.close()
        self._connection.close()

    def until(self, change: tuple[str, str]) -> list[Event]:
        """Everything up to this change of a share."""
        found = []
        for event in self.events:
            found.append(event)
            if event.name == "share" and event.change == change:
                return found
        raise AssertionError(f"the stream ended before {change}")

    def _lines(self) -> Iterator[str]:
        while line := self.response.readline():
            yield line.decode()


def as_user(user: User) -> dict[str, str]:
    """The headers of a browser in which he has signed in."""
    client = Client()
    client.force_login(user)
    return {"Cookie": f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"}


@contextmanager
def running_web(folder: Path, **environment: str) -> Iterator[Web]:
    """It ends with the block, or with this process."""
    address = Address("127.0.0.1", free_port())
    argv = (sys.executable, "manage.py", "serve", f"--bind={address}", "--grace=5")
    given = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "DATABASE_URL": _database_url(),
        "SLICEBOARD_STATE": str(folder),
        **environment,
    }
    with Processes(folder) as processes:
        process = processes.start(Program("web", argv, given, ROOT))
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not answers(address):
            assert process.exit_code() is None, process.last_lines()
            assert time.monotonic() < deadline, process.last_lines()
            time.sleep(0.05)
        yield Web(process, address)


def _database_url() -> str:
    known = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{known['NAME']}"
    place = quote(known["HOST"], safe="") + (f":{known['PORT']}" if known["PORT"] else "")
    return f"postgresql://{known['USER']}@{place}/{known['NAME']}"
