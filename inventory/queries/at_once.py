"""Several small questions in one statement: a page that asks twenty of them waits for one answer.

Each is a subquery whose rows come back as JSON, with the types that the ORM gives them.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Count, DateTimeField, Model, QuerySet, Value

Rows = list[tuple[Any, ...]]
# Where the ORM keeps what was prefetched.
_FILLED = "_prefetched_objects_cache"

_AS_JSON = {
    "postgresql": "(WITH part ({columns}) AS ({sql}) "
    "SELECT coalesce(json_agg(json_build_array({columns})), '[]')::text FROM part)",
    "sqlite": "(WITH part ({columns}) AS ({sql}) SELECT json_group_array(json_array({columns})) FROM part)",
}


def at_once(**asked: QuerySet[Any, Any]) -> dict[str, Rows]:
    """The rows of each, which are `values_list` of any columns but decimals and binary ones."""
    parts = {name: part for name, queryset in asked.items() if (part := _compiled(queryset)) is not None}
    found: dict[str, Rows] = {name: [] for name in asked}
    if not parts:
        return found
    template = _AS_JSON[connection.vendor]
    statement = ", ".join(template.format(columns=one.columns, sql=one.sql) for one in parts.values())
    parameters = [value for one in parts.values() for value in one.parameters]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {statement}", parameters)
        (answer,) = cursor.fetchall()
    for (name, part), text in zip(parts.items(), answer, strict=True):
        found[name] = part.rows(json.loads(text))
    return found


def number_of(queryset: QuerySet[Any, Any]) -> QuerySet[Any, Any]:
    """How many rows there are, as a question that is asked with others: its one row is (0, the number)."""
    found: QuerySet[Any, Any] = queryset.order_by().annotate(nothing=Value(0)).values_list("nothing")
    return found.annotate(number=Count("pk"))


def number_of_different(queryset: QuerySet[Any, Any], column: str) -> QuerySet[Any, Any]:
    """The same of the values of a column."""
    found: QuerySet[Any, Any] = queryset.order_by().annotate(nothing=Value(0)).values_list("nothing")
    return found.annotate(number=Count(column, distinct=True))


class Questions:
    """Asked one after the other, and sent together when the first answer is read."""

    def __init__(self) -> None:
        self._open: list[Answer] = []

    def ask(self, queryset: QuerySet[Any, Any]) -> "Answer":
        """As `at_once` takes them."""
        answer = Answer(self, queryset)
        self._open.append(answer)
        return answer

    def send(self) -> None:
        sent, self._open = self._open, []
        found = at_once(**{str(number): one.queryset for number, one in enumerate(sent)})
        for answer, rows in zip(sent, found.values(), strict=True):
            answer.take(rows)


class Answer:
    def __init__(self, questions: Questions, queryset: QuerySet[Any, Any]) -> None:
        self.queryset = queryset
        self._questions = questions
        self._rows: Rows | None = None

    @property
    def rows(self) -> Rows:
        if self._rows is None:
            self._questions.send()
        return self._rows or []

    @property
    def number(self) -> int:
        """Of `number_of`."""
        return int(self.rows[0][1]) if self.rows else 0

    def take(self, rows: Rows) -> None:
        self._rows = rows


def fill(*wanted: tuple[Iterable[Model], str], questions: Questions | None = None) -> None:
    """What `prefetch_related_objects` does for rows that refer to these, as `(claims, "consumers")`, at once.

    Each of the relations leads from the given rows to those with a foreign key to them.
    """
    Filling(*wanted, questions=questions or Questions()).fill()


class Filling:
    """The same, asked with other things."""

    def __init__(self, *wanted: tuple[Iterable[Model], str], questions: Questions) -> None:
        self._filled = [_Filled(rows, name, questions) for rows, name in wanted]

    def fill(self) -> None:
        for one in self._filled:
            one.fill()


class _Filled:
    def __init__(self, rows: Iterable[Model], name: str, questions: Questions) -> None:
        self._name = name
        self._rows = [row for row in rows if name not in getattr(row, _FILLED, ())]
        self._answer: Answer | None = None
        if self._rows:
            relation: Any = type(self._rows[0])._meta.get_field(name)
            self._model, self._key = relation.related_model, relation.field.attname
            self._columns = [field.attname for field in self._model._meta.concrete_fields]
            users = self._model._default_manager.filter(
                **{f"{self._key}__in": {row.pk for row in self._rows}}
            )
            self._answer = questions.ask(users.values_list(*self._columns))

    def fill(self) -> None:
        if self._answer is None:
            return
        found: defaultdict[int, list[Any]] = defaultdict(list)
        for columns in self._answer.rows:
            one = self._model.from_db(connection.alias, self._columns, columns)
            found[getattr(one, self._key)].append(one)
        for row in self._rows:
            related: Any = getattr(row, self._name).all()
            related._result_cache, related._prefetch_done = found[row.pk], True
            row.__dict__.setdefault(_FILLED, {})[self._name] = related


class _Part:
    def __init__(self, sql: str, parameters: Sequence[Any], columns: Sequence[Any], compiler: Any) -> None:
        self.sql, self.parameters = sql, parameters
        self.columns = ", ".join(f"c{number}" for number in range(len(columns)))
        self._compiler, self._selected = compiler, columns

    def rows(self, listed: list[list[Any]]) -> Rows:
        if connection.vendor == "sqlite":
            # As they lie in the table, and as any other query converts them.
            converters = self._compiler.get_converters(self._selected)
            return [tuple(row) for row in self._compiler.apply_converters(listed, converters)]
        moments = [
            place for place, one in enumerate(self._selected) if isinstance(one.output_field, DateTimeField)
        ]
        for row in listed if moments else ():
            for place in moments:
                row[place] = _moment(row[place])
        return [tuple(row) for row in listed]


def _compiled(queryset: QuerySet[Any, Any]) -> _Part | None:
    """None where no row can be meant."""
    compiler = queryset.query.get_compiler(connection=connection)
    try:
        sql, parameters = compiler.as_sql()
    except EmptyResultSet:
        return None
    return _Part(sql, parameters, [column for column, *_ in compiler.select], compiler)


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).astimezone(UTC)
