"""Conditional GET: a strong ETag that costs a look at the clusters, not the answer itself."""

import hashlib
from typing import TYPE_CHECKING

from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import get_language
from rest_framework.request import Request

from inventory.queries.freshness import Freshness
from inventory.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable

VARY = ("Authorization", "Cookie", "Accept", "Accept-Language")


def etag(request: Request, freshness: Freshness) -> str:
    """Everything that an answer depends on: the release, the question, who asks, and what was last read.

    Each attempt to read a cluster makes a new one, also where nothing has changed, so that a client that
    gets 304 never keeps an `as_of` that is older than the server's.
    """
    question = sorted((name, *values) for name, values in request.query_params.lists())
    parts: Iterable[object] = (
        VERSION,
        request.path,
        question,
        request.accepted_renderer.format,
        request.user.pk,
        get_language(),
        *freshness.generation,
    )
    # The host is part of the links to other pages.
    text = "\n".join(map(repr, (request.build_absolute_uri("/"), *parts)))
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:40]}"'


def not_modified(request: Request, tag: str) -> HttpResponseBase | None:
    """The 304, where the client already has this answer."""
    response = get_conditional_response(request._request, etag=tag)
    return response if response is None else marked(response, tag)


def marked(response: HttpResponseBase, tag: str) -> HttpResponseBase:
    """With the headers that every conditional answer has."""
    response["ETag"] = tag
    response["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, VARY)
    return response
