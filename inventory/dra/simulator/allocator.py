"""Where the scheduler would place claims on one node, or what stopped it on every device.

The search of the structured allocator of Kubernetes 1.36 (structured/internal/incubating/
allocator_incubating.go): claims, requests and devices in order, each device tried in turn, back at the first
that leads nowhere; the first full solution wins. Comments name what would look like a mistake and is not.
"""

from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TypeVar

import msgspec

from inventory.dra.simulator.allocated import Allocated, DeviceId
from inventory.dra.simulator.candidates import Candidate
from inventory.dra.simulator.checks import Amounts, untolerated
from inventory.dra.simulator.claims import MOST_RESULTS, Claim, Request
from inventory.dra.simulator.constraints import attribute, constraints
from inventory.dra.simulator.counting import Counting
from inventory.dra.simulator.node_pools import NodePool
from inventory.dra.simulator.nodes import Node
from inventory.dra.simulator.refusals import RefusedError, TooLongError
from inventory.dra.simulator.rejections import Check, Rejection
from inventory.dra.simulator.rules import Rules
from inventory.dra.simulator.selection import Selection
from inventory.kube.claim_spec import Toleration
from inventory.kube.quantity import Quantity

ResultT = TypeVar("ResultT")
# A step of the search: what it asks for is run first, and its answer handed back in.
Step = Generator["Step[bool]", bool, ResultT]


class _TooManyResultsError(Exception):
    """More results than one claim may have."""


class Placement(msgspec.Struct, frozen=True):
    """One result of an allocation. `consumed` is None for a device that is not shared."""

    claim: int
    request: str
    candidate: Candidate
    admin_access: bool
    shared: bool
    consumed: Mapping[str, Quantity] | None
    tolerations: tuple[Toleration, ...] = ()


class Slot(msgspec.Struct, frozen=True):
    """A device that is looked for: which of the claim's request, and of its alternatives."""

    claim: int
    request: int = 0
    alternative: int = 0
    device: int = 0


# Of one request or alternative: claim, request, alternative.
Wanted = tuple[int, int, int]


class Trial(msgspec.Struct, frozen=True):
    """How far the search went for one request.

    `found` is the most devices that it had; `rejections` are of the first time that each device was tried.
    """

    request: Request
    found: int
    wanted: int
    rejections: Mapping[DeviceId, Rejection]


class Attempt(msgspec.Struct, frozen=True):
    """`placements` is None where there is no solution; then `reached` says which request was in the way."""

    placements: tuple[Placement, ...] | None
    trials: Mapping[Wanted, Trial]
    reached: tuple[int, int]
    # Pools that are invalid are told only where the claim cannot be met without them.
    error: str = ""


class Allocator:
    """One attempt to place claims on one node."""

    def __init__(
        self,
        node: Node,
        pools: Sequence[NodePool],
        claims: Sequence[Claim],
        allocated: Allocated,
        selection: Selection,
        counting: Counting,
        amounts: Amounts,
        rules: Rules,
        budget: Callable[[], bool] = lambda: True,
    ) -> None:
        """`budget` is asked now and then; once it says no, the attempt ends with TooLongError."""
        self._node, self._pools, self._claims = node, pools, claims
        self._allocated, self._selection, self._rules = allocated, selection, rules
        self._counters, self._amounts = counting.attempt(), amounts
        self._budget = budget
        # Of devices that draw on counters.
        self._pool_of = {
            one.id: pool for pool in pools if pool.usable for one in pool.candidates if one.counters
        }
        self._candidates = [one for pool in pools if pool.usable for one in pool.candidates]
        self._constraints = [
            constraints(claim.constraints, last_of_request=rules.distinct_from_last_of_request)
            for claim in claims
        ]
        self._all_devices: dict[Wanted, list[Candidate]] = {}
        self._counts: dict[Wanted, int] = {}
        # Devices that this attempt gives away whole, by the claims that it gives them to.
        self._taking: defaultdict[DeviceId, set[int]] = defaultdict(set)
        self._consuming: dict[DeviceId, dict[str, Quantity]] = {}
        self._placed: list[list[Placement]] = [[] for _ in claims]
        # Whether each of these has taken counters.
        self._charged: list[list[bool]] = [[] for _ in claims]
        self._first: defaultdict[Wanted, dict[DeviceId, Rejection]] = defaultdict(dict)
        self._most: dict[Wanted, int] = {}
        self._reached = (0, 0)

    def run(self) -> Attempt:
        """Raises RefusedError, and CannotSimulateError with TooLongError."""
        for index, claim in enumerate(self._claims):
            self._prepare(index, claim)
        try:
            done = _run(self._place(Slot(0)))
        except _TooManyResultsError as error:
            raise RefusedError("allocation max size exceeded") from error
        trials = {wanted: self._trial(wanted) for wanted in self._most}
        if done:
            found = tuple(one for of_claim in self._placed for one in of_claim)
            return Attempt(found, trials, self._reached)
        invalid = any(pool.invalid for pool in self._pools)
        told = "invalid resource pools were encountered" if invalid else ""
        return Attempt(None, trials, self._reached, told)

    def _trial(self, wanted: Wanted) -> Trial:
        request = self._claims[wanted[0]].requests[wanted[1]][wanted[2]]
        return Trial(request, self._most[wanted], self._counts[wanted], self._first[wanted])

    def _prepare(self, index: int, claim: Claim) -> None:
        """How many devices each request needs; all of a request for all are known beforehand."""
        least = 0
        for position, alternatives in enumerate(claim.requests):
            counts = []
            for alternative, request in enumerate(alternatives):
                wanted = (index, position, alternative)
                self._refuse_what_is_off(claim, request)
                self._selection.of(claim, request)
                if request.everything:
                    self._all_devices[wanted] = self._all(claim, wanted, request)
                counts.append(len(self._all_devices[wanted]) if request.everything else request.count)
                self._counts[wanted] = counts[-1]
            least += min(counts)
        if least > MOST_RESULTS:
            raise RefusedError(
                f"claim {claim}: number of requested devices {least} "
                f"exceeds the claim limit of {MOST_RESULTS}"
            )

    def _refuse_what_is_off(self, claim: Claim, request: Request) -> None:
        if request.capacity and not self._rules.consumable_capacity:
            raise RefusedError(
                f"claim {claim}, request {request.name}: has capacity requests, "
                "but the DRAConsumableCapacity feature is disabled"
            )

    def _all(self, claim: Claim, wanted: Wanted, request: Request) -> list[Candidate]:
        found = []
        for pool in self._pools:
            # The scheduler has left out the pool already.
            if pool.replaced:
                continue
            if pool.incomplete or pool.invalid:
                state = "currently being updated" if pool.incomplete else "currently invalid"
                raise RefusedError(
                    f"claim {claim}, request {request.name}: asks for all devices, "
                    f"but resource pool {pool.id} is {state}"
                )
            for one in pool.candidates:
                self._within_bounds()
                rejection = self._unselected(claim, request, one) or self._short(request, one)
                if rejection is None:
                    found.append(one)
                else:
                    self._reject(wanted, one, rejection)
        return found

    def _place(self, slot: Slot, *, chosen: bool = False, start: int = 0) -> Step[bool]:
        """Place what is left from here on. `chosen`: the alternative of a `firstAvailable` is settled."""
        self._within_bounds()
        if slot.claim >= len(self._claims):
            return True
        claim = self._claims[slot.claim]
        if slot.request >= len(claim.requests):
            try:
                return (yield self._place(Slot(slot.claim + 1)))
            except _TooManyResultsError:
                # Other devices for this claim may leave the next one another alternative.
                return False
        self._reached = max(self._reached, (slot.claim, slot.request))
        alternatives = claim.requests[slot.request]
        if not chosen and alternatives[0].parent:
            return (yield self._first_available(slot, len(alternatives)))
        wanted = (slot.claim, slot.request, slot.alternative)
        request, count = alternatives[slot.alternative], self._counts[wanted]
        self._most[wanted] = max(self._most.get(wanted, 0), slot.device)
        if request.everything and not count:
            return False
        if slot.device >= count:
            return (yield self._place(Slot(slot.claim, slot.request + 1)))
        if len(self._placed[slot.claim]) + count - slot.device > MOST_RESULTS:
            raise _TooManyResultsError
        if request.everything:
            return (yield self._place_next_of_all(slot, request, self._all_devices[wanted][slot.device]))
        return (yield self._place_any(slot, request, start))

    def _within_bounds(self) -> None:
        if not self._budget():
            raise TooLongError("the search for devices was not finished within its time")

    def _first_available(self, slot: Slot, alternatives: int) -> Step[bool]:
        only_too_many = True
        for alternative in range(alternatives):
            try:
                done = yield self._place(Slot(slot.claim, slot.request, alternative), chosen=True)
            except _TooManyResultsError:
                continue
            if done:
                return True
            only_too_many = False
        if only_too_many:
            raise _TooManyResultsError
        return False

    def _place_next_of_all(self, slot: Slot, request: Request, candidate: Candidate) -> Step[bool]:
        rejection = self._take(slot, request, candidate)
        if rejection is not None:
            self._reject((slot.claim, slot.request, slot.alternative), candidate, rejection)
            if rejection.check is Check.CONSTRAINT:
                raise RefusedError(
                    f"claim {self._claims[slot.claim]}, request {request.name}: cannot add device "
                    f"{candidate.id} because a claim constraint would not be satisfied"
                )
            return False
        return (yield self._go_on(slot, request, candidate, 0))

    def _place_any(self, slot: Slot, request: Request, start: int) -> Step[bool]:
        claim, wanted = self._claims[slot.claim], (slot.claim, slot.request, slot.alternative)
        for position in range(start, len(self._candidates)):
            self._within_bounds()
            candidate = self._candidates[position]
            rejection = (
                self._in_use(slot.claim, request, candidate)
                or self._unselected(claim, request, candidate)
                or self._short(request, candidate)
                or self._take(slot, request, candidate)
            )
            if rejection is not None:
                self._reject(wanted, candidate, rejection)
                continue
            if (yield self._go_on(slot, request, candidate, position + 1)):
                return True
        return False

    def _go_on(self, slot: Slot, request: Request, candidate: Candidate, start: int) -> Step[bool]:
        """Place the next device of the request, and give this one back if that leads nowhere."""
        done = False
        try:
            following = Slot(slot.claim, slot.request, slot.alternative, slot.device + 1)
            done = yield self._place(following, chosen=bool(request.parent), start=start)
        finally:
            if not done:
                self._give_back(slot.claim, request, candidate)
        return done

    def _reject(self, wanted: Wanted, candidate: Candidate, rejection: Rejection) -> None:
        self._first[wanted].setdefault(candidate.id, rejection)

    # The checks, in the order of the scheduler.

    def _in_use(self, claim: int, request: Request, candidate: Candidate) -> Rejection | None:
        device = candidate.id
        if request.admin_access:
            return _TAKEN if claim in self._taking.get(device, ()) else None
        if device in self._allocated.dedicated:
            return _HELD
        return _TAKEN if self._taking.get(device) else None

    def _unselected(self, claim: Claim, request: Request, candidate: Candidate) -> Rejection | None:
        if candidate.device.binding_conditions and not self._rules.binding_conditions:
            return _NO_BINDING
        rejection = self._selection.rejection(claim, request, candidate)
        if rejection is None and candidate.place is not None and not candidate.place.takes(self._node):
            return _OTHER_NODE
        return rejection

    def _short(self, request: Request, candidate: Candidate) -> Rejection | None:
        return self._amounts.short(request, candidate, self._consuming.get(candidate.id))

    def _take(self, slot: Slot, request: Request, candidate: Candidate) -> Rejection | None:
        """Give the device to the request, as far as this attempt goes; or why not."""
        shared = candidate.shareable and self._rules.consumable_capacity
        used = None if shared and request.admin_access else self._in_use(slot.claim, request, candidate)
        if used is not None:
            return used
        charges = self._charges(candidate, shared=shared)
        rejection = self._charge(candidate) if charges else None
        if rejection is not None:
            return rejection
        rejection = untolerated(request, candidate) if self._rules.device_taints else None
        added = 0
        if rejection is None:
            rejection, added = self._bind(slot.claim, request, candidate)
        if rejection is None and (rejection := self._short(request, candidate)) is not None:
            # Shared only: an earlier device of this attempt has taken from it. Upstream forgets to loosen
            # the constraints here.
            added = 0 if self._rules.given_up_keep_counters else added
        if rejection is not None:
            for constraint in self._constraints[slot.claim][:added]:
                constraint.remove(request)
            if charges and not self._rules.given_up_keep_counters:
                self._discharge(candidate)
            return rejection
        self._record(slot.claim, request, candidate, shared=shared, charged=charges)
        return None

    def _charges(self, candidate: Candidate, *, shared: bool) -> bool:
        """Whether it takes counters: once, however many shares it has."""
        if not candidate.counters:
            return False
        return not (shared and (candidate.id in self._allocated.consumed or candidate.id in self._consuming))

    def _charge(self, candidate: Candidate) -> Rejection | None:
        if not self._rules.partitionable_devices:
            return _NO_PARTITIONS
        return self._counters.charge(self._pool_of[candidate.id], candidate)

    def _bind(self, claim: int, request: Request, candidate: Candidate) -> tuple[Rejection | None, int]:
        """Take the device into the claim's constraints; how many took it."""
        added = 0
        for constraint in self._constraints[claim]:
            name = constraint.constraint.attribute
            value = attribute(candidate.device.attributes or {}, candidate.id.driver, name)
            if refusal := constraint.add(request, value):
                return Rejection(Check.CONSTRAINT, name, detail=refusal), added
            added += 1
        return None, added

    def _record(
        self, claim: int, request: Request, candidate: Candidate, *, shared: bool, charged: bool
    ) -> None:
        consumed = None
        if shared:
            consumed = self._amounts.consumed(request, candidate)
            _add(self._consuming.setdefault(candidate.id, {}), consumed)
        else:
            self._taking[candidate.id].add(claim)
        self._placed[claim].append(
            Placement(
                claim=claim,
                request=request.result_name,
                candidate=candidate,
                admin_access=request.admin_access,
                shared=shared,
                consumed=consumed or None,
                tolerations=request.tolerations,
            )
        )
        self._charged[claim].append(charged)

    def _give_back(self, claim: int, request: Request, candidate: Candidate) -> None:
        placement, charged = self._placed[claim].pop(), self._charged[claim].pop()
        for constraint in self._constraints[claim]:
            constraint.remove(request)
        if not placement.shared:
            self._taking[candidate.id].discard(claim)
        elif placement.consumed is not None:
            self._subtract(candidate.id, placement.consumed)
        # Upstream keeps the counters of a device that is shared.
        if charged and not (placement.shared and self._rules.given_up_keep_counters):
            self._discharge(candidate)

    def _subtract(self, device: DeviceId, consumed: Mapping[str, Quantity]) -> None:
        so_far = self._consuming[device]
        for name, amount in consumed.items():
            so_far[name] = so_far[name] - amount
        if not any(so_far.values()):
            del self._consuming[device]

    def _discharge(self, candidate: Candidate) -> None:
        self._counters.discharge(self._pool_of[candidate.id], candidate)


_HELD = Rejection(Check.HELD)
_TAKEN = Rejection(Check.TAKEN)
_OTHER_NODE = Rejection(Check.NODE)
_NO_BINDING = Rejection(Check.FEATURE, "DRADeviceBindingConditions")
_NO_PARTITIONS = Rejection(Check.FEATURE, "DRAPartitionableDevices")


def _add(so_far: dict[str, Quantity], further: Mapping[str, Quantity]) -> None:
    for name, amount in further.items():
        so_far[name] = amount + so_far[name] if name in so_far else amount


def _run(step: Step[bool]) -> bool:
    """Run a step and all that it asks for. The search may go deeper than Python lets functions call."""
    stack, answer, error = [step], False, None
    started = False
    while stack:
        try:
            if error is not None:
                asked = stack[-1].throw(error)
            elif started:
                asked = stack[-1].send(answer)
            else:
                asked = next(stack[-1])
        except StopIteration as stop:
            stack.pop()
            answer, error, started = stop.value, None, True
        except Exception as raised:
            stack.pop()
            error, started = raised, True
        else:
            stack.append(asked)
            error, started = None, False
    if error is not None:
        raise error
    return answer
