"""Cards: accelerators as people count them, for walls and bars."""

from collections.abc import Iterable
from decimal import Decimal

import msgspec
from django.db.models import QuerySet, prefetch_related_objects

from inventory.models import Card
from inventory.models.devices import DeviceState
from inventory.queries.briefs import node_name
from inventory.queries.dimensions import Dimension, dimensions
from inventory.queries.filters import (
    Filters,
    HeldBy,
    LabelSelector,
    Names,
    Ordering,
    Related,
    Search,
    States,
    Truth,
    cluster_filter,
    pod_of_share,
    team_filter,
)
from inventory.queries.requested import HeldClass

KINDS = ("resourceslices", "resourceclaims")


class CardRow(msgspec.Struct, frozen=True):
    """A card; `use` is the use of the scarcer dimension, null where not known. `devices` are its ids."""

    id: int
    cluster: str
    driver: str
    pool: str
    key: str
    node: str | None
    product: str | None
    uuid: str | None
    partitioned: bool
    shareable: bool
    tainted: bool
    state: str
    reason: str | None
    use: Decimal | None
    capacity: dict[str, Dimension]
    devices: tuple[int, ...]


class CardFilter(Filters):
    held_through = "device__card"

    cluster = cluster_filter()
    namespace = HeldBy(field_name="claim__namespace__name")
    team = team_filter("claim__team__slug", held=True)
    node = Names(field_name="node__name")
    driver = Names(field_name="pool__driver")
    pool = Names(field_name="pool__name")
    device = Related(field_name="devices__name")
    device_class = HeldClass()
    product = Names(field_name="product")
    pod = pod_of_share()
    claim = HeldBy(field_name="claim__name")
    state = States(field_name="state", choices=DeviceState.choices)
    tainted = Truth(field_name="tainted")
    q = Search("key", "uuid", "product", "node__name")
    label_selector = LabelSelector(field_name="node__labels")
    ordering = Ordering(
        fields={
            "id": "id",
            "key": "key",
            "node__name": "node",
            "product": "product",
            "state": "state",
            "use_millionths": "use",
        }
    )

    class Meta:
        model = Card
        fields = ()


def queryset() -> QuerySet[Card]:
    return Card.objects.select_related("cluster", "pool", "node")


def rows(page: Iterable[Card]) -> list[CardRow]:
    cards = list(page)
    prefetch_related_objects(cards, "balances", "devices")
    return [_row(card) for card in cards]


def one(card_id: int) -> CardRow | None:
    return next(iter(rows(queryset().filter(pk=card_id))), None)


def _row(card: Card) -> CardRow:
    return CardRow(
        id=card.pk,
        cluster=card.cluster.name,
        driver=card.pool.driver,
        pool=card.pool.name,
        key=card.key,
        node=node_name(card.node),
        product=card.product or None,
        uuid=card.uuid or None,
        partitioned=card.partitioned,
        shareable=card.shareable,
        tainted=card.tainted,
        state=card.state,
        reason=card.reason or None,
        use=_use(card.use_millionths),
        capacity=dimensions(card.balances.all()),
        devices=tuple(device.pk for device in card.devices.all()),
    )


def _use(millionths: int | None) -> Decimal | None:
    return None if millionths is None else Decimal(millionths).scaleb(-6)
