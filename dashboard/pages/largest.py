"""The largest request that still fits, by product and node, and what is left where nothing fits."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from dashboard.pages import filtering
from dashboard.pages.paging import paged
from dashboard.pages.refusal import Refused
from dashboard.pages.shell import page, show
from dashboard.pages.source import Source, chosen_clusters
from inventory.queries import largest as largest_queries
from inventory.queries import options


@page
def largest(request: HttpRequest) -> HttpResponse:
    chosen, known = chosen_clusters(request.GET), options.clusters()
    if unknown := sorted(set(chosen) - set(known)):
        raise Refused([("cluster", f"{name!r} is not known here") for name in unknown])
    found = largest_queries.of_clusters(chosen, _products(request))
    return show(
        request,
        "largest.html",
        {
            "found": found,
            "paged": paged(request, found.rows),
            "several": len(known) > 1,
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
        source=Source(clusters=chosen, kinds=largest_queries.KINDS),
    )


def _products(request: HttpRequest) -> list[str]:
    return ["" if name == options.NONE else name for name in request.GET.getlist("product")]
