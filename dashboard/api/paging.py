"""Pages of a list: by `limit` and `offset`, or by a cursor that stays right while rows come and go."""

import base64
import binascii
from collections.abc import Sequence
from typing import Any

import msgspec
from django.db.models import QuerySet
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param
from rest_framework.views import APIView

from dashboard.api.parameters import single
from inventory.queries.freshness import Freshness

DEFAULT_LIMIT = 100
LARGEST_LIMIT = 1000
# Larger offsets are no page of anything, and past what a database counts with.
LARGEST_OFFSET = 2**31 - 1
START = "start"


class Page(msgspec.Struct, frozen=True):
    """Where a page lies. `after` is the id before it, in cursor mode; else None."""

    limit: int
    offset: int
    after: int | None

    @property
    def by_cursor(self) -> bool:
        return self.after is not None


class Paging(BasePagination):
    """`limit` and `offset` with a count, or `cursor` in the order of ids and without one."""

    page: Page
    count: int | None
    next_id: int | None

    def paginate_queryset(self, queryset: Any, request: Request, view: APIView | None = None) -> list[Any]:
        self.request, self.page, self.next_id, self.count = request, asked_page(request), None, None
        if self.page.by_cursor:
            return self._from_cursor(queryset)
        self.count = queryset.count()
        return list(queryset[self.page.offset : self.page.offset + self.page.limit])

    def _from_cursor(self, queryset: QuerySet[Any]) -> list[Any]:
        found = list(queryset.order_by("pk").filter(pk__gt=self.page.after)[: self.page.limit + 1])
        if len(found) > self.page.limit:
            found.pop()
            self.next_id = found[-1].pk
        return found

    def envelope(self, results: Sequence[Any], freshness: Freshness) -> Response:
        return Response(
            {
                "count": self.count,
                "next": self._next(),
                "previous": self._previous(),
                "as_of": freshness.as_of,
                "stale": freshness.stale,
                "results": results,
            }
        )

    def _next(self) -> str | None:
        if self.page.by_cursor:
            return self._link(cursor=cursor_after(self.next_id)) if self.next_id is not None else None
        following = self.page.offset + self.page.limit
        return self._link(offset=following) if self.count is not None and following < self.count else None

    def _previous(self) -> str | None:
        if self.page.by_cursor or not self.page.offset:
            return None
        before = self.page.offset - self.page.limit
        return self._link(offset=before) if before > 0 else remove_query_param(self._here(), "offset")

    def _link(self, **parameters: Any) -> str:
        url = self._here()
        for name, value in parameters.items():
            url = replace_query_param(url, name, value)
        return url

    def _here(self) -> str:
        return self.request.build_absolute_uri()

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        link = {"type": ["string", "null"], "format": "uri"}
        properties = {
            "count": {"type": ["integer", "null"], "description": "How many there are; null with a cursor."},
            "next": link,
            "previous": link,
            "as_of": {
                "type": ["string", "null"],
                "format": "date-time",
                "description": "The oldest observation that the answer rests on; null before the first.",
            },
            "stale": {
                "type": "boolean",
                "description": "A cluster behind the answer was not read for too long.",
            },
            "results": schema,
        }
        return {"type": "object", "required": list(properties), "properties": properties}

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        return [
            _parameter(
                "limit",
                {"type": "integer", "minimum": 1, "maximum": LARGEST_LIMIT, "default": DEFAULT_LIMIT},
                "How many at most.",
            ),
            _parameter(
                "offset",
                {"type": "integer", "minimum": 0, "maximum": LARGEST_OFFSET, "default": 0},
                "How many to leave out.",
            ),
            _parameter(
                "cursor",
                {"type": "string"},
                f"`{START}`, then what `next` says: stable paging in the order of ids, without a count. "
                "Not together with `offset` or `ordering`.",
            ),
        ]


PARAMETERS = ("limit", "offset", "cursor")


def asked_page(request: Request) -> Page:
    """Raises ValidationError."""
    parameters = request.query_params
    limit = _whole(single(parameters, "limit"), "limit", DEFAULT_LIMIT, 1, LARGEST_LIMIT)
    offset = _whole(single(parameters, "offset"), "offset", 0, 0, LARGEST_OFFSET)
    cursor = single(parameters, "cursor")
    if cursor is None:
        return Page(limit, offset, None)
    for name in ("offset", "ordering"):
        if name in parameters:
            raise ValidationError({name: ["cannot be used together with cursor"]})
    return Page(limit, 0, _after(cursor))


def cursor_after(last_id: int) -> str:
    return base64.urlsafe_b64encode(f"id:{last_id}".encode()).decode().rstrip("=")


def _after(cursor: str) -> int:
    if cursor == START:
        return -1
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        prefix, _, number = text.partition(":")
        last_id = int(number) if prefix == "id" and number.isascii() and number.isdigit() else None
    except (binascii.Error, ValueError):
        last_id = None
    if last_id is None or last_id >= 2**63:
        raise ValidationError({"cursor": [f"not a cursor; begin with cursor={START} and follow `next`"]})
    return last_id


def _whole(text: str | None, name: str, default: int, least: int, most: int) -> int:
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and least <= int(text) <= most):
        raise ValidationError({name: [f"{text!r} is not a whole number from {least} to {most}"]})
    return int(text)


def _parameter(name: str, schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "description": description, "schema": schema}
