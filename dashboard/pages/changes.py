"""What changed since yesterday, or in another time."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from dashboard.access.viewer import viewer_of
from dashboard.pages import spans
from dashboard.pages.shell import page, show
from dashboard.pages.source import Source
from dashboard.words import changes as words
from inventory.models import ClaimEvent
from inventory.queries.history import changes as queries
from inventory.queries.history.changes import MOST_TEAMS
from inventory.queries.slices import teams
from inventory.snapshot import snapshot

KINDS = ("resourceslices", "resourceclaims")


@page
def changes(request: HttpRequest) -> HttpResponse:
    viewer = viewer_of(request.user)
    looked = spans.looked_back(request, timezone.now(), otherwise="day")
    with snapshot():
        known = teams(viewer=viewer)
        found = queries.changes(looked.period, known, viewer=viewer)
    return show(
        request,
        "changes.html",
        {
            "looked": looked,
            "found": found,
            "say": words.say(found),
            "nothing_read": not any(one.spans for one in found.reads),
            "events": [(kind, found.events[kind]) for kind in ClaimEvent.Kind if kind in found.events],
            "shares": found.shares[:MOST_TEAMS],
            "claims": [(one, known.get(one.team or "")) for one in found.claims.rows],
        },
        active="changes",
        source=Source(kinds=KINDS),
    )
