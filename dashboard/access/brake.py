"""What slows down those who guess: whom a refused sign-in is counted for, and what he is told."""

import math
from ipaddress import ip_address
from typing import Any

from axes.models import AccessAttempt
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from rest_framework.throttling import BaseThrottle

from dashboard.access.sign_in import page_context


def address(request: HttpRequest) -> str | None:
    """Of the client; what a header says of it counts only behind a proxy that is believed.

    None where there is none: a socket of this machine, or a sign-in that is no request at all.
    """
    # The same rule as for requests to the API.
    found = str(BaseThrottle().get_ident(request))  # type: ignore[arg-type]
    try:
        return str(ip_address(found))
    except ValueError:
        return None


class ManyFromOneAddress:
    """Holds back an address from which sign-ins of many users fail, before any password is looked at.

    It knows no users: sessions are never its own.
    """

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> None:
        if request is not None and _failures_from(address(request)) >= _most_from_one_address():
            # What axes goes by, too: the answer is its own.
            request.axes_locked_out = request.address_held_back = True  # type: ignore[attr-defined]
            raise PermissionDenied


def _failures_from(found: str | None) -> int:
    since = timezone.now() - settings.AXES_COOLOFF_TIME
    failed = AccessAttempt.objects.filter(ip_address=found, attempt_time__gte=since)
    return int(failed.aggregate(number=Sum("failures_since_start"))["number"] or 0) if found else 0


def _most_from_one_address() -> int:
    return int(settings.SLICEBOARD_SIGN_IN_TRIES_OF_ADDRESS)


def told_to_wait(
    request: HttpRequest, refused: HttpResponse | None, credentials: dict[str, Any] | None
) -> HttpResponse:
    """The sign-in page once more."""
    name = str((credentials or {}).get("username", ""))
    form = {"non_field_errors": [_message(request)], "username": {"value": name}}
    response = render(
        request,
        "sign_in.html",
        {**page_context(), "form": form, "next": request.POST.get("next", "")},
        status=429,
    )
    response["Retry-After"] = str(math.ceil(settings.AXES_COOLOFF_TIME.total_seconds()))
    response["Cache-Control"] = "no-store"
    return response


def _message(request: HttpRequest) -> str:
    minutes = math.ceil(settings.AXES_COOLOFF_TIME.total_seconds() / 60)
    many = (
        gettext("Too many sign-ins have failed from here.")
        if getattr(request, "address_held_back", False)
        else gettext("Too many sign-ins of this user have failed from here.")
    )
    wait = ngettext("Try again in %(n)d minute.", "Try again in %(n)d minutes.", minutes) % {"n": minutes}
    return f"{many} {wait}"
