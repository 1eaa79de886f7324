"""Resource slices to pools and devices."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from inventory.dra import attributes
from inventory.dra.accelerators import Rule, is_accelerator
from inventory.dra.pools import Placed, pools
from inventory.dra.pools import Pool as PoolView
from inventory.dra.taints import Rule as TaintRule
from inventory.kube.decoding import Skipped
from inventory.kube.objects import Device, ResourceSlice
from inventory.kube.quantity import QuantityError, parse
from inventory.models import Cluster
from inventory.models import Device as DeviceRow
from inventory.models import Pool as PoolRow
from inventory.sync.reconcile import Key, Reconciled, Values, reconcile
from inventory.sync.unread import Unread

# A device as an allocation names it: driver, pool, device.
Target = tuple[str, str, str]

_POOL_FIELDS = ("generation", "slices_seen", "slices_expected", "state", "reason", "counter_sets")
_FIELDS = (
    "cluster_id",
    "slice_name",
    "position",
    "node_id",
    "accelerator",
    "product",
    "uuid",
    "attributes",
    "capacity",
    "consumes_counters",
    "node_selection",
    "binding",
    "taints",
    "shareable",
    "listed",
    "published",
    "problems",
)
_UNPUBLISHED_POOL: Values = (None, 0, None, PoolRow.State.NOT_PUBLISHED, "no slice publishes this pool", [])


@dataclass(frozen=True)
class Written:
    """The rows of all devices that anything names, and the parts of slices that could not be understood."""

    devices: dict[Target, int]
    # Those that publish capacities: a share of them must say what it consumes.
    measured: frozenset[int]
    changes: int
    skipped: list[Skipped]


def node_names(slices: Iterable[ResourceSlice]) -> Iterator[str]:
    for one in slices:
        yield from filter(
            None, (one.spec.node_name, *(device.node_name for device in one.spec.devices or ()))
        )


def write(
    cluster: Cluster,
    slices: Sequence[ResourceSlice] | None,
    targets: Iterable[Target],
    node_ids: Mapping[Key, int],
    rules: Sequence[Rule],
    taint_rules: Sequence[TaintRule],
    unread: Unread,
) -> Written:
    """Write what the slices publish and, as not listed, what allocations name besides.

    `slices` is None where they could not be read. What an earlier reading published in a slice that cannot be
    read now stays.
    """
    views = pools(slices or ())
    targets = set(targets)
    scope = DeviceRow.objects.filter(cluster=cluster)
    earlier = _rows(scope)
    slice_name = _FIELDS.index("slice_name")
    kept = {key: row for key, row in earlier.items() if slices is None or unread.holds(name=row[slice_name])}
    pool_rows = _write_pools(cluster, views, targets, kept={pool for pool, _ in kept})
    published: dict[Key, Values] = {
        (pool_rows.ids[cluster.pk, view.driver, view.name], placed.device.name): _device(
            cluster, view, position, placed, node_ids, rules, taint_rules
        )
        for view in views
        for position, placed in enumerate(view.devices)
    }
    wanted: dict[Key, str] = {
        (pool_rows.ids[cluster.pk, driver, pool], name): driver for driver, pool, name in targets
    }
    desired: dict[Key, Values] = {**kept, **published}
    for key in wanted.keys() - desired.keys():
        desired[key] = _unlisted(cluster, earlier.get(key), wanted[key], rules)
    rows = reconcile(DeviceRow, scope, ("pool_id", "name"), _FIELDS, desired)
    pool_names = {row: key[1:] for key, row in pool_rows.ids.items()}
    devices = {(*pool_names[pool], name): row for (pool, name), row in rows.ids.items()}
    capacity = _FIELDS.index("capacity")
    return Written(
        devices=devices,
        measured=frozenset(rows.ids[key] for key, values in desired.items() if values[capacity]),
        changes=pool_rows.changes + rows.changes,
        skipped=[skip for view in views for skip in _skips(view)],
    )


def _write_pools(
    cluster: Cluster, views: Sequence[PoolView], targets: Iterable[Target], *, kept: set[int]
) -> Reconciled:
    scope = PoolRow.objects.filter(cluster=cluster)
    desired: dict[Key, Values] = {(cluster.pk, view.driver, view.name): _pool(view) for view in views}
    for pk, driver, name, *before in scope.values_list("pk", "driver", "name", *_POOL_FIELDS):
        if pk in kept:
            desired.setdefault((cluster.pk, driver, name), tuple(before))
    for driver, name, _ in targets:
        desired.setdefault((cluster.pk, driver, name), _UNPUBLISHED_POOL)
    return reconcile(PoolRow, scope, ("cluster_id", "driver", "name"), _POOL_FIELDS, desired)


def _pool(view: PoolView) -> Values:
    return (
        view.generation,
        view.slices_seen,
        view.slices_expected,
        view.state.value,
        view.reason,
        msgspec.to_builtins(list(view.counter_sets)),
    )


def _device(
    cluster: Cluster,
    view: PoolView,
    position: int,
    placed: Placed,
    node_ids: Mapping[Key, int],
    rules: Sequence[Rule],
    taint_rules: Sequence[TaintRule],
) -> Values:
    device, published = placed.device, placed.device.attributes or {}
    return (
        cluster.pk,
        placed.slice_name,
        position,
        node_ids.get((cluster.pk, placed.node_name)),
        is_accelerator(rules, view.driver, published, device.capacity or {}),
        attributes.product(published, view.driver),
        attributes.uuid(published, view.driver),
        published,
        msgspec.to_builtins(device.capacity or {}),
        msgspec.to_builtins(device.consumes_counters or []),
        placed.selection,
        _binding(device),
        [
            *msgspec.to_builtins(device.taints or []),
            *(rule.added() for rule in taint_rules if rule.selects(view.driver, view.name, device.name)),
        ],
        bool(device.allow_multiple_allocations),
        True,
        view.usable,
        list(_problems(device)),
    )


def _binding(device: Device) -> dict[str, Any]:
    found = {
        "bindsToNode": device.binds_to_node,
        "bindingConditions": device.binding_conditions,
        "bindingFailureConditions": device.binding_failure_conditions,
    }
    return {key: value for key, value in found.items() if value}


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
        try:
            parse(capacity.value)
        except QuantityError as error:
            yield f"capacity {dimension}: {error}"


def _skips(view: PoolView) -> Iterator[Skipped]:
    for placed in view.devices:
        for problem in _problems(placed.device):
            part = f"device {placed.device.name}"
            yield Skipped("ResourceSlice", "", placed.slice_name, "", reason=problem, part=part)


def _rows(scope: Any) -> dict[Key, Values]:
    return {row[:2]: row[2:] for row in scope.order_by().values_list("pool_id", "name", *_FIELDS)}


def _unlisted(cluster: Cluster, before: Values | None, driver: str, rules: Sequence[Rule]) -> Values:
    """A device that only an allocation names: what is still known of it, and that nobody publishes it now."""
    known = dict(zip(_FIELDS, before, strict=True)) if before else _nothing_known(cluster, driver, rules)
    return tuple(
        {**known, "slice_name": "", "listed": False, "published": False, "taints": [], "problems": []}[field]
        for field in _FIELDS
    )


def _nothing_known(cluster: Cluster, driver: str, rules: Sequence[Rule]) -> dict[str, Any]:
    return {
        "cluster_id": cluster.pk,
        "slice_name": "",
        "position": 0,
        "node_id": None,
        "accelerator": is_accelerator(rules, driver, {}, ()),
        "product": "",
        "uuid": "",
        "attributes": {},
        "capacity": {},
        "consumes_counters": [],
        "node_selection": {},
        "binding": {},
        "shareable": False,
    }
