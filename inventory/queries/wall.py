"""The card wall: every card as one cell, cards of a node as one column, cards of a kind side by side.

Past `LARGEST` cards a cell is a run of neighbouring nodes, so that no page draws more than a screen can show.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec
from django.db.models import Avg, Count, Min, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from inventory.models import Balance, Card, Pool
from inventory.queries.dimensions import Dimension, dimensions
from inventory.queries.kinds import Kind, sharing

LARGEST = 5000
BLOCKS = 500
_LONGEST_ID = 18


class Cell(msgspec.Struct, frozen=True):
    """A card. `use` is whole per cent of the scarcer dimension, None where it is not known.

    `device` is the first of its devices.
    """

    card: int
    device: int
    key: str
    use: int | None
    tainted: bool
    muted: bool
    shares: int
    dimensions: dict[str, Dimension]


class Column(msgspec.Struct, frozen=True):
    """The cards of one kind on one node, or of a pool that is bound to no node."""

    place: str
    node: int | None
    pool: int
    cells: tuple[Cell, ...]


class Group(msgspec.Struct, frozen=True):
    cluster: str
    kind: Kind
    columns: tuple[Column, ...]


class Block(msgspec.Struct, frozen=True):
    """Neighbouring nodes from `first` to `last`; `use` is the mean of the cards whose use is known."""

    first: str
    last: str
    nodes: int
    cards: int
    tainted: int
    unknown: int
    use: int | None


class BlockGroup(msgspec.Struct, frozen=True):
    cluster: str
    kind: Kind
    blocks: tuple[Block, ...]


def placed(cards: QuerySet[Card]) -> QuerySet[Any]:
    """With `place`: the node, or the pool of a card that is bound to none."""
    return cards.annotate(place=Coalesce("node__name", "pool__name"))


def of_clusters(names: Collection[str]) -> QuerySet[Card]:
    """The cards of the named clusters; of all where none is named."""
    return Card.objects.filter(cluster__name__in=names) if names else Card.objects.all()


def of_nodes(ids: Collection[int]) -> QuerySet[Card]:
    return Card.objects.filter(node__in=ids)


def column(ref: str) -> QuerySet[Any]:
    """The cards of one column: `n12` is a node, `p7` a pool's cards that are bound to no node."""
    kind, number = ref[:1], ref[1:]
    if kind not in ("n", "p") or not number.isdecimal() or len(number) > _LONGEST_ID:
        return Card.objects.none()
    where = {"node": int(number)} if kind == "n" else {"pool": int(number), "node": None}
    return in_order(placed(Card.objects.filter(**where)))


def between(cards: QuerySet[Any], first: str, last: str) -> QuerySet[Any]:
    """The cards whose place lies in a run of neighbours; an empty bound is none."""
    found = cards.filter(place__gte=first) if first else cards
    return found.filter(place__lte=last) if last else found


def cells(cards: QuerySet[Any], matching: QuerySet[Card] | None) -> tuple[Group, ...]:
    """At most `LARGEST` cards of `placed`; those that are not `matching` stay in place and are muted."""
    listed = list(in_order(cards)[:LARGEST])
    ids = [card.pk for card in listed]
    kept = set(ids) if matching is None else set(matching.order_by().values_list("pk", flat=True))
    balances = _balances(ids)
    drawn = {card.pk: _cell(card, balances[card.pk], muted=card.pk not in kept) for card in listed}
    grouped = groupby(
        listed, key=lambda card: (card.cluster.name, card.pool.driver, card.product, card.partitioned)
    )
    return tuple(_group(list(found), drawn) for _, found in grouped)


def blocks(cards: QuerySet[Any]) -> tuple[BlockGroup, ...]:
    """All cards of `placed`, in at most `BLOCKS` cells and one more for each group."""
    rows = cards.order_by("cluster__name", *_KIND, "place").values_list("cluster__name", *_KIND, "place")
    columns = list(
        rows.annotate(
            number=Count("pk"),
            mean=Avg("use_millionths", filter=_known()),
            known=Count("pk", filter=_known()),
            tainted_cards=Count("pk", filter=Q(tainted=True)),
            shareable_cards=Count("pk", filter=Q(shareable=True)),
        )
    )
    size = max(1, -(-len(columns) // BLOCKS))
    grouped = groupby(columns, key=lambda row: row[:4])
    return tuple(_block_group(list(found), size) for _, found in grouped)


_KIND = ("pool__driver", "product", "partitioned")


def by_place(cards: QuerySet[Any]) -> QuerySet[Any]:
    """`placed` cards, those of one place together."""
    ordered: QuerySet[Any] = cards.select_related("cluster", "pool", "node").annotate(
        position=Min("devices__position")
    )
    return ordered.order_by("cluster__name", "place", *_KIND, "position", "key", "pk")


def in_order(cards: QuerySet[Any]) -> QuerySet[Any]:
    ordered: QuerySet[Any] = cards.select_related("cluster", "pool", "node").annotate(
        position=Min("devices__position"), first_device=Min("devices"), n_shares=Sum("devices__shares")
    )
    return ordered.order_by("cluster__name", *_KIND, "place", "pool", "position", "key")


def _known() -> Q:
    return Q(use_millionths__isnull=False, pool__state=Pool.State.COMPLETE)


def _group(cards: list[Any], drawn: Mapping[int, Cell]) -> Group:
    first = cards[0]
    shareable = any(card.shareable for card in cards)
    kind = Kind(first.pool.driver, first.product, sharing(partitioned=first.partitioned, shareable=shareable))
    columns = (list(found) for _, found in groupby(cards, key=lambda card: card.place))
    return Group(first.cluster.name, kind, tuple(_column(found, drawn) for found in columns))


def _column(cards: list[Any], drawn: Mapping[int, Cell]) -> Column:
    first = cards[0]
    return Column(first.place, first.node_id, first.pool_id, tuple(drawn[card.pk] for card in cards))


def _balances(ids: Sequence[int]) -> defaultdict[int, list[Balance]]:
    found: defaultdict[int, list[Balance]] = defaultdict(list)
    named = (
        Q(dimension__in=("memory", "cores"))
        | Q(dimension__endswith="/memory")
        | Q(dimension__endswith="/cores")
    )
    for balance in Balance.objects.filter(named, card__in=ids):
        found[balance.card_id or 0].append(balance)
    return found


def _cell(card: Any, balances: Iterable[Balance], *, muted: bool) -> Cell:
    trusted = card.pool.state == Pool.State.COMPLETE
    return Cell(
        card=card.pk,
        device=card.first_device,
        key=card.key,
        use=_per_cent(card.use_millionths) if trusted else None,
        tainted=card.tainted,
        muted=muted,
        shares=card.n_shares or 0,
        dimensions=dimensions(balances),
    )


def _per_cent(millionths: int | None) -> int | None:
    """Rounded up: a card of which anything is held is not drawn as free."""
    return None if millionths is None else min(100, -(-millionths // 10_000))


def _block_group(columns: list[tuple[Any, ...]], size: int) -> BlockGroup:
    cluster, driver, product, partitioned = columns[0][:4]
    shareable = any(row[-1] for row in columns)
    kind = Kind(driver, product, sharing(partitioned=partitioned, shareable=shareable))
    return BlockGroup(cluster, kind, tuple(_blocks(columns, size)))


def _blocks(columns: list[tuple[Any, ...]], size: int) -> Iterable[Block]:
    for start in range(0, len(columns), size):
        run = columns[start : start + size]
        places, numbers, means, known, tainted = (
            list(part) for part in zip(*(row[4:-1] for row in run), strict=True)
        )
        held = sum((mean or 0) * count for mean, count in zip(means, known, strict=True))
        yield Block(
            first=places[0],
            last=places[-1],
            nodes=len(places),
            cards=sum(numbers),
            tainted=sum(tainted),
            unknown=sum(numbers) - sum(known),
            use=_per_cent(int(held / sum(known))) if sum(known) else None,
        )
