"""One command, a URL, a sign-in, two clusters, and nothing left afterwards."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.dashboard.running import ROOT, Running, clean_environment, free_port, left

# One demo for all of them, in one process of the test run.
pytestmark = pytest.mark.xdist_group("demo")

TOKEN = "token-of-this-test"


def start(state: Path, password: str) -> Running:
    return Running("demo", state, DEMO_PASSWORD=password, DEMO_TOKEN=TOKEN)


def read(demo: Running, path: str) -> Any:
    answer = demo.ask(path, headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status == 200
    return json.loads(answer.body)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with start(tmp_path_factory.mktemp("state"), "first-password") as running:
        yield running


def test_it_says_where_it_is_and_who_may_sign_in(demo: Running) -> None:
    assert f"http://127.0.0.1:{demo.port}/" in demo.greeting
    assert "operator, vision-lead or nlp-member" in demo.greeting
    assert "first-password" in demo.greeting


def test_it_says_that_its_past_is_made_up_and_shows_it_from_the_start(demo: Running) -> None:
    assert "is made up" in demo.greeting
    today = datetime.now(UTC).date()
    period = f"from={today - timedelta(days=30)}&to={today - timedelta(days=27)}"
    found = read(demo, f"/api/v1/usage/report/?{period}&cluster=story&group_by=team")
    assert {row["team"] for row in found["results"]} >= {"nlp", "vision", "batch", "rec"}


@pytest.mark.parametrize("name", ["operator", "vision-lead", "nlp-member"])
def test_its_users_sign_in_with_the_given_password(name: str, demo: Running) -> None:
    assert demo.signs_in(name, "first-password")
    assert not demo.signs_in(name, "another")


def test_the_given_token_reads_what_both_clusters_hold(demo: Running) -> None:
    while any(cluster["observed_at"] is None for cluster in read(demo, "/api/v1/clusters/")["results"]):
        time.sleep(0.1)
    assert {cluster["name"] for cluster in read(demo, "/api/v1/clusters/")["results"]} == {
        "recorded",
        "story",
    }
    assert read(demo, "/api/v1/shares/?cluster=recorded")["count"] > 0
    assert read(demo, "/api/v1/shares/?cluster=story")["count"] > 0


def test_without_the_token_nothing_is_readable(demo: Running) -> None:
    assert demo.ask("/api/v1/shares/").status == 401
    assert demo.ask("/api/v1/shares/", headers={"Authorization": "Bearer another"}).status == 401


def test_a_second_one_with_the_same_state_is_refused(demo: Running) -> None:
    second = subprocess.run(
        (sys.executable, "manage.py", "demo"),
        cwd=ROOT,
        env={**clean_environment(demo.state), "PORT": str(free_port())},
        capture_output=True,
        text=True,
        check=False,
    )
    assert second.returncode == 1
    assert "already runs with the state" in second.stdout


def test_ctrl_c_ends_all_of_it_and_the_next_start_finds_its_state(tmp_path: Path) -> None:
    with start(tmp_path, "first-password") as first:
        code, last_words = first.end(signal.SIGINT)
    assert (code, last_words) == (0, "\nStopping, for SIGINT …\n")
    assert left(tmp_path) == []
    with start(tmp_path, "second-password") as second:
        assert second.signs_in("operator", "second-password")
        assert not second.signs_in("operator", "first-password")
        (broker,) = (row for row in left(tmp_path) if "valkey-server" in row)
        os.kill(int(broker.split()[1]), signal.SIGKILL)
        code, last_words = second.wait()
    assert code == 1
    assert "broker was ended by signal 9, so everything stops" in last_words
    assert left(tmp_path) == []
