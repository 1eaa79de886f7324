"""Devices as the allocator tries them: read once from their slice, then only compared."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from inventory.dra.cel.subjects import Subject, subject
from inventory.dra.simulator.allocated import DeviceId
from inventory.dra.simulator.capacity import Dimension, dimension
from inventory.dra.simulator.nodes import Place
from inventory.dra.taints import Rule as TaintRule
from inventory.kube.objects import CounterConsumption, CounterSet, Device, ResourceSlice, Taint
from inventory.kube.quantity import QuantityError, parse

# Effects that keep a Pod off; any other is ignored (DeviceTaintEffect).
_PREVENTING = frozenset({"NoSchedule", "NoExecute"})

# Nanos by counter set and counter.
Counters = Mapping[str, Mapping[str, int]]


@dataclass(slots=True, eq=False, weakref_slot=True)
class Candidate:
    """`problem` says what of it cannot be read, and then it is never placed: unknown is no room.

    `lists`: whether the scheduler takes attributes that are lists (gate DRAListTypeAttributes).
    """

    id: DeviceId
    device: Device
    place: Place | None
    dimensions: Mapping[str, Dimension]
    counters: Counters
    taints: Sequence[Taint]
    problem: str
    lists: bool
    _subject: Subject | None = None

    @property
    def shareable(self) -> bool:
        return bool(self.device.allow_multiple_allocations)

    @property
    def subject(self) -> Subject:
        """What selectors see of it, prepared once."""
        if self._subject is None:
            self._subject = subject(self.id.driver, self.device, lists=self.lists)
        return self._subject


def candidates(one: ResourceSlice, rules: Sequence[TaintRule], *, lists: bool) -> tuple[Candidate, ...]:
    """The devices of a slice in its order, with the taints that administrators' rules add."""
    spec = one.spec
    return tuple(
        _candidate(
            DeviceId(spec.driver, spec.pool.name, device.name),
            device,
            Place.of(device) if spec.per_device_node_selection else None,
            rules,
            lists=lists,
        )
        for device in spec.devices or ()
    )


def _candidate(
    found: DeviceId, device: Device, place: Place | None, rules: Sequence[TaintRule], *, lists: bool
) -> Candidate:
    problem = ""
    dimensions: dict[str, Dimension] = {}
    counters: Counters = {}
    try:
        for name, published in (device.capacity or {}).items():
            dimensions[name] = dimension(published)
    except QuantityError as error:
        problem = str(error)
    try:
        # By themselves: a device that is held draws on its card, whatever else of it cannot be read.
        counters = drawn(device.consumes_counters or ())
    except QuantityError as error:
        problem = str(error)
    return Candidate(
        id=found,
        device=device,
        place=place,
        dimensions=dimensions,
        counters=counters,
        taints=_taints(found, device, rules),
        problem=problem,
        lists=lists,
    )


def _taints(found: DeviceId, device: Device, rules: Sequence[TaintRule]) -> Sequence[Taint]:
    published = [taint for taint in device.taints or () if taint.effect in _PREVENTING]
    added = [rule.taint for rule in rules if rule.selects(*found)]
    return (*published, *(_taint(one) for one in added if one.get("effect") in _PREVENTING))


def _taint(added: Mapping[str, object]) -> Taint:
    return Taint(*(str(added.get(name) or "") for name in ("key", "value", "effect")))


def drawn(consumptions: Iterable[CounterConsumption]) -> Counters:
    """Raises QuantityError."""
    return {
        one.counter_set: {name: parse(amount.value).nanos for name, amount in one.counters.items()}
        for one in consumptions
    }


def totals(counter_sets: Iterable[CounterSet]) -> Counters:
    """Raises QuantityError."""
    return {
        one.name: {name: parse(amount.value).nanos for name, amount in one.counters.items()}
        for one in counter_sets
    }
