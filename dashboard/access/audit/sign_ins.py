"""Who came in, who was refused, and who left."""

from typing import Any

from axes.signals import user_locked_out
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from dashboard.access.audit.entries import record
from dashboard.access.audit.origin import origin
from dashboard.access.models import AuditEntry

Action = AuditEntry.Action


@receiver(user_logged_in)
def came_in(sender: Any, request: HttpRequest, user: User, **kwargs: Any) -> None:
    by = getattr(request, "signed_in_by", "password")
    record(Action.SIGNED_IN, user, after={"by": by}, user=user)


@receiver(user_logged_out)
def left(sender: Any, request: HttpRequest, user: User | None, **kwargs: Any) -> None:
    if user is not None:
        record(Action.SIGNED_OUT, user, user=user)


@receiver(user_login_failed)
def refused(
    sender: Any, credentials: dict[str, Any], request: HttpRequest | None = None, **kwargs: Any
) -> None:
    """While he is held back nothing more is added: guessing must not fill the table."""
    if getattr(request, "address_held_back", False):
        _address_held_back()
    elif request is not None and not getattr(request, "axes_locked_out", False):
        refuse(str(credentials.get("username", "")), "password")


@receiver(user_locked_out)
def held_back(sender: Any, request: HttpRequest, username: str | None, **kwargs: Any) -> None:
    if getattr(request, "axes_failures_since_start", None) is not None:
        record(Action.HELD_BACK, _user(username or ""), after={"by": "password"})


def refuse(name: str, by: str, reason: str = "") -> None:
    """A name that nobody has is not kept: it may be a password, typed into the wrong field."""
    if _has_filled_enough(by):
        return
    user = _user(name)
    after = {"by": by, **({"reason": reason} if reason else {}), **({} if user else {"user": "unknown"})}
    record(Action.REFUSED, user, after=after)


def _address_held_back() -> None:
    """Whoever it is that comes from there."""
    if not _lately(Action.HELD_BACK, "address").exists():
        record(Action.HELD_BACK, after={"by": "address"})


def _has_filled_enough(by: str) -> bool:
    """One needs neither a name nor a password to be refused at a provider, again and again.

    Each way in has a number of its own: one that is full hides nothing of another.
    """
    told = _lately(Action.REFUSED, by).count()
    return int(told) >= settings.SLICEBOARD_SIGN_IN_TRIES_OF_ADDRESS


def _lately(action: AuditEntry.Action, by: str) -> Any:
    """Of whoever asks now, in the time for which somebody is held back."""
    since, address = timezone.now() - settings.AXES_COOLOFF_TIME, origin().get("address")
    return AuditEntry.objects.filter(action=action, at__gte=since, address=address, after__by=by)


def _user(name: str) -> User | None:
    return User.objects.filter(username=name).first() if name and "\x00" not in name else None
