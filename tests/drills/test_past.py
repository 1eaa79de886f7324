"""What the reader says of devices, Pods and claims, told by tables of plain SQL."""

import sqlite3
from collections.abc import Iterator

import pytest

from tests.drills.past import past_faults

_TABLES = """
CREATE TABLE inventory_claim (id INTEGER PRIMARY KEY, cluster_id INTEGER, uid TEXT, state TEXT);
CREATE TABLE inventory_consumer (claim_id INTEGER, resource TEXT, uid TEXT, name TEXT);
CREATE TABLE inventory_pool (id INTEGER PRIMARY KEY, driver TEXT, name TEXT);
CREATE TABLE inventory_device (cluster_id INTEGER, pool_id INTEGER, name TEXT, listed BOOLEAN);
CREATE TABLE inventory_deviceinterval
    (cluster_id INTEGER, driver TEXT, pool TEXT, device TEXT, started_at TEXT, ended_at TEXT);
CREATE TABLE inventory_podinterval
    (cluster_id INTEGER, claim_uid TEXT, resource TEXT, pod_uid TEXT, pod_name TEXT, started_at TEXT,
     ended_at TEXT);
CREATE TABLE inventory_claimevent (id INTEGER PRIMARY KEY, cluster_id INTEGER, claim_uid TEXT, kind TEXT);
CREATE TABLE inventory_coverage (cluster_id INTEGER, started_at TEXT, ended_at TEXT);
INSERT INTO inventory_claim VALUES (1, 1, 'c', 'allocated,reserved');
INSERT INTO inventory_consumer VALUES (1, 'pods', 'u', 'p');
INSERT INTO inventory_pool VALUES (1, 'driver', 'pool');
INSERT INTO inventory_device VALUES (1, 1, 'card', 1), (1, 1, 'gone', 0);
INSERT INTO inventory_deviceinterval VALUES (1, 'driver', 'pool', 'card', '08:10', NULL);
INSERT INTO inventory_podinterval VALUES (1, 'c', 'pods', 'u', 'p', '08:10', NULL);
INSERT INTO inventory_coverage VALUES (1, '08:00', '08:30');
"""
OPEN = ", but no interval is open"


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    made = sqlite3.connect(":memory:")
    made.executescript(_TABLES)
    yield made
    made.close()


def faults(database: sqlite3.Connection, *statements: str) -> list[str]:
    for statement in statements:
        database.execute(statement)
    return past_faults(lambda sql: database.execute(sql).fetchall())


def lived(database: sqlite3.Connection, *kinds: str, uid: str = "c") -> list[str]:
    rows = [(uid, kind) for kind in kinds]
    database.executemany("INSERT INTO inventory_claimevent VALUES (NULL, 1, ?, ?)", rows)
    return faults(database)


def test_an_honest_past_has_no_faults(database: sqlite3.Connection) -> None:
    again = "INSERT INTO inventory_deviceinterval VALUES (1, 'driver', 'pool', 'card', '08:00', '08:10')"
    assert faults(database, again) == []
    assert lived(database, "created", "allocated", "reserved", "deallocated", "allocated", "reserved") == []
    assert lived(database, "created", "deleted", uid="d") == []


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("DELETE FROM inventory_deviceinterval", f"driver pool card is there{OPEN}"),
        ("DELETE FROM inventory_podinterval", f"c pods u p is there{OPEN}"),
        ("DELETE FROM inventory_consumer", "c pods u p is open, but not there"),
        ("UPDATE inventory_device SET listed = 0", "driver pool card is open, but not there"),
        (
            "INSERT INTO inventory_coverage VALUES (1, '08:20', '08:40')",
            "the cluster is read from 08:00 to 08:30 overlaps the one from 08:20",
        ),
        (
            "INSERT INTO inventory_podinterval VALUES (1, 'c', 'pods', 'u', 'p', '08:05', '08:01')",
            "c pods u p ends at 08:01, before it starts at 08:05",
        ),
    ],
)
def test_what_is_wrong_with_intervals_is_told(
    database: sqlite3.Connection, statement: str, told: str
) -> None:
    assert faults(database, statement) == [told]


@pytest.mark.parametrize(
    "life",
    [
        ("created", "created"),
        ("allocated", "allocated"),
        ("created", "deallocated", "reserved"),
        ("deleted",),
        ("created", "deleted", "allocated"),
    ],
)
def test_a_life_that_cannot_be_is_told(database: sqlite3.Connection, life: tuple[str, ...]) -> None:
    assert lived(database, *life)


def test_a_claim_that_is_gone_has_to_be_told_so(database: sqlite3.Connection) -> None:
    assert lived(database, "created", uid="d") == ["claim d is gone, and its life ends with created"]
