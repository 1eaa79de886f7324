"""The card wall as plain data. The script folds its columns into bands that fit the screen."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard.charts.figure import Figure, layout
from dashboard.charts.squares import column_href, use_words
from dashboard.charts.text import bold, lines, plain
from dashboard.words import amounts, kinds
from inventory.queries.kinds import Kind
from inventory.queries.wall import Block, BlockGroup, Cell, Column, Group

TAINTED = 1
MUTED = 2


def wall(groups: Sequence[Group], *, opens: bool = True) -> Figure:
    """A column is a node, a cell of it a card: [use or null, flags, hover text].

    `opens`: a click opens the node in place; else it leads to its page.
    """
    several = len({group.cluster for group in groups}) > 1
    return _figure(
        [
            {
                "name": _group_name(group.cluster, group.kind, several=several),
                "rows": max(len(column.cells) for column in group.columns),
                "columns": [_column(column, opens=opens) for column in group.columns],
            }
            for group in groups
        ]
    )


def blocks(groups: Sequence[BlockGroup], query: QueryDict) -> Figure:
    """A cell is a run of neighbouring nodes; it leads to the wall of those."""
    several = len({group.cluster for group in groups}) > 1
    return _figure(
        [
            {
                "name": _group_name(group.cluster, group.kind, several=several),
                "rows": 1,
                "columns": [_block(block, group, query) for block in group.blocks],
            }
            for group in groups
        ]
    )


def _figure(groups: Iterable[dict[str, Any]]) -> Figure:
    return {
        "groups": list(groups),
        "words": {"failed": _("These cards could not be read. The link in the table leads to them.")},
        "layout": layout(xaxis={"visible": False}, yaxis={"visible": False}),
    }


def _group_name(cluster: str, kind: Kind, *, several: bool) -> str:
    name = f"{kinds.product(kind.product)}, {kinds.sharing(kind.sharing)}"
    return f"{cluster} · {name}" if several else name


def _column(column: Column, *, opens: bool) -> dict[str, Any]:
    ref = f"n{column.node}" if column.node else f"p{column.pool}"
    return {
        "ref": ref,
        "name": column.place,
        "href": column_href(column),
        "peek": reverse("peek", args=[ref]) if opens else "",
        "cells": [_cell(column, cell) for cell in column.cells],
    }


def _cell(column: Column, cell: Cell) -> list[Any]:
    flags = (TAINTED if cell.tainted else 0) | (MUTED if cell.muted else 0)
    ratios = [
        f"{amounts.dimension_label(name)} {amounts.share_of_or_unknown(one.ratio)}"
        for name, one in cell.dimensions.items()
        if one.total
    ]
    shares = ngettext("%(n)d share", "%(n)d shares", cell.shares) % {"n": cell.shares}
    hover = lines(
        bold(f"{column.place} · {cell.key}"), plain(use_words(cell)), plain(", ".join(ratios)), plain(shares)
    )
    return [cell.use, flags, hover]


def _block(block: Block, group: BlockGroup, query: QueryDict) -> dict[str, Any]:
    inside = query.copy()
    inside.pop("page", None)
    inside["view"], inside["from"], inside["to"] = "wall", block.first, block.last
    inside.setlist("cluster", [group.cluster])
    counted = ngettext("%(n)d card", "%(n)d cards", block.cards) % {"n": block.cards}
    used = _("use not known") if block.use is None else _("%(use)d %% used on average") % {"use": block.use}
    tainted = _("%(n)d tainted") % {"n": block.tainted} if block.tainted else ""
    name = block.first if block.nodes == 1 else f"{block.first} – {block.last}"
    return {
        "ref": "",
        "name": block.first,
        "href": f"{reverse('devices')}?{inside.urlencode()}",
        "peek": "",
        "cells": [
            [
                block.use,
                TAINTED if block.tainted else 0,
                lines(bold(name), plain(counted), plain(used), plain(tainted)),
            ]
        ],
    }
