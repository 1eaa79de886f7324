"""One device with all who hold it, its parts or its whole, and the counters that it draws on."""

from collections.abc import Sequence

import msgspec

from inventory.models import Device, Pool
from inventory.queries import devices, pools
from inventory.queries import shares as share_queries
from inventory.queries.devices import DeviceRow
from inventory.queries.pools import PoolRow
from inventory.queries.shares import ShareRow
from inventory.queries.slices import TeamBrief, Track, teams, tracks


class HeldDevice(msgspec.Struct, frozen=True):
    """`watchers` have admin access and hold nothing; `siblings` are the other parts of the same card."""

    row: DeviceRow
    node_id: int | None
    pool: PoolRow
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
    counted = [share for share in shares if not share.admin_access]
    return HeldDevice(
        row=row,
        node_id=device.node_id,
        pool=pools.rows(Pool.objects.select_related("cluster").filter(pk=device.pool_id))[0],
        shares=tuple(counted),
        watchers=tuple(share for share in shares if share.admin_access),
        tracks=tracks(row.driver, row.capacity, counted, known),
        siblings=tuple(siblings),
        teams=known,
    )


def _siblings(device: Device) -> Sequence[Device]:
    if device.card_id is None:
        return []
    return devices.queryset().filter(card=device.card_id).exclude(pk=device.pk).order_by("position", "name")
