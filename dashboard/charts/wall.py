"""The card wall as plain data. The script folds its columns into bands that fit the screen."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

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


class BlockLine(NamedTuple):
    """A run of nodes as a row; `href` is its wall."""

    name: str
    group: str
    href: str
    block: Block


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


def block_lines(groups: Sequence[BlockGroup], query: QueryDict) -> list[BlockLine]:
    """What `blocks` draws, in the same order."""
    several = len({group.cluster for group in groups}) > 1
    return [
        BlockLine(
            _run(block),
            _group_name(group.cluster, group.kind, several=several),
            _block_href(block, group, query),
            block,
        )
        for group in groups
        for block in group.blocks
    ]


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
        "said": "" if opens else _column_said(column),
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
    name, said = _run(block), _said(block.cards, block.use, block.tainted, block.unknown)
    hover = lines(bold(name), *(plain(one) for one in said))
    kind = group.kind
    return {
        "ref": "/".join((group.cluster, kind.driver, kind.product, kind.sharing, block.first)),
        "name": block.first,
        "href": _block_href(block, group, query),
        "peek": "",
        "said": f"{name}: {', '.join(said)}",
        "cells": [[block.use, TAINTED if block.tainted else 0, hover]],
    }


def _column_said(column: Column) -> str:
    """What a reader hears who does not see the cells."""
    known = [cell.use for cell in column.cells if cell.use is not None]
    # Rounded up, as each of them is: what is held in part is not free.
    use = -(-sum(known) // len(known)) if known else None
    cards, tainted = len(column.cells), sum(cell.tainted for cell in column.cells)
    return f"{column.place}: {', '.join(_said(cards, use, tainted, cards - len(known)))}"


def _said(cards: int, use: int | None, tainted: int, unknown: int) -> list[str]:
    """The use is that of the cards of which it is known, and it is told how many others there are."""
    counted = ngettext("%(n)d card", "%(n)d cards", cards) % {"n": cards}
    used = _("use not known") if use is None else _("%(use)d %% used on average") % {"use": use}
    more = [_("%(n)d not known") % {"n": unknown}] if unknown and use is not None else []
    return [counted, used, *more, *([_("%(n)d tainted") % {"n": tainted}] if tainted else [])]


def _run(block: Block) -> str:
    return block.first if block.nodes == 1 else f"{block.first} – {block.last}"


def _block_href(block: Block, group: BlockGroup, query: QueryDict) -> str:
    inside = query.copy()
    inside.pop("page", None)
    inside["view"], inside["from"], inside["to"] = "wall", block.first, block.last
    inside.setlist("cluster", [group.cluster])
    return f"{reverse('devices')}?{inside.urlencode()}"
