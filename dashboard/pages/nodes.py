"""Nodes: their cards side by side, their drivers and pools."""

from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from dashboard.access.viewer import viewer_of
from dashboard.charts.cards import LARGEST, cards_figure
from dashboard.charts.segments import Bar, part_bar
from dashboard.charts.squares import Square, strips
from dashboard.pages import filtering, largest
from dashboard.pages.around import cluster_names
from dashboard.pages.devices import card_lines
from dashboard.pages.paging import paged
from dashboard.pages.refusal import checked
from dashboard.pages.shell import page, piece, show
from dashboard.pages.source import Source, chosen_clusters
from dashboard.words import amounts
from inventory.dra.units import Unit, short_name, unit_of
from inventory.kube.quantity import Notation
from inventory.queries import devices, held_cards, options, pools, wall
from inventory.queries import nodes as node_queries
from inventory.queries.largest import may_see_cards
from inventory.queries.nodes import NodeFilter, NodeRow
from inventory.queries.slices import teams
from inventory.queries.totals import TotalRow

_SQUARES = 16


class TotalLine(NamedTuple):
    total: TotalRow
    unit: Unit
    bar: Bar


class NodeLine(NamedTuple):
    node: NodeRow
    totals: list[TotalLine]
    squares: list[Square]


@page
def nodes(request: HttpRequest) -> HttpResponse:
    viewer = viewer_of(request.user)
    filters = NodeFilter(request.GET, node_queries.queryset(), viewer=viewer)
    checked(filters)
    found = paged(request, filters.qs)
    rows = node_queries.rows(found.rows, viewer=viewer)
    squares, known = _squares(rows), teams(viewer=viewer)
    return show(
        request,
        "nodes.html",
        {
            "paged": found,
            "lines": [NodeLine(row, _totals(row), squares.get((row.cluster, row.name), [])) for row in rows],
            "form": filtering.form(
                request,
                [
                    filtering.write(request, "q", _("Name")),
                    filtering.choose(request, "cluster", _("Cluster"), cluster_names(request)),
                    filtering.choose(request, "product", _("Product"), options.products()),
                    filtering.choose(request, "driver", _("Driver"), options.drivers()),
                    filtering.choose(request, "team", _("Team"), options.teams(known.values())),
                ],
            ),
        },
        active="nodes",
        source=Source("nodes/", table=True, clusters=chosen_clusters(request.GET), kinds=node_queries.KINDS),
    )


@page
def node(request: HttpRequest, node_id: int) -> HttpResponse:
    viewer = viewer_of(request.user)
    row = node_queries.one(node_id, viewer=viewer)
    if row is None:
        raise Http404(_("There is no such node with devices or Pods that use them; it may have gone since."))
    held = held_cards.rows(wall.column(f"n{node_id}")[:LARGEST], viewer=viewer)
    sees_cards = bool(held) or may_see_cards(row.cluster, row.name)
    part = largest.node_part(request, node_id, row.cluster) if sees_cards else None
    return show(
        request,
        "node.html",
        {
            "node": row,
            "totals": _totals(row),
            "lines": card_lines(held),
            "figure": cards_figure(held) if held else None,
            "largest": part,
            "teams": {team for card in held for team in card.teams},
            "pools": pools.rows(pools.of_node(node_id)),
            "others": devices.rows(devices.others_of_node(node_id), viewer=viewer),
        },
        active="nodes",
        source=Source(
            f"nodes/{node_id}/",
            dropped=[largest.PARAMETER],
            clusters=[row.cluster],
            kinds=largest.kinds(node_queries.KINDS, part),
        ),
    )


@piece
def node_by_name(request: HttpRequest, cluster: str, name: str) -> HttpResponse:
    """Where rows name a node: its page."""
    found = node_queries.queryset().filter(cluster__name=cluster, name=name).first()
    if found is None:
        raise Http404(_("There is no such node with devices or Pods that use them; it may have gone since."))
    return redirect("node", node_id=found.pk)


def _totals(row: NodeRow) -> list[TotalLine]:
    """Memory and cores of each product on the node."""
    shown = [one for one in row.capacity if short_name(one.dimension) in ("memory", "cores")]
    return [_total_line(row.name, one) for one in sorted(shown, key=lambda one: one.dimension, reverse=True)]


def _total_line(name: str, total: TotalRow) -> TotalLine:
    unit = unit_of(total.driver, total.dimension, total.total.notation if total.total else Notation.DECIMAL)
    label = f"{name} {amounts.dimension_label(total.dimension)} {amounts.share_of_or_unknown(total.ratio)}"
    return TotalLine(total, unit, part_bar(label, 0, total.ratio))


def _squares(rows: list[NodeRow]) -> dict[tuple[str, str], list[Square]]:
    groups = wall.cells(wall.placed(wall.of_nodes([row.id for row in rows])), None)
    return {(strip.cluster, strip.place): strip.squares for strip in strips(groups)}
