"""The books of devices, cards and counters: written as the ledger derives them from the other rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction

from django.db.models import Q

from inventory.dra import cards as grouping
from inventory.dra import counters, ledger
from inventory.dra.ledger import Books
from inventory.kube.quantity import Notation
from inventory.models import Balance, Card, Cluster, CounterBalance, Device
from inventory.models.amounts import LARGEST, AmountError, exponent_for, to_amount
from inventory.sync import bulk, device_intervals
from inventory.sync.reconcile import Key, Values, reconcile
from inventory.sync.sheets import BLOCKING, PoolSheet, sheets
from inventory.sync.touched import Touched

CARD_FIELDS = (
    "cluster_id",
    "node_id",
    "product",
    "uuid",
    "partitioned",
    "shareable",
    "tainted",
    "state",
    "reason",
    "use_millionths",
)
DEVICE_FIELDS = ("card_id", "state", "reason", "shares", "tainted", "bottleneck", "use_millionths")
AMOUNT_FIELDS = ("exponent", "notation", "total", "allocated", "remaining", "reason")


def write(cluster: Cluster, touched: Touched, now: datetime) -> None:
    """Write the books of every device, card and counter of the pools that were touched.

    And of those that were published anew, since when their devices are as they are.
    """
    there: set[tuple[str, str]] = set()
    for derived in sheets(cluster, touched.pools):
        touched.changes += _write(cluster, derived)
        published = [sheet for sheet in derived if sheet.place in touched.pools_published]
        device_intervals.write(cluster, published, touched.past, now)
        there.update(sheet.place for sheet in published)
    device_intervals.close(cluster, touched.pools_published - there, touched.past, now)


def _write(cluster: Cluster, derived: Sequence[PoolSheet]) -> int:
    pools = [sheet.pool.pk for sheet in derived]
    card_rows = reconcile(
        Card,
        Card.objects.filter(pool__in=pools),
        ("pool_id", "key"),
        CARD_FIELDS,
        desired_cards(cluster, derived),
    )
    balance_rows = reconcile(
        Balance,
        Balance.objects.filter(Q(device__pool__in=pools) | Q(card__pool__in=pools)),
        ("cluster_id", "device_id", "card_id", "dimension"),
        AMOUNT_FIELDS,
        desired_balances(cluster, derived, card_rows.ids),
    )
    counter_rows = reconcile(
        CounterBalance,
        CounterBalance.objects.filter(pool__in=pools),
        ("pool_id", "counter_set", "counter"),
        AMOUNT_FIELDS,
        desired_counters(derived),
    )
    devices = _write_devices(derived, card_rows.ids)
    return card_rows.changes + balance_rows.changes + counter_rows.changes + devices


def desired_cards(cluster: Cluster, derived: Iterable[PoolSheet]) -> dict[Key, Values]:
    found: dict[Key, Values] = {}
    for sheet in derived:
        devices = {device.name: device for device in sheet.devices}
        for card in sheet.cards:
            parts = [devices[name] for name in card.parts]
            found[sheet.pool.pk, card.key] = _card(cluster, card, parts, sheet.card_sheets[card.key])
    return found


def _card(cluster: Cluster, card: grouping.Card, parts: Sequence[Device], books: grouping.Sheet) -> Values:
    first = next((device for device in parts if device.name == card.whole), parts[0])
    return (
        cluster.pk,
        first.node_id,
        first.product,
        first.uuid,
        card.partitioned,
        any(device.shareable for device in parts),
        any(_tainted(device) for device in parts),
        books.state.value,
        books.reason,
        _millionths(_use(books.balances)),
    )


def _use(balances: Iterable[ledger.Balance]) -> Fraction | None:
    return max((balance.use for balance in balances if balance.use is not None), default=None)


def _millionths(use: Fraction | None) -> int | None:
    """Rounded down, but never to nothing while something is held."""
    if use is None or not use:
        return None if use is None else 0
    return min(max(1, use.numerator * 10**6 // use.denominator), LARGEST)


def _tainted(device: Device) -> bool:
    return any(taint.get("effect") in BLOCKING for taint in device.taints)


def desired_devices(derived: Iterable[PoolSheet], card_ids: Mapping[Key, int]) -> dict[Key, Values]:
    return {
        (device.pk,): _device(device, sheet.books[device.name], card)
        for sheet in derived
        for device, card in _with_cards(sheet, card_ids)
    }


def _with_cards(sheet: PoolSheet, card_ids: Mapping[Key, int]) -> Iterator[tuple[Device, int | None]]:
    card_of = {name: card_ids[sheet.pool.pk, card.key] for card in sheet.cards for name in card.parts}
    for device in sheet.devices:
        yield device, card_of.get(device.name)


def _write_devices(derived: Iterable[PoolSheet], card_ids: Mapping[Key, int]) -> int:
    desired = desired_devices(derived, card_ids)
    changed = [
        (device.pk, *after)
        for sheet in derived
        for device in sheet.devices
        if (after := desired[device.pk,]) != tuple(getattr(device, field) for field in DEVICE_FIELDS)
    ]
    return bulk.update(Device, DEVICE_FIELDS, changed)


def _device(device: Device, books: Books, card: int | None) -> Values:
    bottleneck = books.bottleneck
    return (
        card,
        books.state.value,
        books.reason,
        books.shares,
        _tainted(device),
        bottleneck.dimension if bottleneck else "",
        _millionths(bottleneck.use if bottleneck else None),
    )


def desired_balances(
    cluster: Cluster, derived: Iterable[PoolSheet], card_ids: Mapping[Key, int]
) -> dict[Key, Values]:
    """A card of one device shares its row with it; a partitioned card has rows of its own."""
    desired: dict[Key, Values] = {}
    for sheet in derived:
        alone = {
            card.parts[0]: card_ids[sheet.pool.pk, card.key] for card in sheet.cards if not card.partitioned
        }
        for device in sheet.devices:
            for balance in sheet.books[device.name].balances:
                desired[cluster.pk, device.pk, alone.get(device.name), balance.dimension] = _amounts(balance)
        for card in (card for card in sheet.cards if card.partitioned):
            for balance in sheet.card_sheets[card.key].balances:
                desired[cluster.pk, None, card_ids[sheet.pool.pk, card.key], balance.dimension] = _amounts(
                    balance
                )
    return desired


def desired_counters(derived: Iterable[PoolSheet]) -> dict[Key, Values]:
    return {
        (sheet.pool.pk, counter_set, name): _amounts(counter)
        for sheet in derived
        for (counter_set, name), counter in sheet.counters.items()
    }


def _amounts(balance: ledger.Balance | counters.Counter) -> Values:
    amounts = (balance.total, balance.allocated, balance.remaining)
    notation = next((amount.notation for amount in amounts if amount is not None), Notation.DECIMAL)
    try:
        exponent = exponent_for(*amounts)
    except AmountError as error:
        return 0, notation.value, None, None, None, str(error)
    return exponent, notation.value, *(to_amount(amount, exponent) for amount in amounts), balance.reason
