"""Write many rows of a model without its objects, in the caller's transaction.

Columns are attribute names (`claim_id`, not `claim`), values are what the ORM would give back. No signal is
sent. PostgreSQL takes rows by COPY, SQLite by one prepared statement.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial
from itertools import islice, repeat
from typing import Any, TypeAlias, cast

import msgspec
from django.apps import apps
from django.db import connection, models

Model = type[models.Model]
Column: TypeAlias = "models.Field[Any, Any]"
Convert = Callable[[Any], Any]

# Fields whose Python values both drivers store as they are.
_PLAIN = (
    models.BooleanField,
    models.CharField,
    models.ForeignKey,
    models.IntegerField,
    models.TextField,
)
# From here on a temporary table costs less than a statement for each row.
_MANY = 20
# Rows that are converted together.
_AT_ONCE = 1000
_EMPTY: Mapping[type, str] = {dict: "{}", list: "[]"}
_STAGED = "bulk_update"


def reserve(model: Model, count: int) -> Sequence[int]:
    """Primary keys that nobody else will get."""
    if count == 0:
        return ()
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
                (_quote(table), count),
            )
            return [row[0] for row in cursor.fetchall()]
        cursor.execute(
            "UPDATE sqlite_sequence SET seq = seq + %s WHERE name = %s RETURNING seq", (count, table)
        )
        if row := cursor.fetchone():
            return range(row[0] - count + 1, row[0] + 1)
        # The table has never had a row.
        cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", (table, count))
        return range(1, count + 1)


def insert(model: Model, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Insert rows with their `id`; a column that is not named takes its default, the same in every row."""
    fields = _fields(model, columns)
    filled = [field for field in _defaulted(model) if field not in fields]
    names = _names([*fields, *filled])
    rest = [
        convert(field.get_default()) if (convert := _conversion(field)) else field.get_default()
        for field in filled
    ]
    return _load(model._meta.db_table, names, _converted(fields, rows, rest))


def update(model: Model, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> int:
    """Each row is its `id` followed by the values of the columns.

    A value that must be unique cannot pass from one row to another in one call.
    """
    if not rows or not columns:
        return 0
    fields = _fields(model, ("id", *columns))
    names, converted = _names(fields[1:]), _converted(fields, rows)
    if connection.vendor == "postgresql" and len(rows) >= _MANY:
        return _update_staged(model._meta.db_table, names, converted)
    assignments = ", ".join(f"{_quote(name)} = %s" for name in names)
    statement = f"UPDATE {_table(model)} SET {assignments} WHERE id = %s"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.executemany(statement, [(*row[1:], row[0]) for row in converted])
        return int(cursor.rowcount)


def delete(model: Model, ids: Iterable[int]) -> int:
    """Delete rows, and do to the rows that refer to them what their foreign keys say.

    How many rows of the model itself went. Raises RestrictedError, before anything is written, where a row
    that stays needs one that goes.
    """
    doomed: dict[Model, set[int]] = {}
    _doom(model, ids, doomed)
    for parent, gone in doomed.items():
        for relation in _relations(parent):
            _refuse_while_used(relation, gone, doomed)
    for parent, gone in doomed.items():
        for relation in _relations(parent):
            if relation.on_delete is models.SET_NULL:
                _forget(relation, gone)
    deleted = {
        child: _execute(f"DELETE FROM {_table(child)} WHERE {_among(_key(child))}", gone)  # noqa: S608
        for child, gone in reversed(doomed.items())
    }
    return deleted.get(model, 0)


def analyze(app: str) -> None:
    """Let the database look at the tables of an app: after a first load it plans as if they were empty."""
    tables = [_table(model) for model in apps.get_app_config(app).get_models()]
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA analysis_limit = 1000")
        for table in tables:
            cursor.execute(f"ANALYZE {table}")


def _doom(model: Model, ids: Iterable[int], doomed: dict[Model, set[int]]) -> None:
    """Add the rows, and all that belongs to them, to those that must go."""
    new = set(ids).difference(doomed.get(model, ()))
    if not new:
        return
    doomed.setdefault(model, set()).update(new)
    for relation in _relations(model):
        if relation.on_delete is models.CASCADE:
            _doom(relation.related_model, _users(relation, new), doomed)


def _relations(model: Model) -> Iterator[models.ManyToOneRel]:
    for relation in model._meta.get_fields(include_hidden=True):
        if isinstance(relation, models.ManyToOneRel):
            yield relation


def _users(relation: models.ManyToOneRel, ids: Collection[int]) -> list[int]:
    """The rows that refer to one of these by this relation."""
    condition, key = _among(relation.field.column), _key(relation.related_model)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {_quote(key)} FROM {_table(relation.related_model)} WHERE {condition}",  # noqa: S608
            (_parameter(ids),),
        )
        return [row[0] for row in cursor.fetchall()]


def _refuse_while_used(
    relation: models.ManyToOneRel, ids: Collection[int], doomed: Mapping[Model, Collection[int]]
) -> None:
    if relation.on_delete in (models.CASCADE, models.SET_NULL):
        return
    child, field = relation.related_model, relation.field
    if users := set(_users(relation, ids)).difference(doomed.get(child, ())):
        raise models.RestrictedError(
            f"Cannot delete some instances of model {relation.model.__name__!r} because they are referenced "
            f"through restricted foreign keys: '{child.__name__}.{field.name}'.",
            set(child._base_manager.filter(pk__in=users)),
        )


def _forget(relation: models.ManyToOneRel, ids: Collection[int]) -> None:
    table, column = _table(relation.related_model), relation.field.column
    _execute(f"UPDATE {table} SET {_quote(column)} = NULL WHERE {_among(column)}", ids)  # noqa: S608


def _execute(statement: str, ids: Collection[int]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, (_parameter(ids),))
        return int(cursor.rowcount)


def _among(column: str) -> str:
    """A condition with one parameter, however many the values."""
    if connection.vendor == "postgresql":
        return f"{_quote(column)} = ANY(%s)"
    return f"{_quote(column)} IN (SELECT value FROM json_each(%s))"  # noqa: S608


def _parameter(values: Collection[int]) -> list[int] | str | None:
    return list(values) if connection.vendor == "postgresql" else _json(list(values))


def _update_staged(table: str, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    columns = ", ".join(map(_quote, ("id", *names)))
    assignments = ", ".join(f"{_quote(name)} = {_STAGED}.{_quote(name)}" for name in names)
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE TEMPORARY TABLE {_STAGED} ON COMMIT DROP AS "  # noqa: S608
            f"SELECT {columns} FROM {_quote(table)} WITH NO DATA"
        )
        _load(_STAGED, ("id", *names), rows)
        # Or the planner takes it for larger than it is, and reads all of the table for a few rows.
        cursor.execute(f"ANALYZE {_STAGED}")
        cursor.execute(
            f"UPDATE {_quote(table)} AS kept SET {assignments} FROM {_STAGED} WHERE kept.id = {_STAGED}.id"  # noqa: S608
        )
        updated = int(cursor.rowcount)
        cursor.execute(f"DROP TABLE {_STAGED}")
        return updated


def _load(table: str, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    columns = ", ".join(map(_quote, names))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # Django translates the errors of `execute`, not those of `copy`.
            with (
                connection.wrap_database_errors,
                cursor.copy(f"COPY {_quote(table)} ({columns}) FROM STDIN") as copy,
            ):
                for row in rows:
                    copy.write_row(row)
        else:
            places = ", ".join(["%s"] * len(names))
            statement = f"INSERT INTO {_quote(table)} ({columns}) VALUES ({places})"  # noqa: S608
            cursor.executemany(statement, cast("Sequence[Any]", rows))
        return int(cursor.rowcount)


def _converted(
    fields: Sequence[Column], rows: Iterable[Sequence[Any]], rest: Sequence[Any] = ()
) -> Iterator[Sequence[Any]]:
    """The rows as the database takes them, each with the same `rest`.

    Column by column, which costs half of what row by row does.
    """
    conversions = [(index, convert) for index, field in enumerate(fields) if (convert := _conversion(field))]
    every = iter(rows)
    while some := list(islice(every, _AT_ONCE)):
        columns: list[Iterable[Any]] = list(zip(*some, strict=True))
        for index, convert in conversions:
            columns[index] = map(convert, columns[index])
        yield from zip(*columns, *(repeat(value, len(some)) for value in rest), strict=True)


def _conversion(field: Column) -> Convert | None:
    if isinstance(field, models.JSONField):
        return _json
    if isinstance(field, models.DateTimeField):
        return None if connection.vendor == "postgresql" else _moment
    return None if isinstance(field, _PLAIN) else partial(field.get_db_prep_save, connection=connection)


def _json(value: Any) -> str | None:
    if value is None:
        return None
    # Most are empty.
    empty = None if value else _EMPTY.get(type(value))
    return empty or msgspec.json.encode(value).decode()


@lru_cache(maxsize=4096)
def _moment(value: datetime | None) -> str | None:
    """As Django stores it on SQLite, which takes several times as long for it.

    Most come often: they are told in whole seconds, or are now.
    """
    if value is None or value.tzinfo is not UTC:
        return connection.ops.adapt_datetimefield_value(value)
    return str(value.replace(tzinfo=None))


def _fields(model: Model, columns: Sequence[str]) -> list[Column]:
    by_attribute = {field.attname: field for field in model._meta.concrete_fields}
    return [by_attribute[column] for column in columns]


def _names(fields: Sequence[Column]) -> list[str]:
    return [str(field.column) for field in fields]


def _defaulted(model: Model) -> Iterator[Column]:
    """The fields that must be written though nobody names them: Django keeps defaults to itself."""
    for field in model._meta.concrete_fields:
        if not field.generated and (field.has_default() or not field.has_db_default()):
            yield field


def _key(model: Model) -> str:
    key: Column = model._meta.pk
    return str(key.column)


def _table(model: Model) -> str:
    return _quote(model._meta.db_table)


def _quote(name: str) -> str:
    return connection.ops.quote_name(name)
