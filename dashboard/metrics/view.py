"""`/metrics`: everything comes from the database and the broker, so each web process tells the same."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.http import StreamingHttpResponse
from django.utils import timezone
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.metrics_core import Metric
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from dashboard.access.roles import is_operator
from dashboard.metrics import broker, cards, reading, streams
from dashboard.metrics.families import family, text
from inventory.queries import metrics
from inventory.snapshot import snapshot
from inventory.version import VERSION


class OneFormat(BaseContentNegotiation):
    """Whoever scrapes goes by the type of the answer, whatever he would like better."""

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


class Operators(IsAuthenticated):
    """With the token of an operator, as a program has one, or in his browser: names of all teams are told."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        return super().has_permission(request, view) and is_operator(request.user)


class Metrics(APIView):
    """How reading goes and what there is, for Prometheus."""

    schema = None
    http_method_names = ("get", "head", "options")
    content_negotiation_class = OneFormat
    permission_classes = (Operators,)

    def get(self, request: Request) -> StreamingHttpResponse:
        with snapshot():
            # Before anything is sent: a database that does not answer makes a 500, not half a page.
            head = text(_families())
        response = StreamingHttpResponse(_page(head), content_type=CONTENT_TYPE_PLAIN_0_0_4)
        response["Cache-Control"] = "no-store"
        return response


def _families() -> Iterator[Metric]:
    yield family("build_info", "The release that answers.", ("version",), [((VERSION,), 1)])
    clusters = metrics.clusters(timezone.now())
    yield from reading.told(clusters)
    yield from cards.told(metrics.card_counts(), metrics.card_totals())
    yield from broker.told([one.queue for one in clusters if one.queue])


def _page(head: bytes) -> Iterator[bytes]:
    """Closed with the response, and with it the transaction that reads."""
    yield head
    if settings.SLICEBOARD_METRICS_DEVICES:
        yield from streams.of_devices()
    if settings.SLICEBOARD_METRICS_SHARES:
        yield from streams.of_shares()
