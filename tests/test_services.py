import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
import redis

ROOT = Path(__file__).parents[1]


def test_the_postgresql_of_the_tests_answers_without_network(postgresql: str) -> None:
    with psycopg.connect(postgresql) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
        assert connection.execute("SHOW server_encoding").fetchone() == ("UTF8",)


@pytest.mark.parametrize(("name", "kind"), [("valkey", "valkey"), ("redis_server", "redis")])
def test_the_brokers_of_the_tests_answer_those_who_know_the_password(
    request: pytest.FixtureRequest, name: str, kind: str
) -> None:
    with redis.Redis.from_url(request.getfixturevalue(name)) as client:
        # Redis 7 does not name itself yet.
        assert client.info("server").get("server_name", "redis") == kind
        assert client.set("slice", "0") is True
        assert client.get("slice") == b"0"


def test_a_postgresql_whose_owner_was_killed_ends_and_leaves_no_folder() -> None:
    owner = subprocess.Popen(
        (sys.executable, "-m", "tests.services.postgresql", sys.executable, "-c", _TELL_AND_WAIT),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout
    with owner.stdout as told:
        state, postmaster = Path(told.readline().strip()), int(told.readline())
        assert _is_alive(postmaster)
        owner.send_signal(signal.SIGKILL)
        owner.wait()
        assert told.read() == ""
    while _is_alive(postmaster) or state.parent.exists():
        time.sleep(0.05)


_TELL_AND_WAIT = """
import os, sys, time
from urllib.parse import unquote, urlsplit
parent = os.getppid()
state = unquote(urlsplit(os.environ["DATABASE_URL"]).netloc.partition("@")[2])
print(state)
print(open(state + "/postmaster.pid").readline().strip(), flush=True)
while os.getppid() == parent:
    time.sleep(0.05)
"""


def _is_alive(process: int) -> bool:
    """A zombie is not: who adopted it may be slow to ask for its exit code."""
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"
