"""Resource slices to rows, kept so that any pool can be put together again from all of its slices."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec
from django.db.models import QuerySet

from inventory.kube.objects import Device, ResourceSlice
from inventory.models import Cluster, Slice
from inventory.sync import bulk
from inventory.sync.changes import Changes
from inventory.sync.current import current
from inventory.sync.gone import gone_by_name
from inventory.sync.reconcile import Key, Values, reconcile
from inventory.sync.touched import Touched, batches

_DECODER = msgspec.json.Decoder(ResourceSlice)


class SliceColumns(NamedTuple):
    uid: str
    resource_version: str
    driver: str
    pool_name: str
    body: str


def write(cluster: Cluster, changes: Changes[ResourceSlice], touched: Touched) -> None:
    """Write the slices. The pools that they belong to, or have belonged to, are published anew."""
    scope = Slice.objects.filter(cluster=cluster)
    for batch in batches(gone_by_name(scope, changes)):
        gone = scope.filter(pk__in=batch)
        touched.pools_published.update(gone.order_by().values_list("driver", "pool_name"))
        bulk.delete(Slice, batch)
    for chunk in changes.chunks():
        _write(cluster, current(scope, chunk, changes), changes.unread.parts, touched)


def _write(
    cluster: Cluster,
    slices: Sequence[ResourceSlice],
    unread_parts: frozenset[tuple[str, str]],
    touched: Touched,
) -> None:
    rows = Slice.objects.filter(cluster=cluster, name__in=[one.metadata.name for one in slices])
    touched.pools_published.update(rows.order_by().values_list("driver", "pool_name"))
    touched.pools_published.update((one.spec.driver, one.spec.pool.name) for one in slices)
    earlier = _bodies(rows, slices, unread_parts)
    desired: dict[Key, Values] = {
        (cluster.pk, one.metadata.name): _columns(_with_unread(one, earlier, unread_parts)) for one in slices
    }
    reconcile(Slice, rows, ("cluster_id", "name"), SliceColumns._fields, desired)


def _bodies(
    rows: QuerySet[Slice], slices: Iterable[ResourceSlice], unread_parts: frozenset[tuple[str, str]]
) -> dict[str, ResourceSlice]:
    incomplete = {name for name, _ in unread_parts} & {one.metadata.name for one in slices}
    if not incomplete:
        return {}
    return {
        name: _DECODER.decode(body)
        for name, body in rows.filter(name__in=incomplete).values_list("name", "body")
    }


def _with_unread(
    one: ResourceSlice, earlier: Mapping[str, ResourceSlice], unread_parts: frozenset[tuple[str, str]]
) -> ResourceSlice:
    """A device that cannot be read now stays as it was read before."""
    before = earlier.get(one.metadata.name)
    if before is None:
        return one
    readable = {device.name for device in one.spec.devices or ()}
    kept: list[Device] = [
        device
        for device in before.spec.devices or ()
        if device.name not in readable and (one.metadata.name, f"device {device.name}") in unread_parts
    ]
    spec = msgspec.structs.replace(one.spec, devices=[*(one.spec.devices or ()), *kept])
    return msgspec.structs.replace(one, spec=spec)


def _columns(one: ResourceSlice) -> SliceColumns:
    return SliceColumns(
        uid=one.metadata.uid,
        resource_version=one.metadata.resource_version,
        driver=one.spec.driver,
        pool_name=one.spec.pool.name,
        body=msgspec.json.encode(one).decode(),
    )


def named(cluster: Cluster, names: Sequence[str]) -> list[ResourceSlice]:
    rows = Slice.objects.filter(cluster=cluster, name__in=names).order_by("name")
    return [_DECODER.decode(body) for body in rows.values_list("body", flat=True)]


def of_pools(cluster: Cluster, pools: set[tuple[str, str]]) -> list[ResourceSlice]:
    """All slices of these pools, named by driver and pool."""
    drivers, names = {driver for driver, _ in pools}, {name for _, name in pools}
    rows = Slice.objects.filter(cluster=cluster, driver__in=drivers, pool_name__in=names).order_by("name")
    return [
        _DECODER.decode(body)
        for driver, name, body in rows.values_list("driver", "pool_name", "body")
        if (driver, name) in pools
    ]
