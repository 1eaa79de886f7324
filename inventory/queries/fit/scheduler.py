"""What the scheduler sees of a cluster, from the rows of the last poll, kept between questions.

Slices change seldom and are dear to read; they are kept by resource version, so that a new one costs no more
than itself. The rest is read anew whenever a poll has changed something.
"""

from collections import OrderedDict, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import Any

import msgspec

from inventory.dra.simulator.allocated import Allocated, DeviceId
from inventory.dra.simulator.claims import SpecError, UnknownFieldError
from inventory.dra.simulator.classes import class_selectors
from inventory.dra.simulator.node_pools import Published, Slices, published
from inventory.dra.simulator.nodes import Node
from inventory.dra.simulator.rules import Rules, rules_of
from inventory.dra.simulator.selection import ClassSelectors, Matches
from inventory.dra.simulator.simulate import Cluster as View
from inventory.dra.taints import Rule as TaintRule
from inventory.kube.discovery import release_of
from inventory.kube.objects import NodeTaint, ResourceSlice
from inventory.kube.quantity import Quantity, total
from inventory.models import (
    Cluster,
    ConsumedCapacity,
    DeviceClass,
    KindState,
    Share,
    Slice,
)
from inventory.models import Node as NodeRow
from inventory.models import TaintRule as TaintRuleRow
from inventory.models.amounts import to_quantity
from inventory.queries.features import seen_gates

# Without these there is no telling where a claim would go.
_NEEDED = ("resourceslices", "resourceclaims", "deviceclasses")
# Clusters whose slices are kept in one process.
_KEPT = 8
_DECODER = msgspec.json.Decoder(ResourceSlice)


class NotReadError(ValueError):
    """Something that decides where a claim goes could never be read; the message names it."""


@dataclass
class _Kept:
    """Of one cluster. `revision` is that of the rows behind `view`, read from a server of that version."""

    lock: Lock = field(default_factory=Lock)
    revision: int = -1
    server_version: str = ""
    view: View | None = None
    slices: dict[str, tuple[str, Published]] = field(default_factory=dict)
    taint_rules: tuple[TaintRule, ...] = ()
    matches: Matches = field(default_factory=Matches)


# A database may give a cluster the number of one that was removed.
_Key = tuple[int, datetime]
_kept: OrderedDict[_Key, _Kept] = OrderedDict()
_kept_lock = Lock()


def scheduler_view(cluster: Cluster, without: Collection[int] = ()) -> View:
    """As if the claims `without` held nothing.

    Call it inside of a snapshot, with the cluster as read there. Raises NotReadError.
    """
    view = _kept_view(cluster)
    if not without:
        return view
    return msgspec.structs.replace(view, allocated=_allocated(cluster, view.rules, without))


def _kept_view(cluster: Cluster) -> View:
    _all_read(cluster)
    kept = _of((cluster.pk, cluster.created_at))
    with kept.lock:
        if cluster.revision < kept.revision:
            # Somebody with an older snapshot: what others have read since stays.
            return _view(cluster, _Kept(slices=kept.slices, taint_rules=kept.taint_rules))
        if kept.view is None or (kept.revision, kept.server_version) != _stamp(cluster):
            kept.view = _view(cluster, kept)
            kept.revision, kept.server_version = _stamp(cluster)
        return kept.view


def _stamp(cluster: Cluster) -> tuple[int, str]:
    return cluster.revision, cluster.server_version


def _all_read(cluster: Cluster) -> None:
    states = KindState.objects.filter(cluster=cluster, kind__in=_NEEDED)
    read = {one.kind for one in states if one.succeeded_at is not None}
    if missing := [kind for kind in _NEEDED if kind not in read]:
        raise NotReadError(f"never read from cluster {cluster.name}: {', '.join(missing)}")


def _of(cluster: _Key) -> _Kept:
    with _kept_lock:
        kept = _kept.setdefault(cluster, _Kept())
        _kept.move_to_end(cluster)
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)
        return kept


def _view(cluster: Cluster, kept: _Kept) -> View:
    rules = rules_of(release_of(cluster.server_version), seen_gates(cluster))
    slices = _slices(cluster, kept)
    return View(
        slices=slices,
        allocated=_allocated(cluster, rules),
        classes={
            name: _selectors(name, spec)
            for name, spec in DeviceClass.objects.filter(cluster=cluster).values_list("name", "spec")
        },
        nodes=_nodes(cluster, slices),
        rules=rules,
        matches=kept.matches,
        caveats=tuple(_caveats(kept.taint_rules)),
    )


def _caveats(taint_rules: Iterable[TaintRule]) -> Iterator[str]:
    for rule in taint_rules:
        if rule.unknown:
            yield f"DeviceTaintRule {rule.name} selects devices by {', '.join(rule.unknown)}"


def _selectors(name: str, spec: dict[str, Any]) -> ClassSelectors:
    """A class that cannot be read stands in the way of nobody who does not ask for it."""
    try:
        return class_selectors(name, spec)
    except (SpecError, UnknownFieldError) as error:
        return error


def _slices(cluster: Cluster, kept: _Kept) -> Slices:
    taint_rules = tuple(
        TaintRule(name, selector, taint)
        for name, selector, taint in TaintRuleRow.objects.filter(cluster=cluster)
        .order_by("name")
        .values_list("name", "selector", "taint")
    )
    if taint_rules != kept.taint_rules:
        kept.slices, kept.taint_rules = {}, taint_rules
    rows = Slice.objects.filter(cluster=cluster).order_by("name")
    versions = dict(rows.values_list("name", "resource_version"))
    known = {name: one for name, one in kept.slices.items() if versions.get(name) == one[0]}
    for name, version, body in _bodies(rows, versions.keys() - known.keys()):
        # An API server drops lists where their gate is off: what is there, the scheduler takes.
        known[name] = version, published(_DECODER.decode(body), taint_rules, lists=True)
    kept.slices = known
    return Slices(known[name][1] for name in versions if name in known)


def _bodies(rows: Any, names: Iterable[str]) -> Iterable[tuple[str, str, str]]:
    wanted = sorted(names)
    for start in range(0, len(wanted), 500):
        found = rows.filter(name__in=wanted[start : start + 500])
        yield from found.values_list("name", "resource_version", "body")


def _allocated(cluster: Cluster, rules: Rules, without: Collection[int] = ()) -> Allocated:
    """Every share that counts, whoever holds it."""
    dedicated, shared, unreadable = set(), set(), set()
    devices: dict[int, DeviceId] = {}
    shares = Share.objects.filter(cluster=cluster, admin_access=False).exclude(claim__in=without).order_by()
    columns = ("pk", "device__pool__driver", "device__pool__name", "device__name", "dedicated")
    for pk, driver, pool, name, whole in shares.values_list(*columns).iterator():
        device = DeviceId(driver, pool, name)
        if whole or not rules.consumable_capacity:
            dedicated.add(device)
        else:
            shared.add(device)
            devices[pk] = device
    consumed: defaultdict[DeviceId, dict[str, list[Quantity]]] = defaultdict(dict)
    amounts = ConsumedCapacity.objects.filter(share__cluster=cluster, share__admin_access=False).order_by()
    fields = ("share_id", "dimension", "amount", "exponent", "notation")
    for share, dimension, amount, exponent, notation in amounts.values_list(*fields).iterator():
        if (device_of := devices.get(share)) is None:
            continue
        quantity = to_quantity(amount, exponent, notation)
        if quantity is None:
            unreadable.add(device_of)
            continue
        consumed[device_of].setdefault(dimension, []).append(quantity)
    summed = {
        device: {name: total(amounts, amounts[0].notation) for name, amounts in of_device.items()}
        for device, of_device in consumed.items()
    }
    return Allocated(frozenset(dedicated), frozenset(shared), summed, frozenset(unreadable))


def _nodes(cluster: Cluster, slices: Slices) -> dict[str, Node]:
    """Those of the cluster; where nodes cannot be read, those that slices name, without their labels."""
    rows = NodeRow.objects.filter(cluster=cluster).values_list(
        "name", "listed", "labels", "taints", "unschedulable"
    )
    listed = {
        name: Node(name, labels, msgspec.convert(taints, tuple[NodeTaint, ...]), unschedulable)
        for name, is_listed, labels, taints, unschedulable in rows
        if is_listed
    }
    return listed or {name: Node(name) for name in slices.node_names}
