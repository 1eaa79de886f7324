"""`manage.py run` and `manage.py demo` as their users have them: a child process, its output, its port."""

import http.client
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from email.message import Message
from http.cookies import SimpleCookie
from pathlib import Path
from typing import NamedTuple, Self
from urllib.parse import urlencode

ROOT = Path(__file__).parents[2]


class Answer(NamedTuple):
    status: int
    headers: Message
    body: bytes


class Running:
    """What it prints up to the end of its greeting is in `greeting`."""

    def __init__(self, command: str, state: Path, **environment: str) -> None:
        self.state = state
        self.port = free_port()
        self._process = subprocess.Popen(
            (sys.executable, "manage.py", command),
            cwd=ROOT,
            env={**clean_environment(state), "PORT": str(self.port), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.greeting = self._read_until("Ctrl-C stops everything")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.end(signal.SIGTERM)

    def end(self, number: signal.Signals) -> tuple[int, str]:
        self._process.send_signal(number)
        return self.wait()

    def wait(self) -> tuple[int, str]:
        """The exit code, and what it said since the greeting."""
        assert self._process.stdout
        with self._process.stdout as told:
            last_words = told.read()
        return self._process.wait(), last_words

    def ask(self, path: str, body: str | None = None, headers: Mapping[str, str] | None = None) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("POST" if body else "GET", path, body, dict(headers or {}))
        response = connection.getresponse()
        answer = Answer(response.status, response.headers, response.read())
        connection.close()
        return answer

    def signs_in(self, name: str, password: str) -> bool:
        page = self.ask("/sign-in/")
        token = SimpleCookie(page.headers["Set-Cookie"])["csrftoken"].value
        form = urlencode({"username": name, "password": password, "csrfmiddlewaretoken": token})
        headers = {"Cookie": f"csrftoken={token}", "Content-Type": "application/x-www-form-urlencoded"}
        answer = self.ask("/sign-in/", form, headers)
        return "sessionid" in str(answer.headers.get_all("Set-Cookie"))

    def _read_until(self, words: str) -> str:
        assert self._process.stdout
        told = ""
        for line in self._process.stdout:
            told += line
            if words in line:
                return told
        raise AssertionError(f"it ended early:\n{told}")


def clean_environment(state: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(state), "SLICEBOARD_STATE": str(state)}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def left(state: Path) -> list[str]:
    """The processes that know this state folder."""
    command = ("ps", "axeww", "-o", "stat=,pid=,args=")
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if str(state) in line and not line.startswith("Z")]
