"""The largest request that still fits, by product and node, and what is left where nothing fits.

It is told of one cluster at a time, and of one node as a part of its page that is loaded later.
"""

from collections.abc import Sequence
from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from dashboard.access.viewer import viewer_of
from dashboard.pages import filtering
from dashboard.pages.around import cluster_names
from dashboard.pages.paging import paged
from dashboard.pages.refusal import Refused, only_known
from dashboard.pages.searches import BusyError, Searches, busy
from dashboard.pages.seen import Seen, seen
from dashboard.pages.shell import page, piece, show
from dashboard.pages.source import Source, chosen_clusters
from inventory.models import Cluster
from inventory.queries import largest as largest_queries
from inventory.queries import nodes as node_queries
from inventory.queries import options
from inventory.queries.largest import Found
from inventory.snapshot import snapshot
from inventory.viewer import Viewer

PARAMETER = "largest"
_NOW = "now"
# Of a large cluster one answer has thousands of rows.
_searches: Searches[Found] = Searches(8, largest_queries.is_whole)


class LargestPart(NamedTuple):
    """Of one node. Without `found` it is still to be asked for; `busy`: it was."""

    address: str
    cluster: str
    busy: bool = False
    found: Found | None = None
    seen: Seen | None = None


@page
def largest(request: HttpRequest) -> HttpResponse:
    known, products = cluster_names(request), _products(request)
    cluster = _chosen(request, known)
    try:
        found = _of_cluster(cluster, products) if cluster else None
    except BusyError:
        found = None
    return show(
        request,
        "largest.html",
        {
            "cluster": cluster,
            "clusters": known,
            "found": found,
            "paged": paged(request, found.rows) if found else None,
            "form": filtering.form(
                request,
                [
                    filtering.choose(request, "cluster", _("Cluster"), known),
                    filtering.choose(
                        request,
                        "product",
                        _("Product"),
                        options.products_or_none(_("product not published")),
                    ),
                ],
            ),
        },
        active="nodes",
        source=Source(clusters=[cluster] if cluster else [], kinds=largest_queries.KINDS),
    )


@never_cache
@piece
def of_node(request: HttpRequest, node_id: int) -> HttpResponse:
    try:
        part = _of_node(node_id, viewer_of(request.user))
    except BusyError:
        return busy()
    if part is None:
        raise Http404(_("There is no such node with devices or Pods that use them; it may have gone since."))
    return render(request, "parts/largest_of_node.html", {"part": part, "largest": part.found})


def node_part(request: HttpRequest, node_id: int, cluster: str) -> LargestPart:
    later = LargestPart(reverse("node_largest", args=(node_id,)), cluster)
    if request.GET.get(PARAMETER) != _NOW:
        return later
    try:
        return _of_node(node_id, viewer_of(request.user)) or later
    except BusyError:
        return later._replace(busy=True)


def kinds(of_page: Sequence[str], part: LargestPart | None) -> Sequence[str]:
    """What a page rests on with the part inside; one that is loaded later tells for itself."""
    inside = part is not None and part.found is not None
    return sorted({*of_page, *largest_queries.KINDS}) if inside else of_page


def _chosen(request: HttpRequest, known: Sequence[str]) -> str:
    """The cluster that is asked about; empty where there are several and none is named."""
    chosen = chosen_clusters(request.GET)
    only_known("cluster", chosen, known)
    if len(chosen) > 1:
        raise Refused([("cluster", _("only one cluster at a time can be asked about"))])
    return next(iter(chosen or (known if len(known) == 1 else [])), "")


def _products(request: HttpRequest) -> list[str]:
    return ["" if name == options.NONE else name for name in request.GET.getlist("product")]


def _of_cluster(name: str, products: Sequence[str]) -> Found:
    with snapshot():
        cluster = get_object_or_404(Cluster, name=name)
        return _searches.answer(
            cluster,
            ("products", *sorted(products)),
            lambda: largest_queries.of_cluster(cluster, products),
        )


def _of_node(node_id: int, viewer: Viewer) -> LargestPart | None:
    """None where it is gone. Raises BusyError."""
    with snapshot():
        node = node_queries.queryset().filter(pk=node_id).first()
        if node is None:
            return None
        cluster, name = node.cluster, node.name
        return LargestPart(
            reverse("node_largest", args=(node_id,)),
            cluster.name,
            found=_searches.answer(cluster, ("node", name), lambda: largest_queries.of_node(cluster, name)),
            seen=seen(cluster.name, largest_queries.KINDS, viewer=viewer),
        )
