"""Who listens by what right, and whether it still holds: asked for all streams together."""

from collections.abc import Collection
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone
from knox.models import AuthToken
from rest_framework.request import Request

from dashboard.access.models import UserSession
from dashboard.access.viewer import viewers_of


class Right(NamedTuple):
    """Of a session or of a token. `password`: what a session knows of it, so that a new one ends it.

    `scope`: what the user may see.
    """

    user: int
    session: str
    token: str
    password: str
    scope: str


def right_of(request: Request, user: User, scope: str) -> Right:
    if isinstance(request.auth, AuthToken):
        return Right(user.pk, "", str(request.auth.pk), "", scope)
    return Right(user.pk, request.session.session_key or "", "", user.get_session_auth_hash(), scope)


def lapsed(rights: Collection[Right]) -> set[Right]:
    """Those that hold no more: signed out, revoked, expired, switched off, or with other things to see."""
    users = User.objects.in_bulk({one.user for one in rights})
    viewers = viewers_of(users)
    sessions, tokens = _sessions(rights), _tokens(rights)
    return {
        one
        for one in rights
        if one.user not in viewers
        or viewers[one.user].scope != one.scope
        or (one.token not in tokens if one.token else one.session not in sessions)
        or (one.session and users[one.user].get_session_auth_hash() != one.password)
    }


def _sessions(rights: Collection[Right]) -> set[str]:
    keys = {one.session for one in rights if one.session}
    lasting = UserSession.objects.filter(session_key__in=keys, expire_date__gt=timezone.now())
    return set(lasting.values_list("session_key", flat=True))


def _tokens(rights: Collection[Right]) -> set[str]:
    keys = {one.token for one in rights if one.token}
    unending = Q(expiry=None) | Q(expiry__gt=timezone.now())
    return set(map(str, AuthToken.objects.filter(unending, pk__in=keys).values_list("pk", flat=True)))
