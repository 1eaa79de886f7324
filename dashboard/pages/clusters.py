"""Clusters: what was read when, what could not be read, and why."""

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from dashboard.access.viewer import viewer_of
from dashboard.pages.paging import paged
from dashboard.pages.refusal import checked
from dashboard.pages.shell import page, show
from dashboard.pages.source import Source, chosen_clusters
from inventory.queries import clusters as cluster_queries
from inventory.queries import pools
from inventory.queries.clusters import ClusterFilter


@page
def clusters(request: HttpRequest) -> HttpResponse:
    viewer = viewer_of(request.user)
    filters = ClusterFilter(request.GET, cluster_queries.queryset(), viewer=viewer)
    checked(filters)
    found = paged(request, filters.qs)
    rows = cluster_queries.rows(found.rows, timezone.now(), viewer=viewer)
    return show(
        request,
        "clusters.html",
        {"paged": found, "rows": rows},
        active="clusters",
        source=Source("clusters/", table=True, clusters=chosen_clusters(request.GET)),
    )


@page
def cluster(request: HttpRequest, name: str) -> HttpResponse:
    found = cluster_queries.by_name(name, timezone.now(), viewer=viewer_of(request.user))
    if found is None:
        raise Http404(_("There is no cluster of this name."))
    odd = pools.rows(pools.not_complete(name))
    return show(
        request,
        "cluster.html",
        {"cluster": found, "pools": odd},
        active="clusters",
        source=Source(f"clusters/{found.id}/", clusters=[name]),
    )
