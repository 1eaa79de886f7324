"""What stands around every page: where one is, how many there are of what, how fresh it is, the API."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import wraps
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from django.views.decorators.http import require_safe

from dashboard.pages.refusal import Refused
from inventory.queries.counts import counts
from inventory.queries.freshness import ClusterFreshness, Freshness, freshness
from inventory.version import VERSION

# What only a page understands: a view of the same rows.
_PAGE_ONLY = ("page", "view", "at", "from", "to", "room", "show")

View = Callable[..., HttpResponse]


class Place(NamedTuple):
    name: str
    label: str | Promise
    href: str
    number: int | None


class Shell(NamedTuple):
    sections: Sequence[tuple[str | Promise, Sequence[Place]]]
    active: str
    freshness: Freshness
    troubled: Sequence[ClusterFreshness]
    now: datetime
    api: str
    csv: str
    version: str


def page(view: View) -> View:
    """A page: read only, and a bad query is told in words."""

    @require_safe
    @wraps(view)
    def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except Refused as refused:
            return render(request, "400.html", {"faults": refused.faults}, status=400)

    return shown


def show(
    request: HttpRequest, template: str, context: dict[str, Any], *, active: str, api: str = ""
) -> HttpResponse:
    """`api` is the path below /api/v1/ that gives the same rows."""
    return render(request, template, {**context, "shell": _shell(request, active, api)})


def _shell(request: HttpRequest, active: str, api: str) -> Shell:
    now = timezone.now()
    fresh = freshness(now)
    same = f"/api/v1/{api}" if api else ""
    return Shell(
        sections=_sections(len(fresh.clusters)),
        active=active,
        freshness=fresh,
        troubled=[one for one in fresh.clusters if one.stale or one.error or one.forbidden or one.failed],
        now=now,
        api=same and _with_query(same, request.GET),
        csv=same and _with_query(same, request.GET, format="csv"),
        version=VERSION,
    )


def _sections(clusters: int) -> list[tuple[str | Promise, list[Place]]]:
    found = counts()
    now = [
        Place("overview", _("Overview"), reverse("overview"), None),
        Place("devices", _("Devices"), reverse("devices"), found.cards),
        Place("nodes", _("Nodes"), reverse("nodes"), found.nodes),
        Place("pods", _("Pods"), reverse("pods"), found.pods),
        Place("claims", _("Claims"), reverse("claims"), found.claims),
    ]
    return [
        (pgettext_lazy("section", "Now"), now),
        (
            pgettext_lazy("section", "Sources"),
            [Place("clusters", _("Clusters"), reverse("clusters"), clusters)],
        ),
    ]


def _with_query(path: str, query: QueryDict, **more: str) -> str:
    kept = query.copy()
    for name in _PAGE_ONLY:
        kept.pop(name, None)
    for name, text in more.items():
        kept[name] = text
    return f"{path}?{kept.urlencode()}" if kept else path
