"""The sign-in page, and what it offers."""

from typing import Any

from django.conf import settings
from django.contrib.auth import views
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache


def page_context() -> dict[str, Any]:
    """`openid`: what the provider is called, empty without one."""
    return {"openid": settings.SLICEBOARD_OIDC_NAME if settings.SLICEBOARD_OIDC_ISSUER else ""}


class SignIn(views.LoginView):
    template_name = "sign_in.html"
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**page_context(), **kwargs)


class SignOut(views.LogoutView):
    """Here; the page that follows offers to leave the provider, too."""

    def get_default_redirect_url(self) -> str:
        return reverse("login") + ("?signed-out" if settings.SLICEBOARD_OIDC_ISSUER else "")


@never_cache
@login_not_required
def of_administration(request: HttpRequest) -> HttpResponse:
    """Instead of its own: there is one page, with every way in. Whoever is in already may not go further."""
    inside = reverse("admin:index")
    if not request.user.is_authenticated:
        return views.redirect_to_login(request.GET.get("next") or inside)
    if not request.user.is_staff:
        raise PermissionDenied
    return redirect(inside)
