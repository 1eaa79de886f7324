"""The ledger run over the rows of a cluster: what polls write, and what the checks compare with."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from inventory.dra import attributes, counters, ledger
from inventory.dra import cards as grouping
from inventory.dra.ledger import Books, Total, Use
from inventory.kube.objects import CounterConsumption, CounterSet
from inventory.kube.quantity import QuantityError, parse
from inventory.models import Cluster, Device, KindState, Pool, Share
from inventory.models.amounts import AmountError, exponent_for
from inventory.reasons import Reason
from inventory.sync import amounts
from inventory.sync.touched import batches

_BLOCKED = {
    Pool.State.INCOMPLETE: Reason.POOL_INCOMPLETE,
    Pool.State.INCONSISTENT: Reason.POOL_INCONSISTENT,
    Pool.State.INVALID: Reason.POOL_INVALID,
    Pool.State.NOT_PUBLISHED: Reason.POOL_NOT_PUBLISHED,
}

BLOCKING = ("NoSchedule", "NoExecute")
# Pools whose books are derived at once: most have the devices of one node.
_POOLS = 100


@dataclass(frozen=True)
class PoolSheet:
    """Everything the ledger says of one pool."""

    pool: Pool
    devices: Sequence[Device]
    # What each device publishes, by its name.
    totals: Mapping[str, Mapping[str, Total]]
    books: Mapping[str, Books]
    cards: Sequence[grouping.Card]
    card_sheets: Mapping[str, grouping.Sheet]
    counters: Mapping[counters.CounterKey, counters.Counter]

    @property
    def place(self) -> tuple[str, str]:
        """Driver and pool."""
        return self.pool.driver, self.pool.name


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
        consumed = amounts.consumed([pk for pk, *_ in shares])
        for pk, device, dedicated, admin in shares:
            uses[device].append(Use(dedicated, admin, consumed.get(pk)))
    return dict(uses)


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
    blocked, totals = _blocked(pool, left), {device.name: _totals(device) for device in devices}
    books = {
        device.name: ledger.books(
            totals[device.name],
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
    return PoolSheet(pool, devices, totals, books, grouped, card_sheets, left)


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
    if quantity >= ledger.ZERO:
        return Total(quantity)
    return Total(None, Reason.BELOW_ZERO.format(quantity=quantity))


def _blocked(pool: Pool, left: Mapping[counters.CounterKey, counters.Counter]) -> str:
    """Why the scheduler would place nothing more on any device of the pool; empty if it would."""
    if pool.state != Pool.State.COMPLETE:
        return _BLOCKED[Pool.State(pool.state)].format(reason=pool.reason)
    return counters.overdrawn(left)


def _obstacle(
    device: Device, drawn: Iterable[CounterConsumption], left: Mapping[counters.CounterKey, counters.Counter]
) -> str:
    """Why the scheduler would place nothing more on it, in the scheduler's order of checks."""
    if shortfall := counters.shortfall(drawn, left):
        return shortfall
    if taint := next((taint for taint in device.taints if taint.get("effect") in BLOCKING), None):
        written = f"{taint.get('key', '')}={taint.get('value', '')}:{taint['effect']}"
        return Reason.TAINTED.format(taint=written)
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
