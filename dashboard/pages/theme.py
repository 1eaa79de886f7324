"""Light, dark, or as the system has it; kept in a cookie."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

COOKIE = "theme"
THEMES = ("system", "light", "dark")
_YEAR = 365 * 24 * 3600


@login_not_required
@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    chosen = request.POST.get("theme", "")
    if chosen not in THEMES:
        return HttpResponseBadRequest(
            f"theme must be one of {', '.join(THEMES)}\n", content_type="text/plain"
        )
    back = request.POST.get("next", "/")
    if not url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure()):
        back = "/"
    answer = redirect(back)
    # The script reads nothing secret here, and writes the same cookie.
    answer.set_cookie(COOKIE, chosen, max_age=_YEAR, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE)
    return answer
