"""Resource slices put together to pools, as the scheduler sees them (k8s.io/dynamic-resource-allocation,
structured/internal/incubating/pools_incubating.go)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from enum import StrEnum

import msgspec

from inventory.kube.objects import CounterSet, Device, ResourceSlice
from inventory.reasons import Reason


class PoolState(StrEnum):
    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    INCONSISTENT = "inconsistent"
    INVALID = "invalid"


class Placed(msgspec.Struct, frozen=True):
    """A device with what its slice says of where it can be used."""

    device: Device
    slice_name: str
    node_name: str
    selection: dict[str, object]


class Pool(msgspec.Struct, frozen=True):
    """The newest generation of a pool; devices are in the order in which the scheduler tries them."""

    driver: str
    name: str
    generation: int
    slices_seen: int
    slices_expected: int
    state: PoolState
    reason: str
    devices: tuple[Placed, ...]
    counter_sets: tuple[CounterSet, ...]

    @property
    def usable(self) -> bool:
        return self.state is PoolState.COMPLETE


def pools(slices: Iterable[ResourceSlice]) -> list[Pool]:
    """All pools, sorted by driver and name; slices of older generations are left out."""
    grouped: defaultdict[tuple[str, str], list[ResourceSlice]] = defaultdict(list)
    for one in slices:
        grouped[one.spec.driver, one.spec.pool.name].append(one)
    return [_pool(driver, name, grouped[driver, name]) for driver, name in sorted(grouped)]


def _pool(driver: str, name: str, slices: list[ResourceSlice]) -> Pool:
    generation = max(one.spec.pool.generation for one in slices)
    newest = sorted(
        (one for one in slices if one.spec.pool.generation == generation), key=lambda one: one.metadata.name
    )
    devices = tuple(placed for one in newest for placed in _placed(one))
    counter_sets = tuple(counters for one in newest for counters in one.spec.shared_counters or ())
    state, reason = _state(newest, devices, counter_sets)
    return Pool(
        driver=driver,
        name=name,
        generation=generation,
        slices_seen=len(newest),
        slices_expected=newest[0].spec.pool.resource_slice_count,
        state=state,
        reason=reason,
        devices=devices,
        counter_sets=counter_sets,
    )


def _placed(one: ResourceSlice) -> Iterator[Placed]:
    spec = one.spec
    for device in spec.devices or ():
        source = device if spec.per_device_node_selection else spec
        selection = {
            "nodeName": source.node_name,
            "nodeSelector": source.node_selector,
            "allNodes": source.all_nodes,
        }
        yield Placed(
            device,
            one.metadata.name,
            source.node_name or "",
            {key: value for key, value in selection.items() if value},
        )


def _state(
    newest: list[ResourceSlice], devices: tuple[Placed, ...], counter_sets: tuple[CounterSet, ...]
) -> tuple[PoolState, str]:
    generation = newest[0].spec.pool.generation
    expected = {one.spec.pool.resource_slice_count for one in newest}
    if len(expected) > 1:
        counts = ", ".join(map(str, sorted(expected)))
        return (
            PoolState.INCONSISTENT,
            Reason.SLICES_DISAGREE.format(generation=generation, counts=counts),
        )
    # Too many slices make a pool as unusable as too few: the scheduler compares for equality.
    if len(newest) != (count := expected.pop()):
        return (
            PoolState.INCOMPLETE,
            Reason.SLICES_MISSING.format(seen=len(newest), expected=count, generation=generation),
        )
    if fault := _placeless(newest) or _fault(devices, counter_sets):
        return PoolState.INVALID, fault
    return PoolState.COMPLETE, ""


def _placeless(newest: list[ResourceSlice]) -> str:
    """A slice that says nothing of nodes is relevant to none, and the scheduler leaves it out."""
    for one in newest:
        spec = one.spec
        places = (
            spec.node_name,
            spec.node_selector,
            spec.all_nodes,
            spec.per_device_node_selection,
            spec.shared_counters,
        )
        if not any(places):
            return Reason.SLICE_WITHOUT_NODES.format(name=one.metadata.name)
    return ""


def _fault(devices: tuple[Placed, ...], counter_sets: tuple[CounterSet, ...]) -> str:
    if name := _repeated(placed.device.name for placed in devices):
        return Reason.DEVICE_TWICE.format(name=name)
    if name := _repeated(counters.name for counters in counter_sets):
        return Reason.COUNTER_SET_TWICE.format(name=name)
    known = {(counters.name, counter) for counters in counter_sets for counter in counters.counters}
    for placed in devices:
        for drawn in placed.device.consumes_counters or ():
            for counter in drawn.counters:
                if (drawn.counter_set, counter) not in known:
                    named = f"{drawn.counter_set}/{counter}"
                    return Reason.COUNTER_UNDEFINED.format(name=placed.device.name, counter=named)
    return ""


def _repeated(names: Iterable[str]) -> str:
    return next((name for name, count in Counter(names).items() if count > 1), "")
