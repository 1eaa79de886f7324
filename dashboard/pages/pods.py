"""Pods: what each one holds and what it waits for."""

from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from dashboard.access.viewer import viewer_of
from dashboard.pages import filtering, fit
from dashboard.pages.around import cluster_names
from dashboard.pages.paging import paged
from dashboard.pages.refusal import checked
from dashboard.pages.shell import page, show
from dashboard.pages.source import Source, chosen_clusters
from dashboard.words import states
from inventory.dra.units import Unit, reading_order, short_name, unit_of
from inventory.kube.quantity import Notation, Quantity
from inventory.queries import options
from inventory.queries import pods as pod_queries
from inventory.queries.pods import PodFilter, PodRow, PodShare
from inventory.queries.results import Amounts
from inventory.queries.slices import TeamBrief, teams


class HeldAmount(NamedTuple):
    dimension: str
    unit: Unit
    quantity: Quantity | None


class ShareLine(NamedTuple):
    """A share of a Pod with its memory and cores, or what else it holds."""

    share: PodShare
    amounts: list[HeldAmount]


class PodLine(NamedTuple):
    pod: PodRow
    team: TeamBrief | None
    shares: list[ShareLine]

    @property
    def withheld(self) -> bool:
        """Whether it may use a claim that is not the viewer's to see."""
        return any(use.withheld and use.reserved for use in self.pod.claims)


@page
def pods(request: HttpRequest) -> HttpResponse:
    viewer = viewer_of(request.user)
    filters = PodFilter(request.GET, pod_queries.queryset(viewer=viewer), viewer=viewer)
    checked(filters)
    found = paged(request, filters.qs)
    known = teams(viewer=viewer)
    return show(
        request,
        "pods.html",
        {
            "paged": found,
            "lines": [
                pod_line(row, known.get(row.team or ""))
                for row in pod_queries.rows(found.rows, viewer=viewer)
            ],
            "form": filtering.form(
                request,
                [
                    filtering.write(request, "q", _("Name"), _("Pod, workload, node")),
                    filtering.choose(request, "cluster", _("Cluster"), cluster_names(request)),
                    filtering.choose(request, "namespace", _("Namespace"), options.namespaces(viewer=viewer)),
                    filtering.choose(request, "team", _("Team"), options.teams(known.values())),
                    filtering.choose(request, "state", _("State"), filtering.states(states.POD)),
                ],
            ),
        },
        active="pods",
        source=Source("pods/", table=True, clusters=chosen_clusters(request.GET), kinds=pod_queries.KINDS),
    )


@page
def pod(request: HttpRequest, pod_id: int) -> HttpResponse:
    viewer = viewer_of(request.user)
    row = pod_queries.one(pod_id, viewer=viewer)
    if row is None:
        raise Http404(_("There is no such Pod; it may have ended since."))
    line = pod_line(row, teams(viewer=viewer).get(row.team or ""), every=True)
    waits = row.waiting is not None and bool(row.claims)
    part = fit.pod_part(request, row.id, row.cluster) if waits else None
    return show(
        request,
        "pod.html",
        {"line": line, "pod": row, "fit": part},
        active="pods",
        source=Source(
            f"pods/{pod_id}/",
            dropped=[fit.PARAMETER],
            clusters=[row.cluster],
            kinds=fit.kinds(pod_queries.KINDS, part),
        ),
    )


def pod_line(row: PodRow, team: TeamBrief | None, *, every: bool = False) -> PodLine:
    return PodLine(row, team, [_share_line(share, every=every) for share in row.shares])


def _share_line(share: PodShare, *, every: bool) -> ShareLine:
    return ShareLine(share, held_amounts(share.result.device.driver, share.result.held, every=every))


def held_amounts(driver: str, held: Amounts, *, every: bool = False) -> list[HeldAmount]:
    """Memory and cores first; other dimensions only where all are wanted, or there is neither."""
    found = [
        HeldAmount(name, unit_of(driver, name, quantity.notation if quantity else Notation.DECIMAL), quantity)
        for name, quantity in sorted(held.items(), key=lambda item: reading_order(item[0]))
    ]
    named = [one for one in found if short_name(one.dimension) in ("memory", "cores")]
    return found if every else named or found[:1]
