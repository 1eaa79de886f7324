"""How the database is read: one view for several queries, so that no answer mixes two polls; by indexes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction


@contextmanager
def snapshot() -> Iterator[None]:
    """Every query inside sees the same polls applied; inside a transaction, those that it sees."""
    if connection.in_atomic_block:
        yield
        return
    with _reading_transactions(), transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


@contextmanager
def by_index() -> Iterator[None]:
    """For queries of what lasted at some time, inside of a transaction.

    PostgreSQL takes when something begins to tell nothing of when it ends. Of a long history it expects that
    hundreds of thousands lasted in an hour, and reads all of it for some thousands that an index gives at
    once.
    """
    if connection.vendor != "postgresql" or not connection.in_atomic_block:
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        yield
        cursor.execute("SET LOCAL enable_seqscan TO DEFAULT")


@contextmanager
def _reading_transactions() -> Iterator[None]:
    """On SQLite, readers do not wait for the one place of the writer, as other transactions do."""
    if connection.vendor != "sqlite":
        yield
        return
    # Reads the mode from the settings when it connects.
    connection.ensure_connection()
    sqlite: Any = connection
    mode, sqlite.transaction_mode = sqlite.transaction_mode, "DEFERRED"
    try:
        yield
    finally:
        sqlite.transaction_mode = mode
