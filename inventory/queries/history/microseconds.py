"""Instants as whole numbers, made by the database: of very many rows, no object is made for each."""

from typing import Any

from django.db.models import BigIntegerField, F, Func


class Micros(Func):
    """The microseconds of a column of instants since 1970; null stays null."""

    output_field = BigIntegerField()

    def __init__(self, column: str) -> None:
        super().__init__(F(column))

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, tuple[Any, ...]]:
        """Kept as `2026-11-29 15:00:00`, with six more digits where there are any."""
        column, params = compiler.compile(self.source_expressions[0])
        sql = f"(strftime('%%s', {column}) * 1000000 + CAST(substr({column}, 21, 6) AS INTEGER))"
        return sql, (*params, *params)

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, tuple[Any, ...]]:
        column, params = compiler.compile(self.source_expressions[0])
        return f"(EXTRACT(EPOCH FROM {column}) * 1000000)::bigint", tuple(params)
