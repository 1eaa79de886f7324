"""`manage.py demo` as its user has it: one command, a URL, a sign-in, and nothing left afterwards."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from email.message import Message
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import urlencode

import pytest

ROOT = Path(__file__).parents[2]
TOKEN = "token-of-this-test"


class Answer(NamedTuple):
    status: int
    headers: Message
    body: bytes


class Demo:
    """A running demo; what it prints up to the greeting is in `greeting`."""

    def __init__(self, state: Path, password: str) -> None:
        self.state = state
        self.port = free_port()
        self._process = subprocess.Popen(
            (sys.executable, "manage.py", "demo"),
            cwd=ROOT,
            env=environment(state) | {"PORT": str(self.port), "DEMO_PASSWORD": password, "DEMO_TOKEN": TOKEN},
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

    def ask(self, path: str, body: str | None = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("POST" if body else "GET", path, body, headers)
        response = connection.getresponse()
        answer = Answer(response.status, response.headers, response.read())
        connection.close()
        return answer

    def read(self, path: str) -> Any:
        answer = self.ask(path, Authorization=f"Bearer {TOKEN}")
        assert answer.status == 200
        return json.loads(answer.body)

    def signs_in(self, name: str, password: str) -> bool:
        page = self.ask("/admin/login/")
        token = SimpleCookie(page.headers["Set-Cookie"])["csrftoken"].value
        form = urlencode({"username": name, "password": password, "csrfmiddlewaretoken": token})
        kind = "application/x-www-form-urlencoded"
        answer = self.ask("/admin/login/", form, Cookie=f"csrftoken={token}", **{"Content-Type": kind})
        return "sessionid" in str(answer.headers.get_all("Set-Cookie"))

    def _read_until(self, words: str) -> str:
        assert self._process.stdout
        told = ""
        for line in self._process.stdout:
            told += line
            if words in line:
                return told
        raise AssertionError(f"the demo ended early:\n{told}")


def environment(state: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(state), "SLICEBOARD_STATE": str(state)}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def left(state: Path) -> list[str]:
    """The processes that know this state folder."""
    listed = subprocess.run(
        ("ps", "axeww", "-o", "stat=,pid=,args="), capture_output=True, text=True, check=True
    )
    return [line for line in listed.stdout.splitlines() if str(state) in line and not line.startswith("Z")]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with Demo(tmp_path_factory.mktemp("state"), "first-password") as running:
        yield running


def test_it_says_where_it_is_and_who_may_sign_in(demo: Demo) -> None:
    assert f"http://127.0.0.1:{demo.port}/" in demo.greeting
    assert "operator, vision-lead or nlp-member" in demo.greeting
    assert "first-password" in demo.greeting


@pytest.mark.parametrize("name", ["operator", "vision-lead", "nlp-member"])
def test_its_users_sign_in_with_the_given_password(name: str, demo: Demo) -> None:
    page_for_staff = name == "operator"
    assert demo.signs_in(name, "first-password") is page_for_staff
    assert demo.signs_in(name, "another") is False


def test_the_given_token_reads_what_both_clusters_hold(demo: Demo) -> None:
    while any(cluster["observed_at"] is None for cluster in demo.read("/api/v1/clusters/")["results"]):
        time.sleep(0.1)
    assert {cluster["name"] for cluster in demo.read("/api/v1/clusters/")["results"]} == {"recorded", "story"}
    assert demo.read("/api/v1/shares/?cluster=recorded")["count"] > 0
    assert demo.read("/api/v1/shares/?cluster=story")["count"] > 0


def test_without_the_token_nothing_is_readable(demo: Demo) -> None:
    assert demo.ask("/api/v1/shares/").status == 401
    assert demo.ask("/api/v1/shares/", Authorization="Bearer another").status == 401


def test_a_second_one_with_the_same_state_is_refused(demo: Demo) -> None:
    second = subprocess.run(
        (sys.executable, "manage.py", "demo"),
        cwd=ROOT,
        env=environment(demo.state) | {"PORT": str(free_port())},
        capture_output=True,
        text=True,
        check=False,
    )
    assert second.returncode == 1
    assert "already runs with the state" in second.stdout


def test_ctrl_c_ends_all_of_it_and_the_next_start_finds_its_state(tmp_path: Path) -> None:
    with Demo(tmp_path, "first-password") as first:
        code, _ = first.end(signal.SIGINT)
        assert code == 0
        assert left(tmp_path) == []
    with Demo(tmp_path, "second-password") as second:
        assert second.signs_in("operator", "second-password")
        assert not second.signs_in("operator", "first-password")
        (broker,) = (row for row in left(tmp_path) if "valkey-server" in row)
        os.kill(int(broker.split()[1]), signal.SIGKILL)
        code, last_words = second.wait()
    assert code == 1
    assert re.search("broker was ended by signal 9, so everything stops", last_words)
    assert left(tmp_path) == []
