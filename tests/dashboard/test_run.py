"""One's own cluster, on one's own database and broker, or on those that come along."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from demo import recorded
from demo.server import ApiServer
from tests.dashboard.running import Running, left


@pytest.fixture
def kubeconfig(tmp_path: Path) -> Iterator[str]:
    with ApiServer(recorded.store()) as server:
        yield str(server.kubeconfig(tmp_path / "kubeconfig"))


@pytest.fixture
def database(postgresql: str) -> str:
    """The URL of an empty database."""
    with psycopg.connect(postgresql, autocommit=True) as server:
        server.execute("CREATE DATABASE of_ones_own")
    return postgresql.rpartition("/")[0] + "/of_ones_own"


def test_it_reads_the_cluster_of_the_kubeconfig_with_nothing_else_at_hand(
    kubeconfig: str, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    state.mkdir()
    with Running("run", state, KUBECONFIG=kubeconfig) as running:
        assert "Clusters: default." in running.greeting
        assert "create_operator" in running.greeting
        assert running.ask("/readyz").status == 200
        while b"applied" not in (state / "logs" / "worker.log").read_bytes():
            time.sleep(0.1)
        code, _ = running.end(signal.SIGTERM)
    assert code == 0
    assert left(state) == []


def test_it_works_on_a_postgresql_and_a_redis_of_ones_own(
    kubeconfig: str, tmp_path: Path, database: str, valkey: str
) -> None:
    state = tmp_path / "state"
    state.mkdir()
    own = {"DATABASE_URL": database, "SLICEBOARD_BROKER_URL": valkey}
    with (
        Running("run", state, SLICEBOARD_CLUSTERS=f"lab={kubeconfig}", **own),
        psycopg.connect(database, autocommit=True) as connection,
    ):
        while connection.execute(
            "SELECT observed_at FROM inventory_cluster WHERE name = 'lab'"
        ).fetchone() == (None,):
            time.sleep(0.1)
        assert connection.execute("SELECT count(*) > 0 FROM inventory_share").fetchone() == (True,)
    assert not (state / "sliceboard.sqlite3").exists()
    assert not (state / "broker.sock").exists()
