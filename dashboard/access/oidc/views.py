"""To the provider and back."""

import logging

from django.conf import settings
from django.contrib import auth
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from dashboard.access.audit.sign_ins import refuse
from dashboard.access.oidc import people, provider
from dashboard.access.oidc.refusal import SignInError
from dashboard.access.sign_in import page_context

logger = logging.getLogger(__name__)

_NEXT = "openid_next"
_TIME_TO_COME_BACK = 3600
_BACKEND = "django.contrib.auth.backends.ModelBackend"


@require_safe
@never_cache
@login_not_required
def begin(request: HttpRequest) -> HttpResponse:
    request.session[_NEXT] = _ours(request, request.GET.get("next", ""))
    if not request.user.is_authenticated:
        # Anybody may begin: what nobody comes back to is soon forgotten.
        request.session.set_expiry(_TIME_TO_COME_BACK)
    try:
        return provider.redirect(request, reverse("openid_callback"))
    except SignInError as error:
        return _refused(request, error)


@require_safe
@never_cache
@login_not_required
def callback(request: HttpRequest) -> HttpResponse:
    following = request.session.pop(_NEXT, "") or settings.LOGIN_REDIRECT_URL
    try:
        user = people.user_of(provider.claims(request))
    except SignInError as error:
        return _refused(request, error)
    request.signed_in_by = "OpenID"  # type: ignore[attr-defined]
    auth.login(request, user, backend=_BACKEND)
    # An address, also where it looks like the name of a view.
    return HttpResponseRedirect(following)


@require_safe
@never_cache
@login_not_required
def leave(request: HttpRequest) -> HttpResponse:
    """Out of the provider, too: for whoever has already signed out here."""
    back = reverse("login")
    try:
        address = provider.sign_out_address(request.build_absolute_uri(back))
    except SignInError as error:
        return _refused(request, error)
    if address is None:
        told = _("%(name)s has no sign-out that others lead to: sign out at its own pages.")
        return _page(request, told % {"name": settings.SLICEBOARD_OIDC_NAME})
    return HttpResponseRedirect(address)


def _ours(request: HttpRequest, address: str) -> str:
    """An address of ours, or none."""
    safe = url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return address if safe else ""


def _refused(request: HttpRequest, error: SignInError) -> HttpResponse:
    logger.warning("sign-in by OpenID refused: %s", error.cause)
    refuse("", "OpenID", error.cause)
    return _page(request, str(error), status=error.status)


def _page(request: HttpRequest, told: str, *, status: int = 200) -> HttpResponse:
    form = {"non_field_errors": [told]}
    return render(request, "sign_in.html", {**page_context(), "form": form}, status=status)
