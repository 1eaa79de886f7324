"""The answers with which an API server refuses, as `Status` objects."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

import msgspec

from demo.resources import Resource

CONTINUE_EXPIRED = (
    "The provided continue parameter is too old to display a consistent list result. "
    "You can start a new list without the continue parameter, or use the continue token in this "
    "response to retrieve the remainder of the results. Continuing with the provided token results "
    "in an inconsistent list - objects that were created, modified, or deleted between the time "
    "the first chunk was returned and now may show up in the list."
)
LIST_EXPIRED = "The resourceVersion for the provided list is too old."


class Refusal(Exception):
    """A request that ends with a Status object instead of what it asked for."""

    def __init__(
        self,
        code: int,
        reason: str,
        message: str,
        *,
        details: dict[str, Any] | None = None,
        metadata: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details
        self.metadata = metadata or {}
        self.headers = headers or {}

    def status(self) -> dict[str, Any]:
        status: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": self.metadata,
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
            "details": self.details,
            "code": self.code,
        }
        return {key: value for key, value in status.items() if value is not None}

    def body(self) -> bytes:
        return msgspec.json.encode(self.status())


class FieldError(msgspec.Struct, frozen=True):
    """One complaint about one field of an object (`field.Error` in apimachinery)."""

    path: str
    reason: str
    message: str

    def text(self) -> str:
        return f"{self.path}: {self.message}"


def bad_request(message: str) -> Refusal:
    return Refusal(HTTPStatus.BAD_REQUEST, "BadRequest", message)


def unauthorized() -> Refusal:
    return Refusal(HTTPStatus.UNAUTHORIZED, "Unauthorized", "Unauthorized")


def forbidden(user: str, verb: str, resource: Resource, namespace: str, name: str) -> Refusal:
    subject = f'{resource.qualified} "{name}"' if name else resource.qualified
    scope = f'in the namespace "{namespace}"' if namespace else "at the cluster scope"
    message = (
        f'{subject} is forbidden: User "{user}" cannot {verb} resource "{resource.plural}" '
        f'in API group "{resource.group}" {scope}'
    )
    return Refusal(HTTPStatus.FORBIDDEN, "Forbidden", message, details=_details(resource, name))


def path_forbidden(user: str, verb: str, path: str) -> Refusal:
    message = f'forbidden: User "{user}" cannot {verb} path "{path}"'
    return Refusal(HTTPStatus.FORBIDDEN, "Forbidden", message, details={})


def no_such_path() -> Refusal:
    message = "the server could not find the requested resource"
    return Refusal(HTTPStatus.NOT_FOUND, "NotFound", message, details={})


def not_found(resource: Resource, name: str) -> Refusal:
    message = f'{resource.qualified} "{name}" not found'
    return Refusal(HTTPStatus.NOT_FOUND, "NotFound", message, details=_details(resource, name))


def method_not_allowed() -> Refusal:
    message = "the server does not allow this method on the requested resource"
    return Refusal(HTTPStatus.METHOD_NOT_ALLOWED, "MethodNotAllowed", message, details={})


def not_acceptable() -> Refusal:
    message = "only the following media types are accepted: application/json"
    return Refusal(HTTPStatus.NOT_ACCEPTABLE, "NotAcceptable", message)


def already_exists(resource: Resource, name: str) -> Refusal:
    message = f'{resource.qualified} "{name}" already exists'
    return Refusal(HTTPStatus.CONFLICT, "AlreadyExists", message, details=_details(resource, name))


def expired(message: str, continue_token: str = "") -> Refusal:
    """410; a token in it lets the client read on, inconsistently."""
    metadata = {"continue": continue_token} if continue_token else {}
    return Refusal(HTTPStatus.GONE, "Expired", message, metadata=metadata)


def revision_in_future(asked: int, current: int) -> Refusal:
    return Refusal(
        HTTPStatus.GATEWAY_TIMEOUT,
        "Timeout",
        f"Timeout: Too large resource version: {asked}, current: {current}",
        details={
            "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
            "retryAfterSeconds": 1,
        },
    )


def too_many_requests(retry_after: int) -> Refusal:
    return Refusal(
        HTTPStatus.TOO_MANY_REQUESTS,
        "TooManyRequests",
        "The server has received too many requests and has asked us to try again later",
        details={"retryAfterSeconds": retry_after},
        headers={"Retry-After": str(retry_after)},
    )


def internal_error(code: int) -> Refusal:
    reason = "ServiceUnavailable" if code == HTTPStatus.SERVICE_UNAVAILABLE else "InternalError"
    message = "the server is currently unable to handle the request"
    return Refusal(code, reason, message, details={})


def invalid(kind: str, group: str, name: str, errors: Iterable[FieldError]) -> Refusal:
    found = list(errors)
    texts = [error.text() for error in found]
    summary = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    qualified = f"{kind}.{group}" if group else kind
    details: dict[str, Any] = {"name": name} if name else {}
    details |= {"group": group, "kind": kind}
    details["causes"] = [
        {"reason": error.reason, "message": error.message, "field": error.path} for error in found
    ]
    message = f'{qualified} "{name}" is invalid: {summary}'
    return Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, "Invalid", message, details=details)


def _details(resource: Resource, name: str) -> dict[str, Any]:
    named = {"name": name, "group": resource.group, "kind": resource.plural}
    return {key: value for key, value in named.items() if value}
