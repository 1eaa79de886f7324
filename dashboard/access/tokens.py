"""What a token of the REST API may do, and that it was used."""

import re
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone
from knox.auth import TokenAuthentication as KnoxAuthentication
from knox.models import AuthToken
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from dashboard.access.models import ApiToken

# A use is written down once in this time: not every request is a write.
_USE_NOTED = timedelta(minutes=1)
# RFC 6750 section 2.1. Nothing else is looked for: a database may refuse a NUL, even to compare it.
_B64TOKEN = re.compile(rb"[A-Za-z0-9\-._~+/]+=*")


class TokenAuthentication(KnoxAuthentication):  # type: ignore[misc]
    """A token that is unknown, expired or of a user who may not come in is 401, whatever it looks like."""

    def authenticate_credentials(self, token: bytes) -> tuple[User, AuthToken]:
        if not _B64TOKEN.fullmatch(token):
            raise AuthenticationFailed
        user, known = super().authenticate_credentials(token)
        _note_use(known)
        return user, known

    def _cleanup_token(self, auth_token: AuthToken) -> bool:
        """Only whether it has expired: it stays in its owner's list, and reading deletes nothing."""
        return auth_token.expiry is not None and auth_token.expiry <= timezone.now()


def _note_use(token: AuthToken) -> None:
    now = timezone.now()
    terms = terms_of(token)
    if terms is not None and (terms.last_used_at is None or now - terms.last_used_at > _USE_NOTED):
        ApiToken.objects.filter(pk=terms.pk).update(last_used_at=now)


def terms_of(token: AuthToken) -> ApiToken | None:
    """None for a token that was made before there were any."""
    return getattr(token, "terms", None)


class ScopeOfToken(BasePermission):
    """Writing takes a token that may write. A view that `asks` is a question, whatever its method."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if not isinstance(request.auth, AuthToken) or request.method in SAFE_METHODS:
            return True
        if getattr(view, "asks", False):
            return True
        terms = terms_of(request.auth)
        if terms is None or terms.scope != ApiToken.Scope.READ_WRITE:
            raise PermissionDenied("This token may only read: its scope is not read-write.")
        return True
