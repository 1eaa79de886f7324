"""The books of one device, as kube-scheduler keeps them.

Every number that Sliceboard shows of a device comes from `books`. The rules are those of
pkg/scheduler/framework/plugins/dynamicresources (allocateddevices.go, dra_manager.go) and
k8s.io/dynamic-resource-allocation/structured: an allocation counts from the moment it stands in a claim's
status until it is gone from there, whatever else happens to the claim; admin access never counts;
a result with a share ID consumes what it says, one without takes the whole device.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction

import msgspec

from inventory.kube.quantity import Quantity
from inventory.reasons import Reason

ZERO = Quantity(0)


class State(StrEnum):
    FREE = "free"
    PARTLY_ALLOCATED = "partly_allocated"
    FULL = "full"
    DEDICATED = "dedicated"
    OVER_ALLOCATED = "over_allocated"
    UNAVAILABLE = "unavailable"
    NOT_PUBLISHED = "not_published"
    UNKNOWN = "unknown"


class Total(msgspec.Struct, frozen=True):
    """What a device publishes in one dimension; where it cannot be read, `problem` says why."""

    quantity: Quantity | None
    problem: str = ""


class Use(msgspec.Struct, frozen=True):
    """One allocation result that names the device.

    `consumed` is None where the result says nothing; a dimension in it is None where it cannot be read.
    """

    dedicated: bool
    admin_access: bool = False
    consumed: Mapping[str, Quantity | None] | None = None


class Balance(msgspec.Struct, frozen=True):
    """One dimension. None means not known, and then `reason` says why."""

    dimension: str
    total: Quantity | None
    allocated: Quantity | None
    remaining: Quantity | None
    reason: str = ""

    @property
    def over(self) -> Quantity:
        """How much more is allocated than there is; zero where that is not known."""
        if self.total is None or self.allocated is None:
            return ZERO
        return max(ZERO, self.allocated - self.total)

    @property
    def use(self) -> Fraction | None:
        """Allocated over total, None where not known or where there is nothing to allocate."""
        if self.total is None or self.allocated is None or not self.total:
            return None
        return Fraction(self.allocated.nanos, self.total.nanos)


class Books(msgspec.Struct, frozen=True):
    """All that is known of a device's use. `reason` explains a state that needs it."""

    balances: tuple[Balance, ...]
    state: State
    reason: str
    shares: int
    admin_shares: int

    @property
    def held(self) -> bool:
        return self.shares > 0

    @property
    def bottleneck(self) -> Balance | None:
        """The dimension that is used up first; of equals, the first by name."""
        known = [balance for balance in self.balances if balance.use is not None]
        return max(known, key=lambda balance: balance.use or 0, default=None)


def books(
    totals: Mapping[str, Total],
    uses: Sequence[Use] | None,
    *,
    published: bool | None = True,
    obstacle: str = "",
) -> Books:
    """The books of a device from what it publishes and the allocation results that name it.

    `uses` is None where claims could never be read, `published` where resource slices could not.
    `published` is false for a device that no current slice lists: its totals are not known.
    `obstacle` says why nothing more can be placed on it now (pool incomplete, taint, counters used up).
    """
    if uses is None:
        return _without_claims(totals)
    counted = [use for use in uses if not use.admin_access]
    whole = [use for use in counted if use.dedicated]
    consumed = _consumed(use for use in counted if not use.dedicated)
    balances = tuple(
        _balance(
            dimension, totals.get(dimension), consumed.get(dimension), whole=bool(whole), published=published
        )
        for dimension in sorted({*totals, *consumed})
    )
    state, reason = _state(balances, len(whole), len(counted), published=published, obstacle=obstacle)
    return Books(balances, state, reason, len(counted), len(uses) - len(counted))


def _without_claims(totals: Mapping[str, Total]) -> Books:
    reason = Reason.CLAIMS_NEVER_READ.value
    balances = tuple(
        Balance(dimension, total.quantity, None, None, total.problem or reason)
        for dimension, total in sorted(totals.items())
    )
    return Books(balances, State.UNKNOWN, reason, 0, 0)


_UNPUBLISHED = {
    None: Reason.SLICES_NEVER_READ.value,
    False: Reason.UNLISTED.value,
    True: Reason.DIMENSION_GONE.value,
}


class _Sum(msgspec.Struct):
    amount: Quantity = ZERO
    problem: str = ""


def _consumed(shares: Iterable[Use]) -> dict[str, _Sum]:
    sums: dict[str, _Sum] = {}
    for share in shares:
        for dimension, quantity in (share.consumed or {}).items():
            one = sums.setdefault(dimension, _Sum())
            if quantity is None:
                one.problem = Reason.SHARE_UNREADABLE.value
            else:
                one.amount = quantity + one.amount
    return sums


def _balance(
    dimension: str, total: Total | None, consumed: _Sum | None, *, whole: bool, published: bool | None
) -> Balance:
    consumed = consumed or _Sum()
    allocated = None if consumed.problem else consumed.amount
    if total is None:
        # Orphan dimension: the scheduler ignores what it no longer sees published.
        return Balance(dimension, None, allocated, None, _UNPUBLISHED[published])
    if total.quantity is None:
        return Balance(dimension, None, None if whole else allocated, None, total.problem)
    if whole:
        return Balance(dimension, total.quantity, total.quantity, _like(ZERO, total.quantity))
    if allocated is None:
        return Balance(dimension, total.quantity, None, None, consumed.problem)
    remaining = max(ZERO, total.quantity - allocated)
    return Balance(
        dimension, total.quantity, _like(allocated, total.quantity), _like(remaining, total.quantity)
    )


def _like(quantity: Quantity, model: Quantity) -> Quantity:
    return Quantity(quantity.nanos, model.notation)


def _state(
    balances: Sequence[Balance], whole: int, counted: int, *, published: bool | None, obstacle: str
) -> tuple[State, str]:
    if conflict := _conflict(balances, whole, counted):
        return State.OVER_ALLOCATED, conflict
    if published is None:
        return State.UNKNOWN, _UNPUBLISHED[None]
    if not published:
        return State.NOT_PUBLISHED, (Reason.UNLISTED_AND_HELD if counted else Reason.UNLISTED).value
    if whole:
        return State.DEDICATED, ""
    if counted and _used_up(balances):
        return State.FULL, ""
    if obstacle and not counted:
        return State.UNAVAILABLE, obstacle
    return (State.PARTLY_ALLOCATED if counted else State.FREE), obstacle


def _conflict(balances: Sequence[Balance], whole: int, counted: int) -> str:
    """What the scheduler would not do today, but has done: told, never hidden behind a clamp."""
    if whole > 1:
        return Reason.HELD_WHOLE_TWICE.format(number=whole)
    if whole and counted > whole:
        return Reason.HELD_WHOLE_AND_SHARED.value
    over = [
        Reason.OVER_BY.format(dimension=balance.dimension, amount=balance.over)
        for balance in balances
        if balance.over
    ]
    return Reason.OVER_ALLOCATED.format(reasons=", ".join(over)) if over else ""


def _used_up(balances: Sequence[Balance]) -> bool:
    return any(
        balance.total and balance.remaining is not None and not balance.remaining for balance in balances
    )
