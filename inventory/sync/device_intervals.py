"""What devices there were: each as it was published, from when that was seen until it changed.

Amounts are those of the ledger: a dimension that cannot be read is None, and nothing is in the books of a
device that no slice of its pool's newest generation lists.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Max
from django.db.models.functions import Greatest

from inventory.dra.cards import Card
from inventory.dra.ledger import Total
from inventory.kube.quantity import Quantity
from inventory.models import Cluster, Device, DeviceInterval, Node, Pool
from inventory.sync import bulk
from inventory.sync.past import Past
from inventory.sync.sheets import PoolSheet
from inventory.sync.touched import batches

_KEY = ("driver", "pool", "device")
Key = tuple[str, str, str]
Place = tuple[str, str]
Amounts = dict[str, str | None]


class Columns(NamedTuple):
    node: str
    product: str
    uuid: str
    accelerator: bool
    card: str
    partitioned: bool
    capacity: Amounts
    card_capacity: Amounts


class _Open(NamedTuple):
    id: int
    columns: Columns


def write(cluster: Cluster, derived: Sequence[PoolSheet], past: Past, now: datetime) -> None:
    """Open and close the intervals of the devices of these pools."""
    if not derived:
        return
    wanted = desired(derived)
    open_rows = stored(cluster, {sheet.place for sheet in derived})
    changed = {key: row for key, row in open_rows.items() if wanted.get(key) != row.columns}
    opened = {key: one for key, one in wanted.items() if key not in open_rows or key in changed}
    _end([row.id for row in changed.values()], past, now)
    _insert(cluster, opened, past, now)


def close(cluster: Cluster, places: Collection[Place], past: Past, now: datetime) -> None:
    """Of pools that are gone."""
    if places:
        _end([row.id for row in stored(cluster, places).values()], past, now)


def forgotten(cluster: Cluster) -> set[Place]:
    """Pools that have open intervals, and no row any more."""
    rows = DeviceInterval.objects.filter(cluster=cluster, ended_at=None).order_by()
    known = Pool.objects.filter(cluster=cluster).order_by().values_list("driver", "name")
    return set(rows.values_list("driver", "pool").distinct()).difference(known)


def stored(cluster: Cluster, places: Collection[Place]) -> dict[Key, _Open]:
    """What is open of these pools."""
    found: dict[Key, _Open] = {}
    for batch in batches(places):
        rows = DeviceInterval.objects.filter(
            cluster=cluster,
            ended_at=None,
            driver__in={driver for driver, _ in batch},
            pool__in={pool for _, pool in batch},
        )
        for pk, driver, pool, device, *columns in rows.order_by().values_list("pk", *_KEY, *Columns._fields):
            if (driver, pool) in places:
                found[driver, pool, device] = _Open(pk, Columns(*columns))
    return found


def desired(derived: Iterable[PoolSheet]) -> dict[Key, Columns]:
    """Every device that is listed, as it is now."""
    derived = list(derived)
    named = {device.node_id for sheet in derived for device in sheet.devices if device.node_id is not None}
    nodes = dict(Node.objects.filter(pk__in=named).order_by().values_list("pk", "name"))
    found: dict[Key, Columns] = {}
    for sheet in derived:
        cards = {name: card for card in sheet.cards for name in card.parts}
        totals = {card.key: _of_card(sheet, card) for card in sheet.cards}
        for device in sheet.devices:
            if device.listed:
                node = nodes.get(device.node_id or 0, "")
                columns = _columns(device, node, _written(sheet.totals[device.name]))
                card = cards.get(device.name)
                if card is not None:
                    columns = columns._replace(
                        card=card.key, partitioned=card.partitioned, card_capacity=totals[card.key]
                    )
                found[*sheet.place, device.name] = columns
    return found


def _columns(device: Device, node: str, capacity: Amounts) -> Columns:
    return Columns(
        node=node,
        product=device.product,
        uuid=device.uuid,
        accelerator=device.accelerator,
        card="",
        partitioned=False,
        capacity=capacity,
        card_capacity={},
    )


def _of_card(sheet: PoolSheet, card: Card) -> Amounts:
    """The card's totals in what its devices publish now; what is only held of it is no capacity."""
    published = {dimension for name in card.parts for dimension in sheet.totals[name]}
    return {
        balance.dimension: _text(balance.total)
        for balance in sheet.card_sheets[card.key].balances
        if balance.dimension in published
    }


def _written(totals: Mapping[str, Total]) -> Amounts:
    return {dimension: _text(total.quantity) for dimension, total in totals.items()}


def _text(amount: Quantity | None) -> str | None:
    return None if amount is None else str(amount)


def _insert(cluster: Cluster, opened: Mapping[Key, Columns], past: Past, now: datetime) -> None:
    if not opened:
        return
    # A clock may have stepped back since the last ones ended.
    later = DeviceInterval.objects.filter(cluster=cluster, ended_at__gt=now).order_by()
    ends = {tuple(key): end for *key, end in later.values_list(*_KEY).annotate(Max("ended_at"))}
    past.changed(now)
    rows = (
        (pk, cluster.pk, *key, *columns, ends.get(key, now))
        for pk, (key, columns) in zip(bulk.reserve(DeviceInterval, len(opened)), opened.items(), strict=True)
    )
    columns = ("id", "cluster_id", *_KEY, *Columns._fields, "started_at")
    bulk.insert(DeviceInterval, columns, rows)


def _end(ids: Sequence[int], past: Past, now: datetime) -> None:
    if ids:
        past.changed(now)
    for batch in batches(ids):
        rows = DeviceInterval.objects.filter(pk__in=batch)
        rows.update(ended_at=Greatest("started_at", now))
