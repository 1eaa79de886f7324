"""What stopped a claim, told so that thousands of devices read as a few lines: the nearest misses first."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

import msgspec

from inventory.dra.simulator.allocated import DeviceId
from inventory.dra.simulator.allocator import Placement, Trial, Wanted
from inventory.dra.simulator.candidates import Candidate
from inventory.dra.simulator.claims import Claim
from inventory.dra.simulator.node_pools import NodePool, PoolId
from inventory.dra.simulator.nodes import Node, NodeSelectorError, UnknownLabelsError
from inventory.dra.simulator.pod_rules import Obstacle, PodRules
from inventory.dra.simulator.refusals import (
    CannotSimulateError,
    MissingClassError,
    SelectorRefusedError,
)
from inventory.dra.simulator.rejections import Check, Rejection
from inventory.dra.simulator.selection import Selection
from inventory.dra.simulator.simulate import Answer, Cluster, simulate
from inventory.kube.quantity import Quantity

_EXAMPLES = 3
# Of one selector: what is told apart by the values that it read.
_VALUES = 4


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


class Group(msgspec.Struct, frozen=True):
    """Devices that failed the same check for the same reason.

    `left` is the most that one of them has. Of a selector, `subject` is the expression, `detail` whose it
    is, and `values` what it read of these devices. `selected` is false of devices that are held, or whose
    pool cannot be used, and that the selectors do not want either.
    """

    check: Check
    devices: int
    nodes: int
    subject: str = ""
    need: Quantity | None = None
    left: Quantity | None = None
    detail: str = ""
    values: str = ""
    selected: bool = True
    examples: tuple[DeviceId, ...] = ()

    @property
    def nearness(self) -> tuple[int, Fraction, int]:
        """Smaller is nearer: by check, then by how much of the need is there, then the most devices."""
        rank = _RANK[self.check] if self.selected else len(_RANK)
        part = Fraction(0)
        if self.need is not None and self.left is not None and self.need:
            part = Fraction(self.left.nanos, self.need.nanos)
        return rank, -part, -self.devices


_NEAREST = (
    Check.CONSTRAINT,
    Check.TAINT,
    Check.CAPACITY,
    Check.COUNTER,
    Check.POLICY,
    Check.UNKNOWN,
    Check.POOL,
    Check.TAKEN,
    Check.HELD,
    Check.DIMENSION,
    Check.NODE,
    Check.FEATURE,
    Check.SELECTOR,
)
_RANK: Mapping[Check, int] = {check: rank for rank, check in enumerate(_NEAREST)}


class RequestAnswer(msgspec.Struct, frozen=True):
    """A request, or an alternative of one, that could not be met. `found` is the most devices on one node."""

    claim: str
    request: str
    wanted: int
    found: int
    groups: tuple[Group, ...]


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


class Explanation(msgspec.Struct, frozen=True):
    """`message` is the scheduler's own where it gives up, or what stands in our way."""

    verdict: Verdict
    message: str = ""
    fits: tuple[NodeFit, ...] = ()
    elsewhere: tuple[NodeFit, ...] = ()
    requests: tuple[RequestAnswer, ...] = ()
    pools: tuple[UnusablePool, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    nodes: int = 0
    devices: int = 0


class _Judged(NamedTuple):
    """An answer with the nodes that the Pod may go to, and those that it may not."""

    answer: Answer
    allowed: tuple[Node, ...]
    barred: tuple[tuple[Node, Obstacle], ...]


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
        judged = [_judge(one, rules) for one in simulate(cluster, claims, selection, budget)]
    except MissingClassError as error:
        return Explanation(Verdict.CLASS_MISSING, str(error))
    except (UnknownLabelsError, NodeSelectorError, CannotSimulateError) as error:
        return Explanation(Verdict.CANNOT_SIMULATE, str(error))
    return _explanation(judged, claims, selection, budget)


def _judge(answer: Answer, rules: PodRules | None) -> _Judged:
    """Raises UnknownLabelsError and NodeSelectorError."""
    allowed, barred = [], []
    for node in answer.nodes:
        obstacle = rules.obstacle(node) if rules is not None else None
        if obstacle is None:
            allowed.append(node)
        else:
            barred.append((node, obstacle))
    return _Judged(answer, tuple(allowed), tuple(barred))


def _explanation(
    judged: Sequence[_Judged], claims: Sequence[Claim], selection: Selection, budget: Callable[[], bool]
) -> Explanation:
    allowed = [one for one in judged if one.allowed]
    fits = tuple(_fits(judged))
    elsewhere = tuple(_fits_elsewhere(judged))
    found = Explanation(
        verdict=Verdict.NO_ROOM,
        fits=fits,
        elsewhere=elsewhere,
        pools=tuple(_pools(allowed)),
        excluded=tuple(_excluded(judged)),
        nodes=sum(len(one.allowed) for one in allowed),
        devices=len({one.id for each in allowed for pool in each.answer.pools for one in pool.candidates}),
    )
    # The scheduler looks at many nodes at once and gives up at the first error, wherever else there is room.
    for one in allowed:
        if one.answer.refused is not None:
            return _refused(found, one.answer)
    for one in allowed:
        if one.answer.doubt is not None:
            doubt = str(one.answer.doubt)
            return msgspec.structs.replace(found, verdict=Verdict.CANNOT_SIMULATE, message=doubt, fits=())
    if fits:
        return msgspec.structs.replace(found, verdict=Verdict.FITS)
    requests = tuple(_requests(allowed, claims, selection, budget))
    # The scheduler mentions invalid pools of whatever driver where a claim cannot be met.
    errors = (one.answer.attempt.error for one in allowed if one.answer.attempt is not None)
    message = next(filter(None, errors), "")
    return msgspec.structs.replace(
        found, verdict=_verdict(found, requests, message), message=message, requests=requests
    )


def _refused(found: Explanation, answer: Answer) -> Explanation:
    of_selector = isinstance(answer.refused, SelectorRefusedError)
    verdict = Verdict.SELECTOR_ERROR if of_selector else Verdict.REFUSED
    # Where there would be room is beside the point then.
    return msgspec.structs.replace(found, verdict=verdict, message=str(answer.refused), fits=(), elsewhere=())


def _verdict(found: Explanation, requests: Iterable[RequestAnswer], error: str) -> Verdict:
    if found.elsewhere:
        return Verdict.POD_RULES
    groups = (group for request in requests for group in request.groups)
    might_do = any(group.check is Check.POOL and group.selected for group in groups)
    return Verdict.POOLS if error or might_do else Verdict.NO_ROOM


def _fits(judged: Iterable[_Judged]) -> Iterator[NodeFit]:
    for one in judged:
        attempt = one.answer.attempt
        if attempt is not None and attempt.placements is not None:
            yield from (NodeFit(node.name, attempt.placements) for node in one.allowed)


def _fits_elsewhere(judged: Iterable[_Judged]) -> Iterator[NodeFit]:
    for one in judged:
        attempt = one.answer.attempt
        if attempt is not None and attempt.placements is not None:
            yield from (NodeFit(node.name, attempt.placements, why) for node, why in one.barred)


def _excluded(judged: Iterable[_Judged]) -> Iterator[Excluded]:
    counted: defaultdict[Obstacle, int] = defaultdict(int)
    for one in judged:
        for _, obstacle in one.barred:
            counted[obstacle] += 1
    for obstacle, nodes in sorted(counted.items(), key=lambda item: (-item[1], item[0].rule, item[0].detail)):
        yield Excluded(obstacle, nodes)


def _pools(judged: Iterable[_Judged]) -> Iterator[UnusablePool]:
    told: dict[PoolId, UnusablePool] = {}
    for one in judged:
        for pool in one.answer.pools:
            if not pool.usable and pool.id not in told:
                reason = pool.incomplete or pool.invalid or pool.replaced
                told[pool.id] = UnusablePool(pool.id, reason, len(pool.candidates))
    yield from (told[pool] for pool in sorted(told))


def _requests(
    judged: Sequence[_Judged], claims: Sequence[Claim], selection: Selection, budget: Callable[[], bool]
) -> Iterator[RequestAnswer]:
    """Of every request that was in the way on some node, and of each of its alternatives."""
    in_the_way: defaultdict[Wanted, list[tuple[_Judged, Trial]]] = defaultdict(list)
    for one in judged:
        attempt = one.answer.attempt
        if attempt is None:
            continue
        for wanted, trial in attempt.trials.items():
            if wanted[:2] == attempt.reached:
                in_the_way[wanted].append((one, trial))
    for wanted in sorted(in_the_way, key=lambda wanted: (-wanted[0], -wanted[1], wanted[2])):
        tried = in_the_way[wanted]
        claim = claims[wanted[0]]
        request = claim.requests[wanted[1]][wanted[2]]
        groups = _Groups(claim, selection, budget)
        for one, trial in tried:
            groups.add(one, trial)
        yield RequestAnswer(
            claim=str(claim),
            request=request.result_name,
            wanted=max((trial.wanted for _, trial in tried), default=0),
            found=max((trial.found for _, trial in tried), default=0),
            groups=groups.sorted(),
        )


class _Group:
    """Devices of one group while they are counted."""

    __slots__ = ("devices", "examples", "left", "nodes", "rejection", "selected", "values")

    def __init__(self, rejection: Rejection, *, selected: bool = True, values: str = "") -> None:
        self.rejection, self.selected, self.values = rejection, selected, values
        self.devices, self.left = 0, rejection.left
        self.examples: list[DeviceId] = []
        self.nodes: set[int] = set()


class _Groups:
    """The rejections of one request, gathered over all nodes; each device counts once."""

    def __init__(self, claim: Claim, selection: Selection, budget: Callable[[], bool]) -> None:
        self._claim, self._selection, self._budget = claim, selection, budget
        self._groups: dict[tuple[object, ...], _Group] = {}
        self._counted: set[DeviceId] = set()
        self._node_counts: dict[int, int] = {}

    def add(self, judged: _Judged, trial: Trial) -> None:
        at = id(judged)
        self._node_counts[at] = len(judged.allowed)
        for pool in judged.answer.pools:
            if not pool.usable:
                self._add_pool(pool, trial, at)
                continue
            for candidate in pool.candidates:
                rejection = trial.rejections.get(candidate.id)
                if rejection is not None:
                    self._add(candidate, rejection, trial, at)

    def _add_pool(self, pool: NodePool, trial: Trial, at: int) -> None:
        reason = pool.incomplete or pool.invalid or pool.replaced
        rejection = Rejection(Check.POOL, str(pool.id), detail=reason)
        for candidate in pool.candidates:
            self._count(candidate.id, rejection, at, selected=self._is_selected(candidate, trial))

    def _add(self, candidate: Candidate, rejection: Rejection, trial: Trial, at: int) -> None:
        if rejection.check is Check.SELECTOR:
            values = self._selection.values_read(rejection.subject, candidate)
            self._count(candidate.id, rejection, at, values=values)
        elif rejection.check is Check.HELD:
            self._count(candidate.id, rejection, at, selected=self._is_selected(candidate, trial))
        else:
            self._count(candidate.id, rejection, at)

    def _is_selected(self, candidate: Candidate, trial: Trial) -> bool:
        """Whether the request wants a device that it cannot have: only then is it a near miss.

        True where it cannot be told, or there is no time left to.
        """
        if not self._budget():
            return True
        try:
            return self._selection.rejection(self._claim, trial.request, candidate) is None
        except (SelectorRefusedError, CannotSimulateError):
            return True

    def _count(
        self, device: DeviceId, rejection: Rejection, at: int, *, selected: bool = True, values: str = ""
    ) -> None:
        key = (*_kind(rejection), selected, values)
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = _Group(rejection, selected=selected, values=values)
        group.nodes.add(at)
        if device in self._counted:
            return
        self._counted.add(device)
        group.devices += 1
        if len(group.examples) < _EXAMPLES:
            group.examples.append(device)
        if rejection.left is not None and (group.left is None or rejection.left > group.left):
            group.left = rejection.left
            group.examples.insert(0, device)
            del group.examples[_EXAMPLES:]

    def sorted(self) -> tuple[Group, ...]:
        groups = [self._group(one) for one in self._merged() if one.devices]
        return tuple(sorted(groups, key=lambda group: group.nearness))

    def _group(self, one: _Group) -> Group:
        return Group(
            check=one.rejection.check,
            devices=one.devices,
            nodes=sum(self._node_counts[at] for at in one.nodes),
            subject=_subject(one.rejection),
            need=one.rejection.need,
            left=one.left,
            detail=one.rejection.detail,
            values=one.values,
            selected=one.selected,
            examples=tuple(dict.fromkeys(one.examples)),
        )

    def _merged(self) -> Iterator[_Group]:
        """A selector that reads something else of every device is told once, not once for each."""
        by_selector: defaultdict[str, list[_Group]] = defaultdict(list)
        for one in self._groups.values():
            if one.rejection.check is Check.SELECTOR:
                by_selector[one.rejection.subject].append(one)
            else:
                yield one
        for groups in by_selector.values():
            groups.sort(key=lambda one: -one.devices)
            kept = groups if len(groups) <= _VALUES else groups[: _VALUES - 1]
            yield from kept
            if rest := groups[len(kept) :]:
                yield _together(rest)


def _kind(rejection: Rejection) -> tuple[object, ...]:
    """What devices have in common that are told together."""
    detail = "" if rejection.check is Check.CONSTRAINT else rejection.detail
    return rejection.check, _subject(rejection), rejection.need, detail


def _subject(rejection: Rejection) -> str:
    """Cards have counter sets of their own, with counters of the same names."""
    subject = rejection.subject
    return subject.rpartition("/")[2] if rejection.check is Check.COUNTER else subject


def _together(groups: Sequence[_Group]) -> _Group:
    whole = _Group(groups[0].rejection)
    for one in groups:
        whole.devices += one.devices
        whole.nodes |= one.nodes
        whole.examples += one.examples[: _EXAMPLES - len(whole.examples)]
    return whole
