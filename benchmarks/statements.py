"""The statements that a page sends, and how long they take when nothing but the driver sends them again."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from django.db import connection

# Begin and end of transactions ask for nothing.
_NO_QUESTION = re.compile(r"\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET TRANSACTION)\b", re.IGNORECASE)
_PLACE = re.compile(r"(?<!%)%s")


class Statement(NamedTuple):
    sql: str
    parameters: Sequence[Any] | None


@contextmanager
def noted() -> Iterator[list[Statement]]:
    """What is asked of the database meanwhile."""
    asked: list[Statement] = []

    def note(execute: Callable[..., Any], sql: str, parameters: Any, many: bool, context: Any) -> Any:  # noqa: FBT001
        if not _NO_QUESTION.match(sql):
            asked.append(Statement(sql, parameters))
        return execute(sql, parameters, many, context)

    with connection.execute_wrapper(note):
        yield asked


def alone(statements: Sequence[Statement]) -> float:
    """Seconds that the statements take, with all rows fetched, one after the other."""
    bare = [_as_driver_takes_it(one) for one in statements]
    connection.ensure_connection()
    cursor = connection.connection.cursor()
    began = time.perf_counter()
    for sql, parameters in bare:
        cursor.execute(sql, parameters)
        cursor.fetchall()
    seconds = time.perf_counter() - began
    cursor.close()
    return seconds


def _as_driver_takes_it(one: Statement) -> tuple[str, Sequence[Any]]:
    if connection.vendor != "sqlite":
        return one.sql, one.parameters or ()
    if one.parameters is None:
        return one.sql, ()
    return _PLACE.sub("?", one.sql).replace("%%", "%"), one.parameters
