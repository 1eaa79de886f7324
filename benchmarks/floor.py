"""The least that a full poll can take: its lists downloaded, parsed bare, and its very rows loaded."""

import gc
import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import urllib3
from django.apps import apps
from django.db import connection, transaction

from benchmarks.measuring import Stopwatch
from benchmarks.served import kubeconfig
from inventory.kube import kinds
from inventory.kube.connection import Source, connect
from inventory.kube.discovery import discover
from inventory.kube.kinds import Kind
from inventory.sync.parts import PARTS, kinds_of

_LIMIT = 500
_METADATA_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
Rows = Sequence[Sequence[Any]]


def floor(folder: Path) -> dict[str, Any]:
    """After a full poll of the same cluster into the same database."""
    # A parse that keeps nothing needs no collector, which would only slow it down.
    gc.disable()
    watch = Stopwatch()
    objects, size = _download(folder, watch)
    tables = _tables()
    _load_without_indexes(tables, watch)
    compared = Stopwatch()
    _load_with_indexes(tables, compared, folder)
    return {
        "seconds": watch.seconds,
        "compared": compared.seconds,
        "objects": objects,
        "bytes": size,
        "rows": sum(len(rows) for _, rows in tables.values()),
    }


def _download(folder: Path, watch: Stopwatch) -> tuple[int, int]:
    """By nothing but an HTTP library, uncompressed: that costs both sides least."""
    path = kubeconfig(folder)
    server = json.loads(path.read_text())["clusters"][0]["cluster"]["server"]
    with connect(Source(str(path))) as client:
        served = discover(client)
    objects = size = 0
    with urllib3.PoolManager() as pool:
        for kind in (*kinds_of(PARTS, served), kinds.REPLICA_SETS):
            token = ""
            while True:
                with watch.part("download"):
                    body = _page(pool, server + kind.path(served), kind, token)
                with watch.part("parse"):
                    parsed = orjson.loads(body)
                objects, size = objects + len(parsed["items"]), size + len(body)
                token = parsed["metadata"].get("continue", "")
                if not token:
                    break
    return objects, size


def _page(pool: urllib3.PoolManager, url: str, kind: Kind[Any], token: str) -> bytes:
    fields = {"limit": str(_LIMIT), **({"continue": token} if token else {})}
    accept = _METADATA_ONLY if kind.metadata_only else "application/json"
    return pool.request("GET", url, fields=fields, headers={"Accept": accept}).data


def _tables() -> dict[str, tuple[list[str], Rows]]:
    """Columns and rows of every table, the rows as the database driver takes them."""
    found: dict[str, tuple[list[str], Rows]] = {}
    with connection.cursor() as cursor:
        for model in apps.get_app_config("inventory").get_models(include_auto_created=True):
            cursor.execute(f"SELECT * FROM {model._meta.db_table}")  # noqa: S608 (the names are ours)
            found[model._meta.db_table] = [column[0] for column in cursor.description], cursor.fetchall()
    return found


def _load_without_indexes(tables: dict[str, tuple[list[str], Rows]], watch: Stopwatch) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for table, (columns, rows) in tables.items():
            least = f"least_{table}"
            cursor.execute(f"CREATE TEMPORARY TABLE {least} AS SELECT * FROM {table} WHERE 1 = 0")  # noqa: S608
            with watch.part("load"):
                _load(cursor, least, columns, rows)
        transaction.set_rollback(True)


def _load_with_indexes(tables: dict[str, tuple[list[str], Rows]], watch: Stopwatch, folder: Path) -> None:
    """For comparison: into tables with the same keys and indexes, without foreign keys."""
    if connection.vendor == "sqlite":
        _load_into_a_copy(tables, watch, folder / "copy.sqlite3")
        return
    with transaction.atomic(), connection.cursor() as cursor:
        for table, (columns, rows) in tables.items():
            indexed = f"indexed_{table}"
            cursor.execute(f"CREATE TEMPORARY TABLE {indexed} (LIKE {table} INCLUDING INDEXES)")
            with watch.part("load_with_indexes"):
                _load(cursor, indexed, columns, rows)
        transaction.set_rollback(True)


def _load(cursor: Any, table: str, columns: Sequence[str], rows: Rows) -> None:
    if connection.vendor == "postgresql":
        with cursor.copy(f"COPY {table} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
    elif rows:
        places = ", ".join(["%s"] * len(columns))
        cursor.executemany(f"INSERT INTO {table} VALUES ({places})", rows)  # noqa: S608


def _load_into_a_copy(tables: dict[str, tuple[list[str], Rows]], watch: Stopwatch, path: Path) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%'")
        statements = [row[0] for row in cursor.fetchall()]
    copy = sqlite3.connect(path)
    try:
        copy.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;" + ";".join(statements))
        with watch.part("load_with_indexes"), copy:
            for table, (columns, rows) in tables.items():
                places = ", ".join("?" * len(columns))
                copy.executemany(f"INSERT INTO {table} VALUES ({places})", rows)  # noqa: S608
    finally:
        copy.close()
        for each in path.parent.glob(f"{path.name}*"):
            each.unlink()
