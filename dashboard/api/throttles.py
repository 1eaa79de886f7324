"""How often one may ask. A cache that does not answer holds nobody up: requests then go uncounted."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import redis
from rest_framework.throttling import SimpleRateThrottle, UserRateThrottle

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.views import APIView

logger = logging.getLogger(__name__)


class _Forgiving(SimpleRateThrottle):
    def allow_request(self, request: Request, view: APIView) -> bool:
        try:
            return super().allow_request(request, view)
        except redis.RedisError as error:
            logger.warning("requests to the API are not counted: the cache does not answer: %s", error)
            return True


class OfUser(_Forgiving, UserRateThrottle):
    """Requests of one user."""


class OfRefused(_Forgiving):
    """Requests from one address that came without a sign-in or with a wrong token."""

    scope = "refused"

    def get_cache_key(self, request: Request, view: Any) -> str:
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}
