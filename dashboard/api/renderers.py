"""What a client may ask for, and how it says so."""

from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from dashboard.api.wire import encode


class JsonRenderer(BaseRenderer):
    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        return b"" if data is None else encode(data)


class CsvRenderer(BaseRenderer):
    """Stands for CSV in the negotiation; `dashboard.api.tables` writes it, row by row."""

    media_type = "text/csv"
    format = "csv"
    charset = "utf-8"


class Negotiation(DefaultContentNegotiation):
    """An unknown `format` is a wrong parameter, not a missing page."""

    def filter_renderers(self, renderers: Iterable[BaseRenderer], format: str) -> list[BaseRenderer]:
        found = [renderer for renderer in renderers if renderer.format == format]
        if not found:
            known = ", ".join(renderer.format for renderer in renderers if renderer.format)
            raise ValidationError({"format": [f"{format!r} is not one of {known}"]})
        return found


def wants_csv(request: Request) -> bool:
    return isinstance(request.accepted_renderer, CsvRenderer)
