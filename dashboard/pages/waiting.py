"""How long claims wait until they are allocated, and which wait now."""

from collections.abc import Sequence
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard.access.viewer import viewer_of
from dashboard.charts import waiting as charts
from dashboard.pages import filtering, spans
from dashboard.pages.around import cluster_names
from dashboard.pages.refusal import checked
from dashboard.pages.shell import page, show
from dashboard.pages.source import Source, chosen_clusters
from dashboard.words import spans as words
from inventory.models import ClaimEvent
from inventory.queries import options
from inventory.queries.history import waiting as queries
from inventory.queries.history.waiting import MOST_GROUPS, Waiting, WaitingFilter, WaitingRow
from inventory.queries.slices import teams
from inventory.snapshot import snapshot

KINDS = ("resourceclaims",)


class GroupPart(NamedTuple):
    """One table; `more` groups are not in it."""

    name: str
    title: str
    column: str
    rows: Sequence[WaitingRow]
    more: int


class BarLine(NamedTuple):
    words: str
    allocated: int
    waiting: int


@page
def waiting(request: HttpRequest) -> HttpResponse:
    now, viewer = timezone.now(), viewer_of(request.user)
    looked = spans.looked_back(request, now, otherwise="week")
    filters = WaitingFilter(request.GET, ClaimEvent.objects.order_by(), viewer=viewer)
    checked(filters)
    with snapshot():
        found = queries.waiting(looked.period, filters, viewer=viewer)
        known = teams(viewer=viewer)
    return show(
        request,
        "waiting.html",
        {
            "looked": looked,
            "found": found,
            "say": say(found),
            "bars": _bars(found),
            "distribution": charts.distribution_figure(found) if _any(found) else None,
            "over_time": charts.over_time_figure(found) if found.all.number else None,
            "in_use": charts.in_use_figure(found) if found.all.number else None,
            "busy": charts.busy_figure(found) if found.all.number else None,
            "steps": found.steps[::-1],
            "groups": _groups(found),
            "pending": [(one, known.get(one.team or "")) for one in found.pending.rows],
            "nothing_read": not any(one.spans for one in found.reads),
            "form": filtering.form(
                request,
                [
                    filtering.choose(request, "cluster", _("Cluster"), cluster_names(request)),
                    filtering.choose(request, "product", _("Product"), options.products()),
                    filtering.write(request, "node", _("Node")),
                    filtering.choose(request, "team", _("Team"), options.teams(known.values())),
                    filtering.write(request, "namespace", _("Namespace")),
                ],
            ),
        },
        active="claims",
        source=Source(
            "claims/",
            table=True,
            more=[("state", "pending")],
            dropped=[*spans.PARAMETERS, "product", "node"],
            clusters=chosen_clusters(request.GET),
            kinds=KINDS,
        ),
    )


def say(found: Waiting) -> str:
    """The answer in one sentence."""
    one = found.all
    if one.half is None or one.nine_of_ten is None:
        if not one.unknown:
            return _("No claim was allocated in this time, as far as it was read.")
        return _("How long claims waited that were allocated in this time is not known of any.")
    told = ngettext(
        "%(n)s claim was allocated in this time; half waited up to %(half)s, nine of ten up to %(most)s.",
        "%(n)s claims were allocated in this time; half waited up to %(half)s, nine of ten up to %(most)s.",
        one.number,
    )
    return told % {
        "n": f"{one.number:,}",
        "half": words.duration(one.half),
        "most": words.duration(one.nine_of_ten),
    }


def _any(found: Waiting) -> bool:
    return bool(found.all.number or found.pending.number)


def _bars(found: Waiting) -> list[BarLine]:
    rows = zip(charts.bars(), found.counts, found.pending.counts, strict=True)
    return [BarLine(*row) for row in rows]


def _groups(found: Waiting) -> list[GroupPart]:
    parts = (
        ("product", _("By product"), _("Product"), found.products),
        ("node", _("By node"), _("Node"), found.nodes),
        ("namespace", _("By namespace"), _("Namespace"), found.namespaces),
    )
    return [
        GroupPart(name, title, column, _first(rows), max(0, len(rows) - MOST_GROUPS))
        for name, title, column, rows in parts
    ]


def _first(rows: Sequence[WaitingRow]) -> list[WaitingRow]:
    """Those with the most allocations; what is withheld is always told."""
    withheld = [one for one in rows if one.withheld]
    return [*[one for one in rows if not one.withheld][: MOST_GROUPS - len(withheld)], *withheld]
