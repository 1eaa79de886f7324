"""Where claims would go, and what stopped them: different answers kept apart."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from inventory.dra.simulator.allocator import Attempt, Placement, Wanted
from inventory.dra.simulator.checks import Amounts
from inventory.dra.simulator.claims import Claim
from inventory.dra.simulator.groups import Group, Groups
from inventory.dra.simulator.node_pools import NodePool, PoolId
from inventory.dra.simulator.nodes import Node, UnknownLabelsError
from inventory.dra.simulator.pod_rules import Obstacle, PodRules
from inventory.dra.simulator.refusals import (
    CannotSimulateError,
    MissingClassError,
    RefusedError,
    SelectorRefusedError,
)
from inventory.dra.simulator.rejections import Check
from inventory.dra.simulator.selection import Selection
from inventory.dra.simulator.simulate import Answer, Cluster, simulate
from inventory.kube.quantity import Quantity

if TYPE_CHECKING:
    from inventory.dra.simulator.allocated import DeviceId

# With no more nodes than this the scheduler looks at every one (minFeasibleNodesToFind).
_LOOKS_AT_ALL = 100


class Verdict(StrEnum):
    FITS = "fits"
    # It would, on nodes that the Pod's own rules leave out.
    POD_RULES = "pod_rules"
    NO_ROOM = "no_room"
    # Devices that might do are in pools that are incomplete or invalid.
    POOLS = "pools"
    CLASS_MISSING = "class_missing"
    SELECTOR_ERROR = "selector_error"
    # The scheduler gives up with an error of another kind.
    REFUSED = "refused"
    # It has been allocated already.
    NOTHING_TO_PLACE = "nothing_to_place"
    CANNOT_SIMULATE = "cannot_simulate"


class RequestAnswer(msgspec.Struct, frozen=True):
    """A request, or an alternative of one, that could not be met. `found` is the most devices on one node.

    `asks` is what it asks of each device, as written.
    """

    claim: str
    request: str
    wanted: int
    found: int
    groups: tuple[Group, ...]
    asks: Mapping[str, Quantity]


class NodeFit(msgspec.Struct, frozen=True):
    """Where the claims would go on a node; `obstacle` keeps the Pod off it."""

    node: str
    placements: tuple[Placement, ...]
    obstacle: Obstacle | None = None


class UnusablePool(msgspec.Struct, frozen=True):
    pool: PoolId
    reason: str
    devices: int


class Excluded(msgspec.Struct, frozen=True):
    """Nodes that one of the Pod's own rules leaves out."""

    obstacle: Obstacle
    nodes: int


class Caveat(StrEnum):
    """What makes an answer less certain than it looks."""

    # Releases before 1.36: which of several devices is taken is chance.
    NO_ORDER = "no_order"
    # The Pod's own rules were not applied to nodes that cannot be read.
    NODES_UNREAD = "nodes_unread"
    # Nodes were not looked at, for want of time or because something of them is not understood.
    NODES_LEFT = "nodes_left"
    # A device that cannot be read was passed over; the scheduler may take it.
    DEVICES_UNREAD = "devices_unread"
    # Something of the cluster is not understood.
    CLUSTER = "cluster"
    # A kind that bears on the answer could not be read.
    KIND_UNREAD = "kind_unread"
    # A claim of the cluster is asked about anew: what it holds counts as free.
    REPLACED = "replaced"


class Doubt(msgspec.Struct, frozen=True):
    """`count` nodes or devices, where it is about these; `detail` in words."""

    caveat: Caveat
    count: int = 0
    detail: str = ""


class Explanation(msgspec.Struct, frozen=True):
    """`message` is the scheduler's own where it gives up, or what stands in our way; `device` where it does.

    `nodes` and `devices` are those that were looked at. `doubts` make the answer less certain.
    """

    verdict: Verdict
    message: str = ""
    device: str = ""
    fits: tuple[NodeFit, ...] = ()
    elsewhere: tuple[NodeFit, ...] = ()
    requests: tuple[RequestAnswer, ...] = ()
    pools: tuple[UnusablePool, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    nodes: int = 0
    devices: int = 0
    doubts: tuple[Doubt, ...] = ()


def explain(
    cluster: Cluster,
    claims: Sequence[Claim],
    rules: PodRules | None = None,
    budget: Callable[[], bool] = lambda: True,
) -> Explanation:
    """Where the claims of one Pod would go, or what stopped them. `rules` None: no Pod is known."""
    if not claims:
        return Explanation(Verdict.NOTHING_TO_PLACE)
    selection = Selection(cluster.classes, cluster.matches)
    try:
        for claim in claims:
            for alternatives in claim.requests:
                for request in alternatives:
                    selection.of(claim, request)
    except MissingClassError as error:
        return Explanation(Verdict.CLASS_MISSING, str(error))
    except CannotSimulateError as error:
        return Explanation(Verdict.CANNOT_SIMULATE, str(error))
    if not cluster.nodes:
        return Explanation(Verdict.CANNOT_SIMULATE, "no node of the cluster is known")
    gathered = _Gathered(cluster, claims, rules, selection, budget)
    for answer in simulate(cluster, claims, gathered.nodes, selection, budget):
        gathered.add(answer)
    return gathered.explanation()


class _Gathered:
    """The answers of all nodes, gathered as they come: what each device was passed over for is much."""

    def __init__(
        self,
        cluster: Cluster,
        claims: Sequence[Claim],
        rules: PodRules | None,
        selection: Selection,
        budget: Callable[[], bool],
    ) -> None:
        self._cluster, self._claims, self._selection, self._budget = cluster, claims, selection, budget
        self._amounts = Amounts(cluster.allocated, cluster.rules)
        self._obstacles: dict[str, Obstacle] = {}
        # Nodes of which it cannot be told whether the Pod may go there.
        self._unknown: dict[str, UnknownLabelsError] = {}
        self._unread = 0
        self.nodes = self._in_order(rules)
        self._fits: list[NodeFit] = []
        self._elsewhere: list[NodeFit] = []
        self._refused: RefusedError | None = None
        self._doubts: list[tuple[int, CannotSimulateError]] = []
        self._error = ""
        self._passed_over: set[DeviceId] = set()
        self._groups: dict[Wanted, Groups] = {}
        self._found: defaultdict[Wanted, int] = defaultdict(int)
        self._wanted: defaultdict[Wanted, int] = defaultdict(int)
        self._pools: dict[PoolId, UnusablePool] = {}
        self._seen_pools: set[int] = set()
        self._looked_at = 0
        self._devices: set[DeviceId] = set()

    def _in_order(self, rules: PodRules | None) -> list[Node]:
        """Nodes that the Pod may go to come first: there may be no time for the others."""
        for name, node in self._cluster.nodes.items():
            if rules is None or not self._budget():
                break
            try:
                obstacle = rules.obstacle(node)
            except UnknownLabelsError as error:
                if rules.ask_for_labels:
                    self._unknown[name] = error
                else:
                    self._unread += 1
                continue
            if obstacle is not None:
                self._obstacles[name] = obstacle
        barred = self._obstacles.keys() | self._unknown.keys()
        return sorted(self._cluster.nodes.values(), key=lambda node: (node.name in barred, node.name))

    def add(self, answer: Answer) -> None:
        nodes = [node for node in answer.nodes if node.name not in self._unknown]
        for name in {node.name for node in answer.nodes} & self._unknown.keys():
            self._doubts.append((1, CannotSimulateError(str(self._unknown[name]))))
        allowed = [node for node in nodes if node.name not in self._obstacles]
        attempt = answer.attempt
        if attempt is not None and attempt.placements is not None:
            self._add_fits(nodes, attempt, attempt.placements)
        if not allowed:
            return
        if answer.refused is not None:
            self._refused = self._refused or answer.refused
        if answer.doubt is not None:
            self._doubts.append((len(allowed), answer.doubt))
            return
        self._looked_at += len(allowed)
        self._add_pools(answer.pools)
        if attempt is not None and attempt.placements is None:
            self._add_misses(answer.pools, len(allowed), attempt)

    def _add_fits(self, nodes: Iterable[Node], attempt: Attempt, placements: tuple[Placement, ...]) -> None:
        for node in nodes:
            obstacle = self._obstacles.get(node.name)
            (self._fits if obstacle is None else self._elsewhere).append(
                NodeFit(node.name, placements, obstacle)
            )
        self._passed_over.update(
            device
            for trial in attempt.trials.values()
            for device, rejection in trial.rejections.items()
            if rejection.check is Check.UNKNOWN
        )

    def _add_pools(self, pools: Iterable[NodePool]) -> None:
        for pool in pools:
            # Many nodes see the same one.
            if id(pool) in self._seen_pools:
                continue
            self._seen_pools.add(id(pool))
            self._devices.update(one.id for one in pool.candidates)
            if not pool.usable and pool.id not in self._pools:
                reason = pool.incomplete or pool.invalid or pool.replaced
                self._pools[pool.id] = UnusablePool(pool.id, reason, len(pool.candidates))

    def _add_misses(self, pools: Sequence[NodePool], nodes: int, attempt: Attempt) -> None:
        """Of the request that was in the way, and of each of its alternatives."""
        self._error = self._error or attempt.error
        for wanted, trial in attempt.trials.items():
            if wanted[:2] != attempt.reached:
                continue
            self._found[wanted] = max(self._found[wanted], trial.found)
            self._wanted[wanted] = max(self._wanted[wanted], trial.wanted)
            # Once it is known to fit somewhere, nobody asks.
            if not self._fits and self._budget():
                self._of(wanted).add(pools, nodes, trial)

    def _of(self, wanted: Wanted) -> Groups:
        if wanted not in self._groups:
            claim = self._claims[wanted[0]]
            self._groups[wanted] = Groups(
                claim, self._cluster.allocated, self._selection, self._amounts, self._budget
            )
        return self._groups[wanted]

    def explanation(self) -> Explanation:
        requests = () if self._fits else tuple(self._requests())
        verdict, message = self._verdict(requests)
        device = self._refused.device if isinstance(self._refused, SelectorRefusedError) else ""
        return Explanation(
            verdict=verdict,
            message=message,
            device=device if message == str(self._refused) else "",
            fits=tuple(self._fits) if verdict is Verdict.FITS or self._may_be_missed else (),
            elsewhere=() if self._refused is not None else tuple(self._elsewhere),
            requests=() if verdict in (Verdict.SELECTOR_ERROR, Verdict.REFUSED) else requests,
            pools=tuple(self._pools[pool] for pool in sorted(self._pools)),
            excluded=tuple(self._excluded()),
            nodes=self._looked_at,
            devices=len(self._devices),
            doubts=tuple(self._told_doubts(verdict)),
        )

    @property
    def _may_be_missed(self) -> bool:
        """Of many nodes the scheduler looks only at as many as it needs, and may never meet the error."""
        return len(self._cluster.nodes) > _LOOKS_AT_ALL

    def _verdict(self, requests: Sequence[RequestAnswer]) -> tuple[Verdict, str]:
        if self._refused is not None:
            of_selector = isinstance(self._refused, SelectorRefusedError)
            return (Verdict.SELECTOR_ERROR if of_selector else Verdict.REFUSED), str(self._refused)
        if self._fits:
            return Verdict.FITS, ""
        if self._doubts:
            return Verdict.CANNOT_SIMULATE, str(self._doubts[0][1])
        groups = [group for request in requests for group in request.groups]
        if unread := [group for group in groups if group.check is Check.UNKNOWN]:
            return Verdict.CANNOT_SIMULATE, f"{unread[0].examples[0]}: {unread[0].detail}"
        if self._elsewhere:
            return Verdict.POD_RULES, ""
        # The scheduler mentions invalid pools of whatever driver where a claim cannot be met.
        might_do = any(group.check is Check.POOL and group.selected for group in groups)
        return (Verdict.POOLS if might_do else Verdict.NO_ROOM), self._error

    def _requests(self) -> Iterator[RequestAnswer]:
        for wanted in sorted(self._groups, key=lambda wanted: (-wanted[0], -wanted[1], wanted[2])):
            claim = self._claims[wanted[0]]
            request = claim.requests[wanted[1]][wanted[2]]
            yield RequestAnswer(
                claim=str(claim),
                request=request.result_name,
                wanted=self._wanted[wanted],
                found=self._found[wanted],
                groups=self._groups[wanted].sorted(),
                asks=request.capacity,
            )

    def _excluded(self) -> Iterator[Excluded]:
        counted: defaultdict[Obstacle, int] = defaultdict(int)
        for obstacle in self._obstacles.values():
            counted[obstacle] += 1
        for obstacle, nodes in sorted(
            counted.items(), key=lambda item: (-item[1], item[0].rule, item[0].detail)
        ):
            yield Excluded(obstacle, nodes)

    def _told_doubts(self, verdict: Verdict) -> Iterator[Doubt]:
        if verdict is Verdict.FITS:
            if not self._cluster.rules.in_order:
                yield Doubt(Caveat.NO_ORDER)
            if self._passed_over:
                yield Doubt(Caveat.DEVICES_UNREAD, len(self._passed_over), str(min(self._passed_over)))
            if self._doubts:
                nodes = sum(count for count, _ in self._doubts)
                yield Doubt(Caveat.NODES_LEFT, nodes, str(self._doubts[0][1]))
        if self._unread:
            yield Doubt(Caveat.NODES_UNREAD, self._unread)
        yield from (Doubt(Caveat.CLUSTER, detail=text) for text in self._cluster.caveats)
