"""Devices that came near to what a claim asks, with who holds what of them."""

from collections.abc import Collection
from functools import reduce
from operator import or_

import msgspec
from django.db.models import Q

from inventory.dra.simulator.allocated import DeviceId
from inventory.kube.quantity import Quantity
from inventory.queries import devices
from inventory.queries import shares as share_queries
from inventory.queries.devices import DeviceRow
from inventory.queries.held import holders
from inventory.queries.shares import ShareRow
from inventory.queries.slices import Track, teams, tracks
from inventory.viewer import Viewer


class NearDevice(msgspec.Struct, frozen=True):
    row: DeviceRow
    tracks: tuple[Track, ...]

    def each_enough(self, dimension: str, need: Quantity) -> list[ShareRow]:
        """The shares of which each alone, once it is given back, would leave so much of the dimension.

        Only those that the viewer may see: how much others hold by themselves is not told.
        """
        return [
            one.share
            for track in self.tracks
            if track.name == dimension and track.remaining is not None
            for one in track.slices
            if one.share is not None and one.amount is not None and one.amount + track.remaining >= need
        ]


def rows(cluster: str, names: Collection[DeviceId], *, viewer: Viewer) -> dict[DeviceId, NearDevice]:
    """By name; a fixed number of queries, whatever the number of devices."""
    if not names:
        return {}
    named = reduce(or_, (Q(pool__driver=one.driver, pool__name=one.pool, name=one.name) for one in names))
    found = devices.rows(devices.queryset().filter(named, cluster__name=cluster), viewer=viewer)
    counted = share_queries.everyones().filter(device__in=[one.id for one in found], admin_access=False)
    held, known = holders(counted, lambda device: device, viewer=viewer), teams(viewer=viewer)
    return {
        DeviceId(one.driver, one.pool, one.name): NearDevice(
            one, tracks(one.driver, one.capacity, held[one.id].shares, known, held[one.id].others)
        )
        for one in found
    }
