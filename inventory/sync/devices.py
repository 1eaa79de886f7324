"""Resource slices to pools and devices."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from inventory.dra import attributes
from inventory.dra.accelerators import Rule, is_accelerator
from inventory.dra.pools import Placed, pools
from inventory.dra.pools import Pool as PoolView
from inventory.dra.taints import Rule as TaintRule
from inventory.kube.decoding import Skipped
from inventory.kube.objects import Capacity, Device, ResourceSlice
from inventory.kube.quantity import QuantityError, parse
from inventory.models import Cluster
from inventory.models import Device as DeviceRow
from inventory.models import Pool as PoolRow
from inventory.sync.reconcile import Key, Reconciled, reconcile
from inventory.sync.unread import Unread

# A device as an allocation names it: driver, pool, device.
Target = tuple[str, str, str]


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


@dataclass(frozen=True)
class Written:
    """The rows of all devices that anything names, and the parts of slices that could not be understood."""

    devices: dict[Target, int]
    # The dimensions of those that publish capacities: a share of them must say what it consumes.
    dimensions: dict[int, frozenset[str]]
    changes: int
    skipped: list[Skipped]


@dataclass(frozen=True)
class Surroundings:
    """What a device is written with besides its slice."""

    cluster: Cluster
    node_ids: Mapping[Key, int]
    accelerators: Sequence[Rule]
    taint_rules: Sequence[TaintRule]
    nodes_of_targets: Mapping[Target, str]


def node_names(slices: Iterable[ResourceSlice]) -> Iterator[str]:
    for one in slices:
        devices = one.spec.devices or ()
        yield from filter(None, (one.spec.node_name, *(device.node_name for device in devices)))


def write(
    around: Surroundings, slices: Sequence[ResourceSlice] | None, targets: Iterable[Target], unread: Unread
) -> Written:
    """Write what the slices publish and, as not listed, what allocations name besides.

    `slices` is None where they could not be read. What an earlier reading published in a slice, or as a
    device, that cannot be read now stays.
    """
    views, targets = pools(slices or ()), set(targets)
    scope = DeviceRow.objects.filter(cluster=around.cluster)
    earlier = {row[:2]: DeviceColumns(*row[2:]) for row in _rows(scope)}
    hidden = {key for key, row in earlier.items() if slices is None or unread.holds_name(row.slice_name)}
    pool_rows = _write_pools(around.cluster, views, targets, kept={pool for pool, _ in hidden})
    desired: dict[Key, DeviceColumns] = {
        key: row
        for key, row in earlier.items()
        if key in hidden or (row.slice_name, f"device {key[1]}") in unread.parts
    }
    desired.update(_published(around, views, pool_rows.ids, whole={pool for pool, _ in hidden}))
    for driver, pool, name in targets:
        key = pool_rows.ids[around.cluster.pk, driver, pool], name
        if key not in desired:
            desired[key] = _unlisted(around, earlier.get(key), (driver, pool, name))
    rows = reconcile(DeviceRow, scope, ("pool_id", "name"), DeviceColumns._fields, desired)
    pool_names = {row: key[1:] for key, row in pool_rows.ids.items()}
    return Written(
        devices={(*pool_names[pool], name): row for (pool, name), row in rows.ids.items()},
        dimensions={rows.ids[key]: frozenset(one.capacity) for key, one in desired.items() if one.capacity},
        changes=pool_rows.changes + rows.changes,
        skipped=[skip for view in views for skip in _skips(view)],
    )


def _rows(scope: Any) -> list[tuple[Any, ...]]:
    return list(scope.order_by().values_list("pool_id", "name", *DeviceColumns._fields))


def _write_pools(
    cluster: Cluster, views: Sequence[PoolView], targets: Iterable[Target], *, kept: set[int]
) -> Reconciled:
    """A pool with a slice that cannot be read now (`kept`) stays as it was: what is missing is unknown."""
    scope = PoolRow.objects.filter(cluster=cluster)
    desired: dict[Key, PoolColumns] = {
        (cluster.pk, driver, name): PoolColumns(*before)
        for pk, driver, name, *before in scope.values_list("pk", "driver", "name", *PoolColumns._fields)
        if pk in kept
    }
    for view in views:
        desired.setdefault((cluster.pk, view.driver, view.name), _pool(view))
    nothing = PoolColumns(None, 0, None, PoolRow.State.NOT_PUBLISHED, "no slice publishes this pool", [])
    for driver, name, _ in targets:
        desired.setdefault((cluster.pk, driver, name), nothing)
    return reconcile(PoolRow, scope, ("cluster_id", "driver", "name"), PoolColumns._fields, desired)


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
    around: Surroundings, views: Iterable[PoolView], pool_ids: Mapping[Key, int], *, whole: set[int]
) -> Iterator[tuple[Key, DeviceColumns]]:
    """The devices of all pools; those of pools in `whole` are published although a slice is missing here."""
    for view in views:
        pool = pool_ids[around.cluster.pk, view.driver, view.name]
        for position, placed in enumerate(view.devices):
            yield (
                (pool, placed.device.name),
                _device(around, view, position, placed, published=view.usable or pool in whole),
            )


def _device(
    around: Surroundings, view: PoolView, position: int, placed: Placed, *, published: bool
) -> DeviceColumns:
    device, described = placed.device, placed.device.attributes or {}
    return DeviceColumns(
        cluster_id=around.cluster.pk,
        slice_name=placed.slice_name,
        position=position,
        node_id=around.node_ids.get((around.cluster.pk, placed.node_name)),
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
        published=published,
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


def _unlisted(around: Surroundings, before: DeviceColumns | None, target: Target) -> DeviceColumns:
    """A device that only an allocation names: what is still known of it, and that nobody publishes it now."""
    known = before or _nothing_known(around, target)
    return known._replace(slice_name="", taints=[], listed=False, published=False, problems=[])


def _nothing_known(around: Surroundings, target: Target) -> DeviceColumns:
    node = around.nodes_of_targets.get(target, "")
    return DeviceColumns(
        cluster_id=around.cluster.pk,
        slice_name="",
        position=0,
        node_id=around.node_ids.get((around.cluster.pk, node)),
        accelerator=is_accelerator(around.accelerators, target[0], {}, ()),
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
