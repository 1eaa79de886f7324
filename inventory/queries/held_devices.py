"""One device with all who hold it, its parts or its whole, and the counters that it draws on."""

from collections.abc import Iterable

import msgspec

from inventory.models import Device
from inventory.queries import devices, pools
from inventory.queries import shares as share_queries
from inventory.queries.devices import DeviceRow
from inventory.queries.pools import CounterRow, PoolRow
from inventory.queries.shares import ShareRow
from inventory.queries.slices import TeamBrief, Track, in_bar_order, teams, tracks


class HeldDevice(msgspec.Struct, frozen=True):
    """`watchers` have admin access and hold nothing; `siblings` are the other parts of the same card."""

    row: DeviceRow
    node_id: int | None
    pool: PoolRow
    counters: tuple[CounterRow, ...]
    shares: tuple[ShareRow, ...]
    watchers: tuple[ShareRow, ...]
    tracks: tuple[Track, ...]
    siblings: tuple[DeviceRow, ...]
    teams: dict[str, TeamBrief]


def one(device_id: int) -> HeldDevice | None:
    device = devices.queryset().filter(pk=device_id).first()
    if device is None:
        return None
    row, *siblings = devices.rows([device, *_siblings(device)])
    known = teams()
    shares = share_queries.rows(share_queries.queryset().filter(device=device_id))
    counted = [share for share in in_bar_order(shares, known) if not share.admin_access]
    pool = pools.rows(pools.queryset().filter(pk=device.pool_id))[0]
    return HeldDevice(
        row=row,
        node_id=device.node_id,
        pool=pool,
        counters=_counters(device, pool),
        shares=tuple(counted),
        watchers=tuple(share for share in shares if share.admin_access),
        tracks=tracks(row.driver, row.capacity, counted, known),
        siblings=tuple(siblings),
        teams=known,
    )


def _counters(device: Device, pool: PoolRow) -> tuple[CounterRow, ...]:
    """Of the counter sets that the device draws on."""
    drawn = {one.get("counterSet") for one in device.consumes_counters}
    return tuple(counter for counter in pool.counters if counter.counter_set in drawn)


def _siblings(device: Device) -> Iterable[Device]:
    if device.card_id is None:
        return []
    return devices.queryset().filter(card=device.card_id).exclude(pk=device.pk).order_by("position", "name")
