"""A name for every request, the same in the answer and in the log."""

import logging
import re
import uuid
from collections.abc import Callable
from contextvars import ContextVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase

_ACCEPTED = re.compile(r"[A-Za-z0-9._-]{1,128}", re.ASCII)
_KEY = "sliceboard.request_id"
_current: ContextVar[str] = ContextVar("request_id", default="")

logger = logging.getLogger(__name__)


class RequestIdMiddleware:
    """Takes over `X-Request-ID` where it is a plain word, makes one otherwise, and says it in the answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get("X-Request-ID", "")
        name = given if _ACCEPTED.fullmatch(given) else uuid.uuid4().hex
        # Django logs what went wrong after the middleware has ended, and gives the request along.
        request.META[_KEY] = name
        token = _current.set(name)
        try:
            response = self.get_response(request)
            logger.info(
                "request method=%s path=%s status=%d", request.method, request.path, response.status_code
            )
        finally:
            _current.reset(token)
        response["X-Request-ID"] = name
        return response


def request_id(request: HttpRequest) -> str:
    return str(request.META.get(_KEY, ""))


class RequestIdFilter(logging.Filter):
    """Gives every log record the request it belongs to; `-` outside of one."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        told = request_id(request) if isinstance(request, HttpRequest) else ""
        record.request_id = _current.get() or told or "-"
        return True
