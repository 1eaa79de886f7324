"""What a signed-in user has of his own: tokens for the REST API, sessions, and a password."""

from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import auth
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.access.audit.entries import record
from dashboard.access.models import ApiToken, AuditEntry, UserSession
from dashboard.access.sessions import end, of_user
from dashboard.pages.shell import show
from dashboard.pages.source import Source

_ON_ITS_OWN = Source(rests=False)
_LIVES = (1, 7, 30, 90, 180, 365)


class NewPasswordForm(PasswordChangeForm):
    """The old one is asked for as at a sign-in: whoever has found a cookie and guesses is held back."""

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._request = request

    def clean_old_password(self) -> str:
        known = {"username": self.user.get_username(), "password": self.cleaned_data["old_password"]}
        if auth.authenticate(self._request, **known) != self.user:
            raise forms.ValidationError(self.error_messages["password_incorrect"], code="password_incorrect")
        return str(known["password"])


class TokenForm(forms.Form):
    name = forms.CharField(label=_("What it is for"), max_length=100)
    scope = forms.ChoiceField(label=_("What it may do"), choices=ApiToken.Scope.choices)
    days = forms.TypedChoiceField(label=_("How long it lives"), coerce=int)

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        most = settings.SLICEBOARD_TOKEN_DAYS
        lives = sorted({min(one, most) for one in _LIVES})
        days: forms.TypedChoiceField = self.fields["days"]  # type: ignore[assignment]
        days.choices = [(one, ngettext("%(n)d day", "%(n)d days", one) % {"n": one}) for one in lives]
        days.initial = min(90, most)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def tokens(request: HttpRequest) -> HttpResponse:
    """The list, and a form for a new one. Its text is in the answer to the form, and nowhere else."""
    form = TokenForm(request.POST if request.method == "POST" else None)
    made, text = None, ""
    if form.is_bound and form.is_valid():
        life = timedelta(days=form.cleaned_data["days"])
        made, text = ApiToken.issue(
            _user(request), form.cleaned_data["name"], form.cleaned_data["scope"], life
        )
        form = TokenForm()
    rows = _tokens_of(request).select_related("token")
    context = {"form": form, "made": made, "token_text": text, "rows": rows}
    response = show(request, "account/tokens.html", context, active="tokens", source=_ON_ITS_OWN)
    if form.is_bound:
        response.status_code = 400
    return response


@require_POST
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """At once: the next request with it is refused."""
    get_object_or_404(_tokens_of(request), pk=token_id).revoke()
    return redirect("tokens")


@require_http_methods(["GET", "HEAD"])
@never_cache
def sessions(request: HttpRequest) -> HttpResponse:
    context = {"rows": _sessions_of(request), "mine": request.session.session_key}
    return show(request, "account/sessions.html", context, active="tokens", source=_ON_ITS_OWN)


@require_POST
def end_sessions(request: HttpRequest) -> HttpResponse:
    """One that is named, or all of them, this one with them."""
    public_id = request.POST.get("session", "")
    chosen = _sessions_of(request)
    if public_id:
        chosen = chosen.filter(public_id=public_id)
    mine = chosen.filter(pk=request.session.session_key).exists()
    with transaction.atomic():
        if ended := end(chosen):
            record(AuditEntry.Action.ENDED, _user(request), after={"sessions": ended})
    if mine:
        auth.logout(request)
        return redirect("login")
    return redirect("sessions")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@sensitive_post_parameters()
def password(request: HttpRequest) -> HttpResponse:
    """This session goes on with the new one; the others end."""
    user = _user(request)
    form = None
    if user.has_usable_password():
        form = NewPasswordForm(request, user, request.POST if request.method == "POST" else None)
        if form.is_valid():
            with transaction.atomic():
                auth.update_session_auth_hash(request, form.save())
            return redirect("sessions")
    response = show(request, "account/password.html", {"form": form}, active="tokens", source=_ON_ITS_OWN)
    if request.method == "POST":
        response.status_code = 400
    return response


def _user(request: HttpRequest) -> User:
    # Nobody else comes here: every page asks for a sign-in.
    assert isinstance(request.user, User)  # noqa: S101
    return request.user


def _tokens_of(request: HttpRequest) -> QuerySet[ApiToken]:
    return ApiToken.objects.filter(token__user=_user(request))


def _sessions_of(request: HttpRequest) -> QuerySet[UserSession]:
    return of_user(_user(request).pk)
