"""The pools that one node sees (structured/internal/incubating/pools_incubating.go).

Not the pools of the cluster: a generation counts if the node sees it, whatever other nodes see.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from inventory.dra.simulator.candidates import Candidate, Counters, candidates, totals
from inventory.dra.simulator.nodes import (
    Node,
    NodeSelector,
    NodeSelectorError,
    Place,
    UnknownLabelsError,
)
from inventory.dra.simulator.rules import Rules
from inventory.dra.taints import Rule as TaintRule
from inventory.kube.objects import ResourceSlice
from inventory.kube.quantity import QuantityError


class PoolId(NamedTuple):
    driver: str
    name: str

    def __str__(self) -> str:
        return "/".join(self)


@dataclass(slots=True, eq=False)
class Published:
    """A slice, read once. `problem`: its counters cannot be read."""

    name: str
    pool: PoolId
    generation: int
    expected: int
    place: Place
    per_device: bool
    candidates: Sequence[Candidate]
    counter_sets: Sequence[str]
    totals: Counters
    problem: str
    # Of devices with places of their own: the positions of those on one node, and all others.
    on_node: Mapping[str, Sequence[int]]
    elsewhere: Sequence[Candidate]

    @property
    def has_counters(self) -> bool:
        return bool(self.counter_sets)

    def reaches(self, node: Node) -> bool:
        """Raises NodeSelectorError and UnknownLabelsError."""
        if self.has_counters:
            # Needed to use the pool from anywhere.
            return True
        if self.per_device and not self.place.is_given:
            return any(self._tried(node))
        return self.place.takes(node)

    def _tried(self, node: Node) -> Iterator[bool]:
        """Device by device, as far as the first that the node sees."""
        if node.name in self.on_node:
            yield True
        yield from (one.place.takes(node) for one in self.elsewhere if one.place is not None)

    def marks(self, node: Node) -> Iterator[int]:
        """What tells apart two nodes that both see a slice whose devices each have their own place."""
        yield from self.on_node.get(node.name, ())
        for position, one in enumerate(self.elsewhere):
            try:
                if one.place is not None and one.place.takes(node):
                    yield position
            except (NodeSelectorError, UnknownLabelsError):
                # The search may end before it comes to this one.
                yield -1 - position


def published(one: ResourceSlice, rules: Sequence[TaintRule] = (), *, lists: bool = False) -> Published:
    """`lists`: whether the scheduler takes attributes that are lists, which is off by default."""
    spec = one.spec
    counters: Counters = {}
    problem = ""
    try:
        counters = totals(spec.shared_counters or ())
    except QuantityError as error:
        problem = str(error)
    found = candidates(one, rules, lists=lists)
    on_node: defaultdict[str, list[int]] = defaultdict(list)
    for position, candidate in enumerate(found):
        if candidate.place is not None and candidate.place.node_name:
            on_node[candidate.place.node_name].append(position)
    return Published(
        name=one.metadata.name,
        pool=PoolId(spec.driver, spec.pool.name),
        generation=spec.pool.generation,
        expected=spec.pool.resource_slice_count,
        place=Place.of(spec),
        per_device=bool(spec.per_device_node_selection),
        candidates=found,
        counter_sets=[counter_set.name for counter_set in spec.shared_counters or ()],
        totals=counters,
        problem=problem,
        on_node=on_node,
        elsewhere=[each for each in found if each.place is not None and not each.place.node_name],
    )


class NodePool(msgspec.Struct, frozen=True):
    """A pool as a node sees it. Nothing is placed from one that is incomplete or invalid.

    `elsewhere` are its devices that this node does not see, but which may hold its counters.
    """

    id: PoolId
    candidates: tuple[Candidate, ...] = ()
    elsewhere: tuple[Candidate, ...] = ()
    totals: Counters = {}
    incomplete: str = ""
    invalid: str = ""
    # A newer generation is only published for other nodes: the scheduler leaves the pool out.
    replaced: str = ""
    # Some device has binding conditions.
    binds: bool = False

    @property
    def usable(self) -> bool:
        return not (self.incomplete or self.invalid or self.replaced)


class Slices:
    """The slices of a cluster, found by node, by label and by pool."""

    def __init__(self, slices: Iterable[Published]) -> None:
        self._on_node: defaultdict[str, list[Published]] = defaultdict(list)
        # By a label that a node must have, and its value: a slice for a rack is no matter to other racks.
        self._by_label: defaultdict[str, defaultdict[str, list[Published]]] = defaultdict(
            lambda: defaultdict(list)
        )
        self._anywhere: list[Published] = []
        self._of_pool: defaultdict[PoolId, list[Published]] = defaultdict(list)
        self._order: dict[int, int] = {}
        for position, one in enumerate(slices):
            self._order[id(one)] = position
            self._of_pool[one.pool].append(one)
            self._file(one)

    def _file(self, one: Published) -> None:
        if one.place.node_name:
            self._on_node[one.place.node_name].append(one)
            return
        selector = one.place.selector
        label = selector.label if isinstance(selector, NodeSelector) else None
        if label is None or one.has_counters or one.place.all_nodes:
            self._anywhere.append(one)
            return
        name, values = label
        for value in set(values):
            self._by_label[name][value].append(one)

    def seen_from(self, node: Node, rules: Rules) -> tuple[Published, ...]:
        """The slices that matter to a node. Raises NodeSelectorError and UnknownLabelsError."""
        near = [*self._on_node.get(node.name, ()), *self._anywhere, *self._labelled(node)]
        allowed = (one for one in near if rules.partitionable_devices or not _partitioned(one))
        return tuple(sorted((one for one in allowed if one.reaches(node)), key=self._position))

    def _labelled(self, node: Node) -> Iterator[Published]:
        if self._by_label and node.labels is None:
            name = next(iter(self._by_label))
            raise UnknownLabelsError(f"node {node.name} could not be read, and its label {name} is asked for")
        for name, by_value in self._by_label.items():
            yield from by_value.get((node.labels or {}).get(name, ""), ())

    def _position(self, one: Published) -> tuple[bool, int]:
        """Slices of the node itself come first, as upstream."""
        return not one.place.node_name, self._order[id(one)]

    def of_pool(self, pool: PoolId) -> Sequence[Published]:
        return self._of_pool[pool]

    @property
    def candidates(self) -> Iterable[Candidate]:
        for slices in self._of_pool.values():
            for one in slices:
                yield from one.candidates

    @property
    def node_names(self) -> Iterable[str]:
        """Nodes that a slice, or a device of one, names."""
        yield from self._on_node
        for slices in self._of_pool.values():
            for one in slices:
                yield from one.on_node


def _partitioned(one: Published) -> bool:
    return one.per_device or one.has_counters


class NodePools:
    """Puts pools together as nodes see them; nodes that see the same of a pool get the same one."""

    def __init__(self, slices: Slices, rules: Rules) -> None:
        self._slices, self._rules = slices, rules
        self._built: dict[tuple[int, ...], NodePool] = {}

    def of(self, seen: Sequence[Published]) -> tuple[NodePool, ...]:
        """The pools of these slices in the order in which the scheduler tries them.

        By driver and name, those with binding conditions last (since 1.36).
        """
        kept: dict[PoolId, list[Published]] = {}
        for one in seen:
            of_pool = kept.setdefault(one.pool, [])
            if of_pool and one.generation > of_pool[0].generation:
                of_pool.clear()
            if not of_pool or one.generation == of_pool[0].generation:
                of_pool.append(one)
        found = [self._pool(pool, of_pool) for pool, of_pool in kept.items()]
        return tuple(sorted(found, key=lambda pool: (pool.binds, pool.id)))

    def _pool(self, pool: PoolId, kept: Sequence[Published]) -> NodePool:
        key = tuple(map(id, kept))
        if key not in self._built:
            self._built[key] = _pool(pool, kept, self._slices, self._rules)
        return self._built[key]


def _pool(pool: PoolId, kept: Sequence[Published], slices: Slices, rules: Rules) -> NodePool:
    first = kept[0]
    everywhere: Sequence[Published] = kept
    if len(kept) != first.expected:
        all_of_pool = slices.of_pool(pool)
        newest = max(one.generation for one in all_of_pool)
        if newest > first.generation:
            told = f"generation {newest} is published for other nodes only"
            return NodePool(pool, _devices(kept), replaced=told)
        everywhere = [one for one in all_of_pool if one.generation == first.generation]
        if len(everywhere) != first.expected:
            seen = f"{len(everywhere)} of {first.expected} slices of generation {first.generation}"
            return NodePool(pool, _devices(kept), incomplete=f"{seen} are published")
    return _built(pool, kept, everywhere, rules)


def _built(
    pool: PoolId, kept: Sequence[Published], everywhere: Sequence[Published], rules: Rules
) -> NodePool:
    here = {one.name for one in kept}
    devices = _devices(kept)
    if fault := _twice("device name", (one.id.name for one in devices)):
        return NodePool(pool, devices, invalid=fault)
    binds = any(one.device.binding_conditions for one in devices)
    if not rules.partitionable_devices:
        # Counters mean nothing then; whatever draws on one is not allocated.
        return NodePool(pool, devices, binds=binds)
    others = _devices([one for one in everywhere if one.name not in here])
    counters = [one for one in kept if one.has_counters]
    totals = {name: values for one in counters for name, values in one.totals.items()}
    fault = (
        _twice("counter set", (name for one in counters for name in one.counter_sets))
        or next((one.problem for one in counters if one.problem), "")
        or _unknown_counter((*devices, *others), totals)
    )
    if fault:
        return NodePool(pool, devices, invalid=fault)
    return NodePool(pool, devices, others, totals, binds=binds)


def _devices(slices: Iterable[Published]) -> tuple[Candidate, ...]:
    by_name = sorted((one for one in slices if not one.has_counters), key=lambda one: one.name)
    return tuple(found for one in by_name for found in one.candidates)


def _twice(what: str, names: Iterable[str]) -> str:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return f"the {what} {name} is there twice"
        seen.add(name)
    return ""


def _unknown_counter(devices: Iterable[Candidate], totals: Mapping[str, Mapping[str, int]]) -> str:
    for one in devices:
        for counter_set, counters in one.counters.items():
            if counter_set not in totals:
                return f"{one.id.name} draws on the counter set {counter_set}, which no slice defines"
            for name in counters:
                if name not in totals[counter_set]:
                    return f"{one.id.name} draws on the counter {counter_set}/{name}, which no slice defines"
    return ""
