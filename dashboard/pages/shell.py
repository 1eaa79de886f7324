"""What stands around every page: where one is, how many there are of what, how fresh it is, the API."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import wraps
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from django.views.decorators.http import require_safe

from dashboard.access.viewer import viewer_of
from dashboard.pages.around import clusters
from dashboard.pages.refusal import Refused
from dashboard.pages.seen import Missing, Trouble, missing, trouble
from dashboard.pages.source import Source
from inventory.queries import counts, freshness
from inventory.queries.counts import Counts
from inventory.queries.freshness import Freshness, stale_after
from inventory.version import VERSION

_TROUBLES_SHOWN = 2
_ALL = Source()
# There somebody writes, or reads what does not change.
_STILL = frozenset({"convert", "api"})

View = Callable[..., HttpResponse]


class Place(NamedTuple):
    name: str
    label: str | Promise
    href: str
    number: int | None


class Shell(NamedTuple):
    """`rests`: whether the page rests on any cluster at all.

    `unread`: how many of the clusters behind the page were never read; `all_unread`: every one of them.
    `missing`: what was not read of the kinds behind it; `sees_all`: nothing is withheld from who looks.
    `live`: what the script needs to keep the page new; None where it stays as it is.
    """

    sections: Sequence[tuple[str | Promise, Sequence[Place]]]
    active: str
    freshness: Freshness
    rests: bool
    clusters: int
    unread: int
    all_unread: bool
    missing: Missing
    sees_all: bool
    troubles: Sequence[Trouble]
    more_troubles: Sequence[Trouble]
    now: datetime
    stale_seconds: int
    api: str
    csv: str
    version: str
    live: dict[str, Any] | None


def page(view: View) -> View:
    """A whole page, never older than it says it is.

    What a poll finds while the rows are read comes after what is told of the clusters, and is asked for.
    """

    @wraps(view)
    def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        clusters(request)
        return view(request, *args, **kwargs)

    return piece(shown)


def piece(view: View) -> View:
    """A piece of a page, a file, or the way to a page; read only.

    A bad query is told in words, and what a form left empty goes out of the address. It is for the eyes of
    who asks alone, and no cache gives it to anybody without asking again.
    """

    @require_safe
    @wraps(view)
    def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if any("\x00" in str(part) for part in kwargs.values()):
            raise Http404(str(_("No name has a null character.")))
        if any("" in values for _name, values in request.GET.lists()):
            return redirect(_without_empty(request.path, request.GET))
        try:
            _refuse_null(request.GET)
            response = view(request, *args, **kwargs)
        except Refused as refused:
            response = render(request, "400.html", {"faults": refused.faults}, status=400)
        patch_cache_control(response, private=True, no_cache=True)
        return response

    return shown


def _refuse_null(query: QueryDict) -> None:
    """PostgreSQL takes no text with a null character, not even to look for it."""
    if faulty := [name for name, values in query.lists() if any("\x00" in value for value in values)]:
        raise Refused([(name, str(_("a name has no null character"))) for name in faulty])


def show(
    request: HttpRequest, template: str, context: dict[str, Any], *, active: str, source: Source = _ALL
) -> HttpResponse:
    return render(request, template, {**context, "shell": _shell(request, active, source)})


def _without_empty(path: str, query: QueryDict) -> str:
    kept = QueryDict(mutable=True)
    for name, values in query.lists():
        kept.setlist(name, [value for value in values if value])
    asked = kept.urlencode()
    return f"{path}?{asked}" if asked else path


def _shell(request: HttpRequest, active: str, source: Source) -> Shell:
    now, viewer = timezone.now(), viewer_of(request.user)
    found = counts.over(clusters(request))
    behind = [one for one in clusters(request) if source.rests_on(one.name)]
    fresh = freshness.told(behind, now, viewer=viewer, kinds=source.kinds)
    unread = sum(one.observed_at is None for one in fresh.clusters)
    troubles = [wrong for one in fresh.clusters if (wrong := trouble(one, source.kinds))]
    return Shell(
        sections=_sections(found, missing(clusters(request), ()).kinds),
        active=active,
        freshness=fresh,
        rests=source.rests,
        clusters=found.clusters,
        unread=unread,
        all_unread=0 < unread == len(fresh.clusters),
        missing=missing(behind, source.kinds),
        sees_all=viewer.teams is None,
        troubles=troubles[:_TROUBLES_SHOWN],
        more_troubles=troubles[_TROUBLES_SHOWN:],
        now=now,
        stale_seconds=int(stale_after().total_seconds()),
        api=source.json(request.GET),
        csv=source.csv(request.GET),
        version=VERSION,
        live=_live(request, active, source, fresh),
    )


def _live(request: HttpRequest, active: str, source: Source, fresh: Freshness) -> dict[str, Any] | None:
    if request.method != "GET" or active in _STILL or not source.rests:
        return None
    asked = [("shares", "false"), *(("cluster", name) for name in source.clusters)]
    asked += [("kind", kind) for kind in source.kinds]
    return {
        "stream": f"{reverse('stream')}?{urlencode(asked)}",
        "generations": {one.name: one.revision for one in fresh.clusters},
        "as_of": fresh.as_of,
        "stale": fresh.stale,
        "limit": int(stale_after().total_seconds()),
    }


def _sections(found: Counts, unread: Collection[str]) -> list[tuple[str | Promise, list[Place]]]:
    """Without numbers where nothing was ever read: they would not be zero, but not known."""
    cards, nodes, pods, claims = (
        number if number or (found.clusters_read and kind not in unread) else None
        for number, kind in (
            (found.cards, "resourceslices"),
            (found.nodes, "resourceslices"),
            (found.pods, "pods"),
            (found.claims, "resourceclaims"),
        )
    )
    now = [
        Place("overview", _("Overview"), reverse("overview"), None),
        Place("changes", _("Changes"), reverse("changes"), None),
        Place("devices", _("Devices"), reverse("devices"), cards),
        Place("nodes", _("Nodes"), reverse("nodes"), nodes),
        Place("pods", _("Pods"), reverse("pods"), pods),
        Place("claims", _("Claims"), reverse("claims"), claims),
    ]
    of_teams = [
        Place("teams", _("Teams"), reverse("teams"), None),
        Place("usage", _("Usage"), reverse("usage"), None),
    ]
    work = [
        Place("convert", _("Convert"), reverse("convert"), None),
        Place("clusters", _("Clusters"), reverse("clusters"), found.clusters),
    ]
    return [
        (pgettext_lazy("section", "Now"), now),
        (pgettext_lazy("section", "Teams"), of_teams),
        (pgettext_lazy("section", "Work"), work),
    ]
