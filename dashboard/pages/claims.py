"""Claims: what they ask, what they hold, who uses them, and what a pending one waits for."""

from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from dashboard.access.viewer import viewer_of
from dashboard.pages import filtering, fit
from dashboard.pages.around import cluster_names
from dashboard.pages.paging import paged
from dashboard.pages.pods import HeldAmount, held_amounts
from dashboard.pages.refusal import checked
from dashboard.pages.shell import page, show
from dashboard.pages.source import Source, chosen_clusters
from dashboard.words import states
from inventory.queries import claims as claim_queries
from inventory.queries import options
from inventory.queries.claims import ClaimFilter, ClaimRow
from inventory.queries.history import claim as claim_history
from inventory.queries.results import AllocationResult
from inventory.queries.slices import TeamBrief, teams


class ResultLine(NamedTuple):
    result: AllocationResult
    amounts: list[HeldAmount]


class ClaimLine(NamedTuple):
    claim: ClaimRow
    team: TeamBrief | None
    results: list[ResultLine]


@page
def claims(request: HttpRequest) -> HttpResponse:
    viewer = viewer_of(request.user)
    filters = ClaimFilter(request.GET, claim_queries.queryset(viewer=viewer), viewer=viewer)
    checked(filters)
    found = paged(request, filters.qs)
    known = teams(viewer=viewer)
    return show(
        request,
        "claims.html",
        {
            "paged": found,
            "lines": [
                _line(row, known.get(row.team or "")) for row in claim_queries.rows(found.rows, viewer=viewer)
            ],
            "form": filtering.form(
                request,
                [
                    filtering.write(request, "q", _("Name"), _("claim, namespace, owner")),
                    filtering.choose(request, "cluster", _("Cluster"), cluster_names(request)),
                    filtering.choose(request, "team", _("Team"), options.teams(known.values())),
                    filtering.choose(request, "device_class", _("Device class"), options.device_classes()),
                    filtering.choose(request, "state", _("State"), filtering.states(states.CLAIM)),
                ],
            ),
        },
        active="claims",
        source=Source(
            "claims/", table=True, clusters=chosen_clusters(request.GET), kinds=claim_queries.KINDS
        ),
    )


@page
def claim(request: HttpRequest, claim_id: int) -> HttpResponse:
    viewer = viewer_of(request.user)
    row = claim_queries.one(claim_id, viewer=viewer)
    if row is None:
        raise Http404(_("There is no such claim; it may have been deleted since."))
    line = _line(row, teams(viewer=viewer).get(row.team or ""), every=True)
    part = fit.claim_part(request, row.id, row.cluster) if row.pending is not None else None
    return show(
        request,
        "claim.html",
        {
            "line": line,
            "claim": row,
            "fit": part,
            "events": claim_history.events(row.cluster, row.uid, viewer=viewer),
        },
        active="claims",
        source=Source(
            f"claims/{claim_id}/",
            dropped=[fit.PARAMETER],
            clusters=[row.cluster],
            kinds=fit.kinds(claim_queries.KINDS, part),
        ),
    )


def _line(row: ClaimRow, team: TeamBrief | None, *, every: bool = False) -> ClaimLine:
    results = [
        ResultLine(one, held_amounts(one.device.driver, one.held, every=every)) for one in row.allocation
    ]
    return ClaimLine(row, team, results)
