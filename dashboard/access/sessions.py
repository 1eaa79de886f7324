"""Sessions in the database that know whose they are: Django's own, with columns of ours."""

import secrets
from typing import TYPE_CHECKING, Any, cast

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.utils import timezone

from dashboard.access.brake import address
from dashboard.access.models import UserSession

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest

# In the session itself: what was known when somebody signed in.
SIGN_IN = "_sign_in"


class SessionStore(DatabaseStore):
    @classmethod
    def get_model_class(cls) -> type[UserSession]:
        return UserSession

    def _validate_session_key(self, key: str | None) -> bool:
        """A cookie can hold what PostgreSQL does not even look for, a null character."""
        known: Any = super()
        return known._validate_session_key(key) and str(key).isalnum()

    def create_model_instance(self, data: dict[str, Any]) -> UserSession:
        session = cast("UserSession", super().create_model_instance(data))
        user = data.get(SESSION_KEY)
        session.user_id = int(user) if user else None
        for name, value in data.get(SIGN_IN, {}).items():
            setattr(session, name, value)
        return session


def begin(request: "HttpRequest") -> None:
    """For whoever looks at his sessions later. It lasts as long as any, also where it was to be short."""
    request.session.set_expiry(None)
    request.session[SIGN_IN] = {
        "public_id": secrets.token_hex(8),
        "begun_at": timezone.now().isoformat(),
        "address": address(request),
        "browser": request.headers.get("User-Agent", "")[:200].replace("\x00", ""),
    }


def of_user(user_id: int) -> "QuerySet[UserSession]":
    """Those that still last, the newest first."""
    lasting = UserSession.objects.filter(user_id=user_id, expire_date__gt=timezone.now())
    return lasting.order_by("-begun_at")


def end(sessions: "QuerySet[UserSession]") -> int:
    """Whoever comes with one of them next has to sign in."""
    return int(sessions.delete()[0])
