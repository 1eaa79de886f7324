"""Checks of one device that need no search: what is left of it, and its taints."""

from collections.abc import Mapping

from inventory.dra.simulator.allocated import Allocated
from inventory.dra.simulator.candidates import Candidate
from inventory.dra.simulator.capacity import Dimension, needed, violation
from inventory.dra.simulator.claims import Request
from inventory.dra.simulator.rejections import Check, Rejection
from inventory.dra.simulator.rules import Rules
from inventory.kube.claim_spec import Toleration
from inventory.kube.objects import Taint
from inventory.kube.quantity import Quantity

_UNREADABLE = Rejection(Check.UNKNOWN, detail="what its shares consume cannot be read")


class Amounts:
    """What requests take of devices, and whether that is left; for all nodes of one question."""

    def __init__(self, allocated: Allocated, rules: Rules) -> None:
        self._allocated, self._rules = allocated, rules
        # By the identity of request and dimension, which outlive the question.
        self._needs: dict[tuple[int, str, int], tuple[Quantity, str]] = {}

    def consumed(self, request: Request, candidate: Candidate) -> dict[str, Quantity]:
        """What a share for the request takes of each dimension that the device publishes."""
        return {name: self._needed(request, name, one)[0] for name, one in candidate.dimensions.items()}

    def short(
        self, request: Request, candidate: Candidate, consuming: Mapping[str, Quantity] | None = None
    ) -> Rejection | None:
        """Why it has not enough; `consuming` is what the attempt takes of it already."""
        if candidate.problem:
            return Rejection(Check.UNKNOWN, detail=candidate.problem)
        if not self._rules.consumable_capacity:
            return None
        for name in request.capacity:
            if name not in candidate.dimensions:
                return Rejection(Check.DIMENSION, name)
        if candidate.id in self._allocated.unreadable:
            return _UNREADABLE
        consumed = self._allocated.consumed.get(candidate.id)
        for name, dimension in candidate.dimensions.items():
            need, fault = self._needed(request, name, dimension)
            if fault:
                return Rejection(Check.POLICY, name, need, detail=fault)
            left = dimension.total
            if consumed and name in consumed:
                left = left - consumed[name]
            if consuming and name in consuming:
                left = left - consuming[name]
            if need > left:
                return Rejection(Check.CAPACITY, name, need, left)
        return None

    def _needed(self, request: Request, name: str, dimension: Dimension) -> tuple[Quantity, str]:
        """What the request takes and why the policy refuses that, once for all devices that are alike."""
        key = id(request), name, id(dimension)
        found = self._needs.get(key)
        if found is None:
            need = needed(dimension, request.capacity.get(name))
            found = self._needs[key] = need, violation(dimension, need)
        return found


def untolerated(request: Request, candidate: Candidate) -> Rejection | None:
    """The first taint that the request does not tolerate."""
    for taint in candidate.taints:
        if not any(_tolerates(toleration, taint) for toleration in request.tolerations):
            return Rejection(Check.TAINT, f"{taint.key}={taint.value}:{taint.effect}")
    return None


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    """k8s.io/dynamic-resource-allocation/resourceclaim, ToleratesTaint."""
    if toleration.effect not in ("", taint.effect) or toleration.key not in ("", taint.key):
        return False
    if toleration.operator in ("", "Equal"):
        return toleration.value == taint.value
    return toleration.operator == "Exists"
