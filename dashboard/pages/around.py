"""The clusters, read once for a page: what it offers to choose from, and what stands around it."""

from typing import Any

from django.http import HttpRequest

from dashboard.access.viewer import viewer_of
from inventory.models import Cluster
from inventory.queries import counts, freshness

_KEPT = "_clusters"


def clusters(request: HttpRequest) -> list[Any]:
    """All, in the order of their names, as `counts` and `freshness` read them.

    Read before the rest of the page, they are never fresher than it.
    """
    found: list[Any] | None = getattr(request, _KEPT, None)
    if found is None:
        rows = counts.counted(Cluster.objects.order_by("name"), viewer=viewer_of(request.user))
        found = list(freshness.observed(rows))
        setattr(request, _KEPT, found)
    return found


def cluster_names(request: HttpRequest) -> list[str]:
    return [one.name for one in clusters(request)]
