"""The ledger run over the rows of a cluster: what the poll writes, and what `check_ledger` compares."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import msgspec
from django.db.models import Q

from inventory.dra import attributes, counters, ledger
from inventory.dra import cards as grouping
from inventory.dra.ledger import Books, Total, Use
from inventory.kube.objects import CounterConsumption, CounterSet
from inventory.kube.quantity import Notation, Quantity, QuantityError, parse
from inventory.models import (
    Balance,
    Card,
    Cluster,
    ConsumedCapacity,
    CounterBalance,
    Device,
    KindState,
    Pool,
    Share,
)
from inventory.models.amounts import LARGEST, AmountError, exponent_for, to_amount, to_quantity
from inventory.sync import bulk
from inventory.sync.reconcile import Key, Values, reconcile
from inventory.sync.touched import Touched, batches

# Pools whose books are derived at once: most have the devices of one node.
_POOLS = 100
_BLOCKING = ("NoSchedule", "NoExecute")
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


@dataclass(frozen=True)
class PoolSheet:
    """Everything the ledger says of one pool."""

    pool: Pool
    devices: Sequence[Device]
    books: Mapping[str, Books]
    cards: Sequence[grouping.Card]
    card_sheets: Mapping[str, grouping.Sheet]
    counters: Mapping[counters.CounterKey, counters.Counter]


def sheets(cluster: Cluster, pools: Collection[int] | None = None) -> Iterator[list[PoolSheet]]:
    """Derive the books of pools, of all by default, from the rows of devices, shares and consumed capacities.

    Some pools at a time, in the order of their keys.
    """
    ever_read = _ever_read(cluster)
    if pools is None:
        pools = list(Pool.objects.filter(cluster=cluster).order_by("pk").values_list("pk", flat=True))
    for batch in batches(sorted(pools), _POOLS):
        devices: defaultdict[int, list[Device]] = defaultdict(list)
        for device in Device.objects.filter(pool__in=batch).order_by("pool_id", "position", "name"):
            devices[device.pool_id].append(device)
        found = [device.pk for of_pool in devices.values() for device in of_pool]
        uses = _uses(found) if "resourceclaims" in ever_read else None
        yield [
            _sheet(pool, devices[pool.pk], uses, slices_read="resourceslices" in ever_read)
            for pool in Pool.objects.filter(pk__in=batch).order_by("pk")
        ]


def _ever_read(cluster: Cluster) -> set[str]:
    read = KindState.objects.filter(cluster=cluster, succeeded_at__isnull=False)
    return set(read.values_list("kind", flat=True))


def _uses(devices: Iterable[int]) -> dict[int, list[Use]]:
    """By keys alone, which both databases find by their indexes: by pool they would read all shares."""
    uses: defaultdict[int, list[Use]] = defaultdict(list)
    columns = ("pk", "device_id", "dedicated", "admin_access")
    for batch in batches(devices):
        shares = list(Share.objects.filter(device__in=batch).order_by().values_list(*columns))
        consumed = _consumed([pk for pk, *_ in shares])
        for pk, device, dedicated, admin in shares:
            uses[device].append(Use(dedicated, admin, consumed.get(pk)))
    return dict(uses)


def _consumed(shares: Iterable[int]) -> dict[int, dict[str, Quantity | None]]:
    consumed: defaultdict[int, dict[str, Quantity | None]] = defaultdict(dict)
    columns = ("share_id", "dimension", "amount", "exponent", "notation")
    for batch in batches(shares):
        amounts = ConsumedCapacity.objects.filter(share__in=batch).order_by()
        for share, dimension, amount, exponent, notation in amounts.values_list(*columns):
            consumed[share][dimension] = to_quantity(amount, exponent, notation)
    return dict(consumed)


def _sheet(
    pool: Pool, devices: Sequence[Device], uses: Mapping[int, list[Use]] | None, *, slices_read: bool
) -> PoolSheet:
    drawn = {
        device.name: msgspec.convert(device.consumes_counters, list[CounterConsumption])
        for device in devices
        if device.listed
    }
    held = {
        device.pk
        for device in devices
        if any(not use.admin_access for use in (uses or {}).get(device.pk, ()))
    }
    left = counters.counters(
        msgspec.convert(pool.counter_sets, list[CounterSet]),
        [drawn[device.name] for device in devices if device.pk in held and device.listed],
    )
    blocked = _blocked(pool, left)
    books = {
        device.name: ledger.books(
            _totals(device),
            None if uses is None else uses.get(device.pk, []),
            published=device.listed or (False if slices_read else None),
            obstacle=blocked
            or _obstacle(device, () if device.pk in held else drawn.get(device.name, ()), left),
        )
        for device in devices
    }
    grouped = grouping.cards(
        _part(pool, device, drawn.get(device.name, ()), left) for device in devices if device.accelerator
    )
    card_sheets = {card.key: grouping.sheet(card, books, left) for card in grouped}
    return PoolSheet(pool, devices, books, grouped, card_sheets, left)


def _totals(device: Device) -> dict[str, Total]:
    """What it publishes; nothing while no slice lists it."""
    return (
        {dimension: _total(capacity) for dimension, capacity in device.capacity.items()}
        if device.listed
        else {}
    )


def _total(capacity: Mapping[str, Any]) -> Total:
    try:
        quantity = parse(capacity["value"])
        exponent_for(quantity)
    except (QuantityError, AmountError) as error:
        return Total(None, str(error))
    return Total(quantity) if quantity >= ledger.ZERO else Total(None, f"{quantity} is below zero")


def _blocked(pool: Pool, left: Mapping[counters.CounterKey, counters.Counter]) -> str:
    """Why the scheduler would place nothing more on any device of the pool; empty if it would."""
    if pool.state != Pool.State.COMPLETE:
        return f"pool {pool.state}: {pool.reason}"
    return counters.overdrawn(left)


def _obstacle(
    device: Device, drawn: Iterable[CounterConsumption], left: Mapping[counters.CounterKey, counters.Counter]
) -> str:
    """Why the scheduler would place nothing more on it, in the scheduler's order of checks."""
    if shortfall := counters.shortfall(drawn, left):
        return shortfall
    if taint := next((taint for taint in device.taints if taint.get("effect") in _BLOCKING), None):
        return f"tainted: {taint.get('key', '')}={taint.get('value', '')}:{taint['effect']}"
    return ""


def _part(
    pool: Pool,
    device: Device,
    drawn: Sequence[CounterConsumption],
    left: Mapping[counters.CounterKey, counters.Counter],
) -> grouping.Part:
    return grouping.Part(
        name=device.name,
        counter_set=drawn[0].counter_set if drawn else "",
        draws_all=bool(drawn) and counters.draws_all(drawn[0], left),
        uuid=device.uuid,
        parent_uuid=attributes.parent_uuid(device.attributes, pool.driver),
    )


def write(cluster: Cluster, touched: Touched) -> None:
    """Write the books of every device, card and counter of the pools that were touched."""
    for derived in sheets(cluster, touched.pools):
        touched.changes += _write(cluster, derived)


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
    return any(taint.get("effect") in _BLOCKING for taint in device.taints)


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
