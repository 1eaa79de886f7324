"""Shared counters: what partitions of one card draw from it (KEP-4815; allocator_incubating.go).

A device that is held charges its counters once, however many shares it has; admin access charges nothing.
Only devices that the pool lists now are charged: one that vanished gives its counters back, as upstream.
Counters are kept by driver and pool, so that two drivers with pools of the same name never meet.
"""

from collections.abc import Iterable, Mapping

import msgspec

from inventory.dra.ledger import ZERO
from inventory.kube.objects import CounterConsumption, CounterSet
from inventory.kube.quantity import Quantity, QuantityError, parse
from inventory.reasons import Reason

CounterKey = tuple[str, str]


class Counter(msgspec.Struct, frozen=True):
    """One counter of a set. `remaining` falls below zero where exclusive partitions are both held."""

    counter_set: str
    name: str
    total: Quantity | None
    allocated: Quantity | None
    remaining: Quantity | None
    reason: str = ""


def counters(
    counter_sets: Iterable[CounterSet], held: Iterable[Iterable[CounterConsumption]]
) -> dict[CounterKey, Counter]:
    """The counters of a pool, given what each device that it lists and that is held draws from them."""
    drawn: dict[CounterKey, Quantity | None] = {}
    for consumptions in held:
        _draw(drawn, consumptions)
    return {
        (one.counter_set, one.name): one for counter_set in counter_sets for one in _set(counter_set, drawn)
    }


def overdrawn(left: Mapping[CounterKey, Counter]) -> str:
    """Which counter is below zero: one anywhere blocks the whole pool, as in the allocator. Empty: none."""
    for counter in left.values():
        if counter.remaining is not None and counter.remaining < ZERO:
            named = f"{counter.counter_set}/{counter.name}"
            return Reason.COUNTER_OVERDRAWN.format(counter=named, amount=-counter.remaining)
    return ""


def shortfall(wanted: Iterable[CounterConsumption], left: Mapping[CounterKey, Counter]) -> str:
    """Why a device that draws this cannot be placed now, or cannot be told to fit; empty if it can."""
    for one in wanted:
        for name, capacity in one.counters.items():
            known, needed = left.get((one.counter_set, name)), _read(capacity.value)
            named = f"{one.counter_set}/{name}"
            if known is None or known.remaining is None or needed is None:
                return Reason.COUNTER_UNREADABLE.format(counter=named)
            if known.remaining < needed:
                return Reason.COUNTER_SHORT.format(counter=named, needed=needed, left=known.remaining)
    return ""


def draws_all(wanted: CounterConsumption, left: Mapping[CounterKey, Counter]) -> bool:
    """Whether a device draws its counter set to the last unit: it is then the whole of what others share."""
    totals = {
        name: one.total for (counter_set, name), one in left.items() if counter_set == wanted.counter_set
    }
    drawn = {name: _read(capacity.value) for name, capacity in wanted.counters.items()}
    return all(drawn.get(name, ZERO) == total for name, total in totals.items() if total is None or total)


def _draw(drawn: dict[CounterKey, Quantity | None], consumptions: Iterable[CounterConsumption]) -> None:
    for one in consumptions:
        for name, capacity in one.counters.items():
            before, amount = drawn.get((one.counter_set, name), ZERO), _read(capacity.value)
            drawn[one.counter_set, name] = None if before is None or amount is None else before + amount


def _set(counter_set: CounterSet, drawn: Mapping[CounterKey, Quantity | None]) -> Iterable[Counter]:
    for name, capacity in counter_set.counters.items():
        total, allocated = _read(capacity.value), drawn.get((counter_set.name, name), ZERO)
        if total is None or allocated is None:
            yield Counter(counter_set.name, name, total, allocated, None, Reason.QUANTITY_UNREADABLE.value)
        else:
            allocated = Quantity(allocated.nanos, total.notation)
            yield Counter(counter_set.name, name, total, allocated, total - allocated)


def _read(value: str) -> Quantity | None:
    try:
        return parse(value)
    except QuantityError:
        return None
