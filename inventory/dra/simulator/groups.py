"""Many devices in few lines: those that failed the same check for the same reason, the nearest first."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

import msgspec

from inventory.dra.simulator.allocated import Allocated, DeviceId
from inventory.dra.simulator.allocator import Trial
from inventory.dra.simulator.candidates import Candidate
from inventory.dra.simulator.checks import Amounts, untolerated
from inventory.dra.simulator.claims import Claim
from inventory.dra.simulator.node_pools import NodePool
from inventory.dra.simulator.refusals import CannotSimulateError, SelectorRefusedError
from inventory.dra.simulator.rejections import Check, Rejection
from inventory.dra.simulator.selection import Selection
from inventory.kube.quantity import Quantity

_EXAMPLES = 3
# Of one selector: what is told apart by the values that it read.
_VALUES = 4


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


# Not the order of the checks: what a toleration or a smaller request would mend is nearer than what is held.
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


class _Group:
    """Devices of one group while they are counted."""

    __slots__ = ("devices", "examples", "left", "nodes", "rejection", "selected", "values")

    def __init__(self, rejection: Rejection, *, selected: bool = True, values: str = "") -> None:
        self.rejection, self.selected, self.values = rejection, selected, values
        self.devices = 0
        self.left: Quantity | None = None
        self.examples: list[DeviceId] = []
        self.nodes: set[int] = set()


class Groups:
    """The rejections of one request, gathered over all nodes; each device counts once."""

    def __init__(
        self,
        claim: Claim,
        allocated: Allocated,
        selection: Selection,
        amounts: Amounts,
        budget: Callable[[], bool],
    ) -> None:
        self._claim, self._allocated, self._selection = claim, allocated, selection
        self._amounts, self._budget = amounts, budget
        self._groups: dict[tuple[object, ...], _Group] = {}
        self._counted: set[DeviceId] = set()
        # Nodes of each time that something was added.
        self._nodes: list[int] = []

    def add(self, pools: Sequence[NodePool], nodes: int, trial: Trial) -> None:
        """What was found of the request on so many nodes that see these pools."""
        at = len(self._nodes)
        self._nodes.append(nodes)
        for pool in pools:
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
            might_do = self._is_selected(candidate, trial) and self._has_room(candidate, trial)
            self._count(candidate.id, rejection, at, selected=might_do)

    def _has_room(self, candidate: Candidate, trial: Trial) -> bool:
        """Whether the request could have it if only its pool could be used."""
        if candidate.id in self._allocated.dedicated and not trial.request.admin_access:
            return False
        short = self._amounts.short(trial.request, candidate)
        if short is not None and short.check is not Check.UNKNOWN:
            return False
        return untolerated(trial.request, candidate) is None

    def _add(self, candidate: Candidate, rejection: Rejection, trial: Trial, at: int) -> None:
        if rejection.check is Check.SELECTOR:
            values = self._selection.values_read(rejection.subject, candidate)
            self._count(candidate.id, rejection, at, values=values)
        elif rejection.check in (Check.HELD, Check.TAKEN):
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
            group.examples = list(dict.fromkeys((device, *group.examples)))[:_EXAMPLES]

    def sorted(self) -> tuple[Group, ...]:
        groups = [self._group(one) for one in self._merged() if one.devices]
        return tuple(sorted(groups, key=lambda group: group.nearness))

    def _group(self, one: _Group) -> Group:
        return Group(
            check=one.rejection.check,
            devices=one.devices,
            nodes=sum(self._nodes[at] for at in one.nodes),
            subject=_subject(one.rejection),
            need=one.rejection.need,
            left=one.left,
            detail=one.rejection.detail,
            values=one.values,
            selected=one.selected,
            examples=tuple(one.examples),
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
