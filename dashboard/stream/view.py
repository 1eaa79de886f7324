"""`GET /api/v1/stream/`: what happens, as it happens.

This answers as every other resource does: it signs in, reads the parameters, and begins the stream. A server
that can keep it open takes it over from there, without a thread of its own (`dashboard.serving`). Any other
one ends it: then the client comes again after `retry`, and goes on from where it was.
"""

import random
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

from django.conf import settings
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.exceptions import Throttled
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from dashboard.access.viewer import viewer_of
from dashboard.api.conditional import VARY
from dashboard.api.schema import problems
from dashboard.serving.exchange import exchange_of
from dashboard.stream import asked, wire
from dashboard.stream.hub import Listener, hub
from dashboard.stream.opening import Opening, opened
from dashboard.stream.rights import right_of
from dashboard.stream.seats import Full, Seat

if TYPE_CHECKING:
    from django.contrib.auth.models import User

_MEDIA_TYPE = "text/event-stream"
# When a client comes again, in milliseconds: after a stream that was kept open, not all of them at once.
_RETRY = (1000, 4000)
_RETRY_WITHOUT_SERVER = 5000
_RETRY_FULL_SECONDS = 30


class EventStream(BaseRenderer):
    """Stands for the stream in the negotiation; `dashboard.stream.wire` writes it."""

    media_type = _MEDIA_TYPE
    format = "events"
    charset = None

    def render(self, data: Any, *_: Any) -> bytes:
        raise NotImplementedError("a stream is not rendered")


class Stream(APIView):
    """Server-Sent Events: `snapshot`, `share` and `freshness`.

    docs/live.md says what each holds, and how a client goes on after it was cut off.
    """

    http_method_names = ("get", "head")
    renderer_classes = (EventStream,)

    @extend_schema(
        operation_id="stream",
        parameters=asked.PARAMETERS,
        responses={
            (HTTPStatus.OK, _MEDIA_TYPE): OpenApiResponse(
                {"type": "string"}, description="Events, without end."
            ),
            **problems(400, 401, 406, 429),
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        viewer = viewer_of(request.user)
        question, since = asked.question(request, viewer), asked.last_id(request)
        exchange = exchange_of(request.META)
        if exchange is None or request.method == "HEAD":
            return _answer(_RETRY_WITHOUT_SERVER, opened(question, since))
        user = cast("User", request.user)
        seat = _seat(user.pk)
        exchange.on_end(seat.leave)
        opening = opened(question, since)
        exchange.go_on_with(hub.events(Listener(opening, right_of(request, user, viewer.scope))))
        return _answer(random.randint(*_RETRY), opening)  # noqa: S311 (no secret)


def _seat(user: int) -> Seat:
    try:
        return hub.seats.take(user, settings.SLICEBOARD_STREAMS_OF_USER)
    except Full:
        told = f"This user has {settings.SLICEBOARD_STREAMS_OF_USER} streams open here: close one of them."
        raise Throttled(_RETRY_FULL_SECONDS, told) from None


def _answer(retry: int, opening: Opening) -> StreamingHttpResponse:
    response = StreamingHttpResponse([wire.retry(retry), *opening.events], content_type=_MEDIA_TYPE)
    response["Cache-Control"] = "no-store"
    # Where nginx stands before it: pass everything on at once.
    response["X-Accel-Buffering"] = "no"
    response["Vary"] = ", ".join(VARY)
    return response
