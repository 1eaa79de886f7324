"""Which device classes a claim asks for, as conditions on its spec, which is kept as JSON."""

from collections.abc import Sequence
from typing import Any

from django.db.models import BooleanField, F, Func, QuerySet, Value

from inventory.models import Share
from inventory.queries.filters import Held, Names

_SQLITE = """EXISTS (
    SELECT 1 FROM json_each({spec}, '$.devices.requests') AS outer_request
    LEFT JOIN json_each(outer_request.value, '$.firstAvailable') AS inner_request
    WHERE COALESCE(
        json_extract(inner_request.value, '$.deviceClassName'),
        json_extract(outer_request.value, '$.exactly.deviceClassName')
    ) IN ({classes}){named})"""
_SQLITE_NAMED = """ AND {request} = json_extract(outer_request.value, '$.name')
    || COALESCE('/' || json_extract(inner_request.value, '$.name'), '')"""

_POSTGRESQL = """EXISTS (
    SELECT 1 FROM jsonb_path_query({spec}, 'lax $.devices.requests[*]') AS outer_request
    LEFT JOIN LATERAL jsonb_path_query(outer_request, 'lax $.firstAvailable[*]') AS inner_request ON TRUE
    WHERE COALESCE(inner_request ->> 'deviceClassName', outer_request #>> '{{exactly,deviceClassName}}')
    IN ({classes}){named})"""
_POSTGRESQL_NAMED = """ AND {request} = (outer_request ->> 'name')
    || COALESCE('/' || (inner_request ->> 'name'), '')"""


class AsksFor(Func):
    """Whether a claim spec asks for one of the classes; with `request`, whether that request of it does."""

    output_field = BooleanField()
    conditional = True

    def __init__(self, classes: Sequence[str], spec: str, request: str = "") -> None:
        super().__init__(F(spec), *map(Value, classes), *([F(request)] if request else []))
        self.named = bool(request)

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, tuple[Any, ...]]:
        return self._filled(compiler, _SQLITE, _SQLITE_NAMED)

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, tuple[Any, ...]]:
        return self._filled(compiler, _POSTGRESQL, _POSTGRESQL_NAMED)

    def _filled(self, compiler: Any, template: str, named: str) -> tuple[str, tuple[Any, ...]]:
        (spec, params), *others = (compiler.compile(one) for one in self.source_expressions)
        classes = others[:-1] if self.named else others
        suffix = named.format(request=others[-1][0]) if self.named else ""
        sql = template.format(spec=spec, classes=", ".join(text for text, _ in classes), named=suffix)
        return sql, (*params, *(param for _, own in others for param in own))


class RequestedClass(Names):
    """A device class that the claim spec asks for; by the request that `request` names, if it is given."""

    def __init__(self, *, spec: str, request: str = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.spec, self.request = spec, request

    def filter(self, qs: QuerySet[Any], value: Sequence[str]) -> QuerySet[Any]:
        return qs.filter(AsksFor(value, self.spec, self.request)) if value else qs


class HeldClass(Held):
    """A device class by which the request of a share asked."""

    def narrow(self, shares: QuerySet[Share], value: Sequence[str]) -> QuerySet[Share]:
        return shares.filter(AsksFor(value, "claim__spec", "request"))
