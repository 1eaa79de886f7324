"""Cards by state, and what they have, hold and have left, by product and dimension."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from prometheus_client.metrics_core import Metric

from dashboard.metrics.families import Told, families, family
from inventory.dra.units import unit_of
from inventory.kube.quantity import Notation
from inventory.queries.metrics import CardCount
from inventory.queries.totals import TotalRow

_PRODUCT = ("cluster", "driver", "product")
_SUMS: Sequence[Told[TotalRow]] = (
    Told("cards_capacity", "What the cards have.", lambda row: row.total),
    Told("cards_allocated", "What of it claims hold.", lambda row: row.allocated),
    Told("cards_remaining", "What of it is left.", lambda row: row.remaining),
    Told("cards_usable", "What of it is left and can be had.", lambda row: row.usable),
    Told(
        "cards_stranded",
        "What of it is left on cards where another dimension is used up.",
        lambda row: row.stranded,
    ),
    Told(
        "cards_unavailable",
        "What of it is left on cards that are tainted or cannot be used now.",
        lambda row: row.unavailable,
    ),
    Told(
        "cards_unknown",
        "Cards that these sums leave out, because a number of theirs is not known.",
        lambda row: row.cards_unknown,
    ),
)


def told(counts: Iterable[CardCount], totals: Mapping[str, Sequence[TotalRow]]) -> Iterator[Metric]:
    yield family(
        "cards", "Cards in each state.", (*_PRODUCT, "state"), ((one[:4], one.cards) for one in counts)
    )
    sums = [(_labels(cluster, row), row) for cluster, rows in sorted(totals.items()) for row in rows]
    yield from families(_SUMS, (*_PRODUCT, "dimension", "unit"), sums)


def _labels(cluster: str, row: TotalRow) -> Sequence[str]:
    notation = row.total.notation if row.total else Notation.DECIMAL
    unit = unit_of(row.driver, row.dimension, notation)
    return (cluster, row.driver, row.product or "", row.dimension, unit.value)
