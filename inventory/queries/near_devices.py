"""Devices that came near to what a claim asks, with who holds what of them."""

from collections import defaultdict
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
from inventory.queries.shares import ShareRow
from inventory.queries.slices import Track, teams, tracks


class NearDevice(msgspec.Struct, frozen=True):
    row: DeviceRow
    tracks: tuple[Track, ...]

    def each_enough(self, dimension: str, need: Quantity) -> list[ShareRow]:
        """The shares of which each alone, once it is given back, would leave so much of the dimension."""
        return [
            one.share
            for track in self.tracks
            if track.name == dimension and track.remaining is not None
            for one in track.slices
            if one.amount is not None and one.amount + track.remaining >= need
        ]


def rows(cluster: str, names: Collection[DeviceId]) -> dict[DeviceId, NearDevice]:
    """By name; a fixed number of queries, whatever the number of devices."""
    if not names:
        return {}
    named = reduce(or_, (Q(pool__driver=one.driver, pool__name=one.pool, name=one.name) for one in names))
    found = devices.rows(devices.queryset().filter(named, cluster__name=cluster))
    shares: defaultdict[int, list[ShareRow]] = defaultdict(list)
    held = share_queries.queryset().filter(device__in=[one.id for one in found], admin_access=False)
    for share in share_queries.rows(held):
        shares[share.device.id].append(share)
    known = teams()
    return {
        DeviceId(one.driver, one.pool, one.name): NearDevice(
            one, tracks(one.driver, one.capacity, shares[one.id], known)
        )
        for one in found
    }
