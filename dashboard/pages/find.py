"""The search in the top bar."""

from django.http import HttpRequest, HttpResponse

from dashboard.access.viewer import viewer_of
from dashboard.pages.shell import page, show
from inventory.queries.find import find as find_text

_SHOWN = 20


@page
def find(request: HttpRequest) -> HttpResponse:
    text = request.GET.get("q", "").strip()
    found = find_text(text, shown=_SHOWN, viewer=viewer_of(request.user)) if text else None
    return show(request, "find.html", {"text": text, "found": found}, active="")
