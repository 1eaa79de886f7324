"""Conditional GET: a strong ETag that costs a look at the clusters, not the answer itself."""

import hashlib
from collections.abc import Iterable
from datetime import datetime

from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import get_language
from rest_framework.request import Request

from dashboard.access.viewer import viewer_of
from dashboard.api.wire import wire_time
from inventory.version import VERSION

AS_OF = "Sliceboard-As-Of"
VARY = ("Authorization", "Cookie", "Accept", "Accept-Language")


def etag(request: Request, generation: Iterable[str]) -> str:
    """Everything that an answer depends on: the release, the question, who asks and may see what, and what
    polls found.

    Not the time of the last poll, which moves while all else stays: that goes into a header of its own.
    """
    question = sorted((name, *values) for name, values in request.query_params.lists())
    parts: Iterable[object] = (
        VERSION,
        request.path,
        question,
        request.accepted_renderer.format,
        request.user.pk,
        viewer_of(request.user).scope,
        get_language(),
        *generation,
    )
    # The host is part of the links to other pages.
    text = "\n".join(map(repr, (request.build_absolute_uri("/"), *parts)))
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:40]}"'


def not_modified(request: Request, tag: str, as_of: datetime | None) -> HttpResponseBase | None:
    """The 304, where the client already has this answer."""
    response = get_conditional_response(request._request, etag=tag)
    return response if response is None else marked(response, tag, as_of)


def marked(response: HttpResponseBase, tag: str, as_of: datetime | None) -> HttpResponseBase:
    """With the headers that every conditional answer has; a 304 tells the newest `as_of` by its own."""
    response["ETag"] = tag
    if as_of is not None:
        response[AS_OF] = wire_time(as_of)
    response["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, VARY)
    return response
