"""Errors as RFC 9457 problem details."""

import math
from http import HTTPStatus
from typing import Any

from django.core.exceptions import DisallowedHost, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext
from django.views import defaults
from rest_framework import exceptions
from rest_framework.views import set_rollback

from dashboard.api.throttles import OfRefused
from dashboard.api.wire import encode
from dashboard.request_id import request_id

_API = "/api/"
_WITHOUT_FIELD = "non_field_errors"


def problem(status: int, detail: str, errors: list[dict[str, str]] | None = None) -> HttpResponse:
    """The type is `about:blank`: the status says what kind it is, `detail` and `errors` what to do."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    if errors:
        body["errors"] = errors
    response = HttpResponse(encode(body), content_type="application/problem+json", status=status)
    response["Cache-Control"] = "no-store"
    return response


def answer_exception(error: Exception, context: dict[str, Any]) -> HttpResponse | None:
    """DRF's exception handler: every refusal as a problem, in JSON whatever was asked for."""
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    if not isinstance(error, exceptions.APIException):
        return None
    if isinstance(error, exceptions.AuthenticationFailed | exceptions.NotAuthenticated):
        error = _slowed_down(error, context)
    set_rollback()
    response = problem(error.status_code, *_told(error))
    for name, value in _headers(error).items():
        response[name] = value
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """For what Django refuses before or outside of a resource, such as too many parameters."""
    if isinstance(exception, DisallowedHost):
        return _wrong_host(request)
    if not request.path_info.startswith(_API):
        return defaults.bad_request(request, exception)
    return problem(400, "The request cannot be read; it may have too many parameters.")


def _wrong_host(request: HttpRequest) -> HttpResponse:
    told = gettext("Sliceboard does not answer to this host name: it is not among SLICEBOARD_ALLOWED_HOSTS.")
    if request.path_info.startswith(_API):
        return problem(400, told)
    # Without the request: much of what a page says of it asks for its host.
    return HttpResponse(render_to_string("400.html", {"faults": [("Host", told)]}), status=400)


def server_error(request: HttpRequest) -> HttpResponse:
    """A fault of ours, told without its inside; the log has it under the request's id."""
    if not request.path_info.startswith(_API):
        # Without what is said on every page: much of it asks the database, which may be what is broken.
        told = {"request": request, "request_id": request_id(request)}
        return HttpResponse(render_to_string("500.html", told), status=500)
    return problem(
        500, "Something went wrong here. The log says what, under the X-Request-ID of this answer."
    )


def _slowed_down(error: exceptions.APIException, context: dict[str, Any]) -> exceptions.APIException:
    """Whoever is refused too often from one address is told to wait; who may ask never comes here."""
    throttle = OfRefused()
    if throttle.allow_request(context["request"], context["view"]):
        return error
    return exceptions.Throttled(throttle.wait())


def _told(error: exceptions.APIException) -> tuple[str, list[dict[str, str]] | None]:
    if not isinstance(error, exceptions.ValidationError):
        return str(error.detail), None
    errors = list(_fields(error.detail))
    named = ", ".join(dict.fromkeys(one["field"] for one in errors if "field" in one))
    return f"These parameters cannot be used: {named}." if named else errors[0]["detail"], errors


def _fields(detail: Any) -> list[dict[str, str]]:
    if not isinstance(detail, dict):
        return [{"detail": str(one)} for one in detail]
    return [
        {"detail": str(one)} if field == _WITHOUT_FIELD else {"field": str(field), "detail": str(one)}
        for field, found in detail.items()
        for one in (found if isinstance(found, list) else [found])
    ]


def _headers(error: exceptions.APIException) -> dict[str, str]:
    headers = {}
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if (wait := getattr(error, "wait", None)) is not None:
        headers["Retry-After"] = str(math.ceil(wait))
    return headers
