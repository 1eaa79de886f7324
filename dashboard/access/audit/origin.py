"""Who acts, and from where: kept for the time of a request."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from knox.models import AuthToken

from dashboard.access.brake import address
from dashboard.access.tokens import terms_of
from dashboard.request_id import request_id

_current: ContextVar[HttpRequest | None] = ContextVar("request_that_acts", default=None)


class AuditMiddleware:
    """Lets whatever a request changes be told with whose request it was."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        token = _current.set(request)
        try:
            return self.get_response(request)
        finally:
            _current.reset(token)


def origin(user: User | None = None) -> dict[str, Any]:
    """Columns of an audit entry. Without a request it was a command, or the worker: nobody is named."""
    request = _current.get()
    if request is None:
        return _of_user(user)
    # Looked at only now: a view of the REST API signs in by the token on its way.
    found = user or getattr(request, "user", None)
    token = getattr(request, "auth", None)
    return {
        **_of_user(found),
        "token": _name(token) if isinstance(token, AuthToken) else "",
        "address": address(request),
        "request_id": request_id(request),
    }


def _of_user(user: Any) -> dict[str, Any]:
    if user is None or user.pk is None:
        return {}
    return {"user_id": user.pk, "username": user.get_username()}


def _name(token: AuthToken) -> str:
    terms = terms_of(token)
    return terms.name if terms else "without a name"
