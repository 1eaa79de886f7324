"""One device with all who hold it, its parts or its whole, and the counters that it draws on."""

import msgspec
from django.db.models import Q

from inventory.models import Device
from inventory.queries import devices, pools
from inventory.queries import shares as share_queries
from inventory.queries.devices import DeviceRow
from inventory.queries.held import holders
from inventory.queries.pools import CounterRow, PoolRow
from inventory.queries.shares import ShareRow
from inventory.queries.slices import OthersShares, TeamBrief, Track, in_bar_order, teams, tracks
from inventory.viewer import Viewer


class HeldDevice(msgspec.Struct, frozen=True):
    """`watchers` have admin access and hold nothing; `siblings` are the other parts of the same card.

    `others_watching`: shares with admin access whose names the viewer may not read.
    """

    device: Device
    row: DeviceRow
    pool: PoolRow
    counters: tuple[CounterRow, ...]
    shares: tuple[ShareRow, ...]
    others: OthersShares | None
    watchers: tuple[ShareRow, ...]
    others_watching: int
    tracks: tuple[Track, ...]
    siblings: tuple[DeviceRow, ...]
    teams: dict[str, TeamBrief]

    @property
    def shares_held(self) -> int:
        """Those of others too."""
        return len(self.shares) + (self.others.shares if self.others else 0)


def one(device_id: int, *, viewer: Viewer) -> HeldDevice | None:
    of_card = Device.objects.filter(pk=device_id).order_by().values("card")
    alike = devices.queryset().select_related("pool__cluster").order_by("position", "name")
    alike = alike.filter(Q(pk=device_id) | Q(card__in=of_card))
    found = sorted(alike, key=lambda other: other.pk != device_id)
    if not found or found[0].pk != device_id:
        return None
    device, known = found[0], teams(viewer=viewer)
    row, *siblings = devices.rows(found, viewer=viewer)
    everyones = share_queries.everyones().filter(device=device_id)
    held = holders(everyones, lambda found: found, viewer=viewer)[device_id]
    counted = [share for share in in_bar_order(held.shares, known) if not share.admin_access]
    (pool,) = pools.rows([device.pool])
    return HeldDevice(
        device=device,
        row=row,
        pool=pool,
        counters=_counters(device, pool),
        shares=tuple(counted),
        others=held.others,
        watchers=tuple(share for share in held.shares if share.admin_access),
        others_watching=held.others_watching,
        tracks=tracks(row.driver, row.capacity, counted, known, held.others),
        siblings=tuple(siblings),
        teams=known,
    )


def _counters(device: Device, pool: PoolRow) -> tuple[CounterRow, ...]:
    """Of the counter sets that the device draws on."""
    drawn = {one.get("counterSet") for one in device.consumes_counters}
    return tuple(counter for counter in pool.counters if counter.counter_set in drawn)
