"""What the reader says of histories, told by tables of plain SQL."""

import sqlite3
from collections.abc import Iterator

import pytest

from demo import resources
from tests.drills.reader import Rows, history_faults, untold
from tests.inventory.sync.objects import HAMI, SHARE, claim, result, store

_TABLES = """
CREATE TABLE inventory_claim (id INTEGER PRIMARY KEY, uid TEXT);
CREATE TABLE inventory_pool (id INTEGER PRIMARY KEY, driver TEXT, name TEXT);
CREATE TABLE inventory_device (id INTEGER PRIMARY KEY, pool_id INTEGER, name TEXT);
CREATE TABLE inventory_share
    (cluster_id INTEGER, claim_id INTEGER, device_id INTEGER, request TEXT, share_id TEXT);
CREATE TABLE inventory_shareinterval
    (cluster_id INTEGER, claim_uid TEXT, request TEXT, driver TEXT, pool TEXT, device TEXT, share_id TEXT,
     started_at TEXT, ended_at TEXT);
INSERT INTO inventory_claim VALUES (1, 'claim-1');
INSERT INTO inventory_pool VALUES (1, 'driver', 'pool');
INSERT INTO inventory_device VALUES (1, 1, 'card');
"""
KEY = ("claim-1", "gpu", "driver", "pool", "card")


class History:
    """Shares held now, and intervals, of cluster 1."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:")
        self.connection.executescript(_TABLES)

    def held(self, share_id: str = "") -> None:
        self.connection.execute("INSERT INTO inventory_share VALUES (1, 1, 1, 'gpu', ?)", (share_id,))

    def interval(
        self, start: int, end: int | None = None, share_id: str = "", *key: str, cluster: int = 1
    ) -> None:
        row = (cluster, *(key or KEY), share_id, _instant(start), _instant(end))
        self.connection.execute("INSERT INTO inventory_shareinterval VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    @property
    def rows(self) -> Rows:
        return lambda sql: self.connection.execute(sql).fetchall()

    def faults(self) -> list[str]:
        return history_faults(self.rows)


def _instant(minute: int | None) -> str | None:
    return None if minute is None else f"2026-12-01 08:{minute:02}:00"


@pytest.fixture
def history() -> Iterator[History]:
    made = History()
    yield made
    made.connection.close()


def test_an_honest_history_has_no_faults(history: History) -> None:
    history.held()
    history.interval(0, 10)
    history.interval(10, 20)
    history.interval(25, 25)
    history.interval(30)
    history.interval(0, 10, "share-1")
    assert history.faults() == []


def test_another_cluster_is_not_looked_at(history: History) -> None:
    history.interval(10, 0, cluster=2)
    assert history.faults() == []


@pytest.mark.parametrize(
    ("intervals", "told"),
    [
        ([], "claim-1/gpu/driver/pool/card/ is held, but no interval is open"),
        ([(0, 10)], "claim-1/gpu/driver/pool/card/ is held, but no interval is open"),
        ([(0, None), (0, None)], "claim-1/gpu/driver/pool/card/ is open 2 times"),
        ([(10, 5), (20, None)], "claim-1/gpu/driver/pool/card/ ends at "),
        ([(0, 10), (9, None)], "claim-1/gpu/driver/pool/card/ from "),
        ([(0, None), (9, 12)], "claim-1/gpu/driver/pool/card/ from "),
    ],
)
def test_a_fault_in_the_history_of_a_share_is_told(
    history: History, intervals: list[tuple[int, int | None]], told: str
) -> None:
    history.held()
    for start, end in intervals:
        history.interval(start, end)
    assert history.faults()[0].startswith(told)


def test_an_interval_that_stays_open_is_told(history: History) -> None:
    history.interval(0)
    assert history.faults() == ["claim-1/gpu/driver/pool/card/ is open, but held by nobody"]


def test_a_share_id_that_is_given_twice_is_told(history: History) -> None:
    history.interval(0, 10, "share-1")
    history.interval(20, 30, "share-1")
    (told,) = history.faults()
    assert told.endswith("has 2 intervals, but a share ID is given once")


def test_a_share_that_no_interval_tells_of_is_named(history: History) -> None:
    held = store(claim("a", result(), uid="a"), claim("b", result(share_id=None), uid="b"))
    held.delete(resources.RESOURCE_CLAIMS, "team-a", "a")
    history.interval(0, 1, SHARE, "a", "gpu", HAMI, "node-1", "hami-gpu-0")
    assert untold(held.changes_after(0), history.rows) == [
        f"no interval tells of b/gpu/{HAMI}/node-1/hami-gpu-0/"
    ]
