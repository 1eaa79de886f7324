"""Pools and their devices, put together from resource slices."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
from django.conf import settings
from django.db.models import Exists, OuterRef

from inventory.dra import attributes
from inventory.dra.accelerators import Rule, is_accelerator
from inventory.dra.accelerators import parse as parse_rule
from inventory.dra.pools import Placed, pools
from inventory.dra.pools import Pool as PoolView
from inventory.dra.taints import Rule as TaintRule
from inventory.kube.decoding import Skipped
from inventory.kube.objects import Capacity, Device
from inventory.kube.quantity import QuantityError, parse
from inventory.models import Cluster, Share
from inventory.models import Device as DeviceRow
from inventory.models import Pool as PoolRow
from inventory.reasons import Reason
from inventory.sync import bulk, slices, taint_rules
from inventory.sync.places import Places
from inventory.sync.reconcile import Key, Reconciled, reconcile
from inventory.sync.touched import Touched, batches

# Pools that are put together at once: most have the devices of one node.
_POOLS = 200


class PoolColumns(NamedTuple):
    generation: int | None
    slices_seen: int
    slices_expected: int | None
    state: str
    reason: str
    counter_sets: list[Any]


class DeviceColumns(NamedTuple):
    cluster_id: int
    slice_name: str
    position: int
    node_id: int | None
    accelerator: bool
    product: str
    uuid: str
    attributes: dict[str, Any]
    capacity: dict[str, Any]
    consumes_counters: list[Any]
    node_selection: dict[str, Any]
    binding: dict[str, Any]
    taints: list[Any]
    shareable: bool
    listed: bool
    published: bool
    problems: list[str]


NOTHING_PUBLISHED = PoolColumns(None, 0, None, PoolRow.State.NOT_PUBLISHED, Reason.POOL_UNPUBLISHED.value, [])


@dataclass(frozen=True)
class Surroundings:
    """What a device is written with besides its slice."""

    cluster: Cluster
    places: Places
    accelerators: Sequence[Rule]
    taint_rules: Sequence[TaintRule]


def accelerator_rules() -> list[Rule]:
    """Raises RuleError where the setting is wrong."""
    return [parse_rule(text) for text in settings.SLICEBOARD_ACCELERATORS]


def write(cluster: Cluster, places: Places, touched: Touched) -> dict[str, list[Skipped]]:
    """Write the pools whose slices or taints have changed; what of each (driver/pool) cannot be understood.

    A device that its slices no longer list stays, as not listed, while a claim may still hold it.
    """
    around = Surroundings(cluster, places, accelerator_rules(), taint_rules.known(cluster))
    skipped: dict[str, list[Skipped]] = {f"{driver}/{name}": [] for driver, name in touched.pools_published}
    for names in batches(touched.pools_published, _POOLS):
        views = pools(slices.of_pools(cluster, set(names)))
        skipped.update({f"{view.driver}/{view.name}": list(_skips(view)) for view in views})
        _write(around, set(names), views, touched)
    return skipped


def _write(
    around: Surroundings, names: set[tuple[str, str]], views: Sequence[PoolView], touched: Touched
) -> None:
    pool_rows = _write_pools(around.cluster, names, views)
    touched.pools.update(pool_rows.ids.values())
    scope = DeviceRow.objects.filter(pool__in=pool_rows.ids.values())
    columns = ("pool_id", "name", *DeviceColumns._fields)
    desired: dict[Key, DeviceColumns] = {
        (pool, name): _unlisted(DeviceColumns(*before))
        for pool, name, *before in scope.order_by().values_list(*columns)
    }
    desired.update(_published(around, views, pool_rows.ids))
    rows = reconcile(DeviceRow, scope, ("pool_id", "name"), DeviceColumns._fields, desired)
    touched.changes += pool_rows.changes + rows.changes
    # A card moves with its devices.
    touched.left |= rows.updated + rows.deleted > 0


def _write_pools(cluster: Cluster, names: set[tuple[str, str]], views: Sequence[PoolView]) -> Reconciled:
    scope = PoolRow.objects.filter(
        cluster=cluster,
        driver__in={driver for driver, _ in names},
        name__in={name for _, name in names},
    )
    desired: dict[Key, PoolColumns] = {(cluster.pk, view.driver, view.name): _pool(view) for view in views}
    known = scope.values_list("driver", "name")
    for driver, name in names & set(known):
        desired.setdefault((cluster.pk, driver, name), NOTHING_PUBLISHED)
    rows = reconcile(
        PoolRow,
        scope,
        ("cluster_id", "driver", "name"),
        PoolColumns._fields,
        desired,
        keep=lambda key: key[1:] not in names,
    )
    return Reconciled(
        {key: pk for key, pk in rows.ids.items() if pk not in rows.kept},
        frozenset(),
        rows.created,
        rows.updated,
        rows.deleted,
    )


def sweep(cluster: Cluster, touched: Touched) -> None:
    """Let go of devices that no slice lists and nobody holds, and of pools that have nothing left."""
    for batch in batches(touched.pools):
        held = Exists(Share.objects.filter(device=OuterRef("pk")))
        left = DeviceRow.objects.filter(pool__in=batch, listed=False).exclude(held)
        deleted = bulk.delete(DeviceRow, left.values_list("pk", flat=True))
        touched.left |= deleted > 0
        touched.changes += deleted
        full = Exists(DeviceRow.objects.filter(pool=OuterRef("pk")))
        bare = PoolRow.objects.filter(pk__in=batch, state=PoolRow.State.NOT_PUBLISHED).exclude(full)
        gone = list(bare.values_list("pk", flat=True))
        touched.changes += bulk.delete(PoolRow, gone)
        touched.pools.difference_update(gone)


def _pool(view: PoolView) -> PoolColumns:
    return PoolColumns(
        generation=view.generation,
        slices_seen=view.slices_seen,
        slices_expected=view.slices_expected,
        state=view.state.value,
        reason=view.reason,
        counter_sets=msgspec.to_builtins(list(view.counter_sets)),
    )


def _published(
    around: Surroundings, views: Sequence[PoolView], pool_ids: Mapping[Key, int]
) -> Iterator[tuple[Key, DeviceColumns]]:
    named = {placed.node_name for view in views for placed in view.devices if placed.node_name}
    nodes = around.places.nodes(named)
    for view in views:
        pool = pool_ids[around.cluster.pk, view.driver, view.name]
        for position, placed in enumerate(view.devices):
            yield (pool, placed.device.name), _device(around, view, position, placed, nodes)


def _device(
    around: Surroundings, view: PoolView, position: int, placed: Placed, nodes: Mapping[str, int]
) -> DeviceColumns:
    device, described = placed.device, placed.device.attributes or {}
    node = placed.node_name
    return DeviceColumns(
        cluster_id=around.cluster.pk,
        slice_name=placed.slice_name,
        position=position,
        node_id=nodes[node] if node else None,
        accelerator=is_accelerator(around.accelerators, view.driver, described, device.capacity or {}),
        product=attributes.product(described, view.driver),
        uuid=attributes.uuid(described, view.driver),
        attributes=described,
        capacity=msgspec.to_builtins(device.capacity or {}),
        consumes_counters=msgspec.to_builtins(device.consumes_counters or []),
        node_selection=placed.selection,
        binding=_binding(device),
        taints=_taints(around, view, device),
        shareable=bool(device.allow_multiple_allocations),
        listed=True,
        published=view.usable,
        problems=list(_problems(device)),
    )


def _binding(device: Device) -> dict[str, Any]:
    found = {
        "bindsToNode": device.binds_to_node,
        "bindingConditions": device.binding_conditions,
        "bindingFailureConditions": device.binding_failure_conditions,
    }
    return {key: value for key, value in found.items() if value}


def _taints(around: Surroundings, view: PoolView, device: Device) -> list[Any]:
    """Its own, then those of administrators' rules, as the scheduler sees them."""
    rules = (rule for rule in around.taint_rules if rule.selects(view.driver, view.name, device.name))
    return [*msgspec.to_builtins(device.taints or []), *(rule.added() for rule in rules)]


def _problems(device: Device) -> Iterator[str]:
    """What is published but cannot be understood; it is shown as it came, and never counted as zero."""
    for name, published in (device.attributes or {}).items():
        try:
            kind, _ = attributes.value(published)
        except ValueError as error:
            yield f"attribute {name}: {error}"
        else:
            if kind not in attributes.KINDS:
                yield f"attribute {name}: its kind {kind!r} is not known; shown as published"
    for dimension, capacity in (device.capacity or {}).items():
        yield from _unreadable(f"capacity {dimension}", capacity)
    for drawn in device.consumes_counters or ():
        for counter, capacity in drawn.counters.items():
            yield from _unreadable(f"counter {drawn.counter_set}/{counter}", capacity)


def _unreadable(what: str, capacity: Capacity) -> Iterator[str]:
    try:
        if parse(capacity.value).nanos < 0:
            yield f"{what}: {capacity.value} is below zero"
    except QuantityError as error:
        yield f"{what}: {error}"


def _skips(view: PoolView) -> Iterator[Skipped]:
    for placed in view.devices:
        for problem in _problems(placed.device):
            part = f"device {placed.device.name}"
            yield Skipped("ResourceSlice", "", placed.slice_name, "", reason=problem, part=part)
    for counter_set in view.counter_sets:
        for counter, capacity in counter_set.counters.items():
            for problem in _unreadable(f"counter {counter}", capacity):
                part = f"counter set {counter_set.name} of {view.driver}/{view.name}"
                yield Skipped("ResourceSlice", "", "", "", reason=problem, part=part)


def _unlisted(before: DeviceColumns) -> DeviceColumns:
    """What is still known of a device, and that nobody publishes it now."""
    return before._replace(slice_name="", taints=[], listed=False, published=False, problems=[])


def nothing_known(around: Surroundings, driver: str, node_id: int | None) -> DeviceColumns:
    """A device that only an allocation names."""
    return DeviceColumns(
        cluster_id=around.cluster.pk,
        slice_name="",
        position=0,
        node_id=node_id,
        accelerator=is_accelerator(around.accelerators, driver, {}, ()),
        product="",
        uuid="",
        attributes={},
        capacity={},
        consumes_counters=[],
        node_selection={},
        binding={},
        taints=[],
        shareable=False,
        listed=False,
        published=False,
        problems=[],
    )
