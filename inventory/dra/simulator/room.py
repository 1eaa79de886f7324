"""The largest single request that would still be met, and what is left that nobody can use.

A card may have memory left and no cores, or the other way round: sums over cards do not show it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from inventory.dra.simulator.allocated import Allocated
from inventory.dra.simulator.candidates import Candidate
from inventory.dra.simulator.capacity import Dimension, Range, needed
from inventory.dra.simulator.counting import Counting
from inventory.dra.simulator.node_pools import NodePool
from inventory.kube.quantity import Quantity

ZERO = Quantity(0)

# What one request may take of a device at most, in the dimensions that have a ceiling; None: nothing.
Ceiling = Callable[[Candidate], Mapping[str, Quantity] | None]


class Left(msgspec.Struct, frozen=True):
    """A device on which something can be placed without any toleration: what is left of each dimension.

    `largest` is the most that one request can get of a dimension when it asks for the least of every other.
    """

    candidate: Candidate
    whole: bool
    remaining: Mapping[str, Quantity]
    largest: Mapping[str, Quantity]


class Omitted(msgspec.Struct, frozen=True):
    """What a request takes of a dimension that it does not name, and whether so much is left of it."""

    amount: Quantity
    left: bool


class Largest(msgspec.Struct, frozen=True):
    """The largest amount of one dimension that a request can get, and how.

    `request` names every dimension of the device, the others with the least that may be asked for; `beside`
    is what the device then has left of these, and `omitted` what the request would take of one that it does
    not name. All are empty of a device that is not shared: whoever gets it has all of it.
    """

    amount: Quantity
    candidate: Candidate
    request: Mapping[str, Quantity] = {}
    beside: Mapping[str, Quantity] = {}
    omitted: Mapping[str, Omitted] = {}


class Room(msgspec.Struct, frozen=True):
    """`stranded`: what is left of a dimension on devices where nothing can be placed for want of another."""

    devices: int
    usable: int
    whole: int
    largest: Mapping[str, Largest]
    stranded: Mapping[str, Quantity]


def room(
    pools: Sequence[NodePool],
    allocated: Allocated,
    counting: Counting,
    counts: Callable[[Candidate], bool] = lambda _: True,
    ceiling: Ceiling | None = None,
) -> Room:
    """Of the devices that one node sees, as far as they count, for requests below the ceiling."""
    everything = [one for pool in pools for one in pool.candidates if counts(one)]
    lefts = [
        left
        for pool in pools
        if pool.usable
        for one in pool.candidates
        if counts(one)
        and (left := _left(pool, one, allocated, counting)) is not None
        and (ceiling is None or (left := _below(left, ceiling(one))) is not None)
    ]
    usable = [left for left in lefts if _is_usable(left)]
    return Room(
        devices=len(everything),
        usable=len(usable),
        whole=sum(left.whole for left in usable),
        largest=_largest(usable),
        stranded=_stranded(left for left in lefts if not _is_usable(left)),
    )


def _is_usable(left: Left) -> bool:
    """A device without any capacity can always be had."""
    return not left.remaining or bool(left.largest)


def _left(pool: NodePool, one: Candidate, allocated: Allocated, counting: Counting) -> Left | None:
    """None where it cannot be had at all, or nothing is known."""
    held = allocated.holds(one.id)
    if one.problem or one.taints or one.id in allocated.dedicated or one.id in allocated.unreadable:
        return None
    if held and not one.shareable:
        return None
    if one.counters and not held and counting.attempt().charge(pool, one) is not None:
        return None
    consumed = allocated.consumed.get(one.id, {})
    remaining = {
        name: max(ZERO, dimension.total - consumed.get(name, ZERO))
        for name, dimension in one.dimensions.items()
    }
    if not one.shareable:
        return Left(one, whole=True, remaining=remaining, largest=remaining)
    return Left(one, not held, remaining, _most_of_each(one.dimensions, remaining))


def _below(left: Left, most: Mapping[str, Quantity] | None) -> Left | None:
    """None where nothing may be taken of it, or not all of a device that is only given whole."""
    if most is None:
        return None
    if left.candidate.shareable:
        remaining = {name: min(rest, most.get(name, rest)) for name, rest in left.remaining.items()}
        return Left(
            left.candidate, left.whole, remaining, _most_of_each(left.candidate.dimensions, remaining)
        )
    return left if all(rest <= most.get(name, rest) for name, rest in left.remaining.items()) else None


def _most_of_each(
    dimensions: Mapping[str, Dimension], remaining: Mapping[str, Quantity]
) -> dict[str, Quantity]:
    """Empty where nothing is left of one dimension, or less than the least that may be asked for."""
    if any(dimension.total and not remaining[name] for name, dimension in dimensions.items()):
        return {}
    most = {name: _most(dimension, remaining[name]) for name, dimension in dimensions.items()}
    return {} if None in most.values() else {name: amount for name, amount in most.items() if amount}


def _most(dimension: Dimension, left: Quantity) -> Quantity | None:
    """The largest amount that a request may take of what is left, None if not even the least."""
    policy = dimension.policy
    if policy is None:
        return left
    if policy.range is not None:
        return _most_in_range(policy.range, left)
    if policy.values:
        return max((value for value in policy.values if value <= left), default=None)
    return left


def _most_in_range(allowed: Range, left: Quantity) -> Quantity | None:
    most = left if allowed.maximum is None else min(left, allowed.maximum)
    if most < allowed.minimum:
        return None
    if allowed.step is None:
        return most
    minimum, step = allowed.minimum.rounded_up(), allowed.step.rounded_up()
    whole = most.nanos // 10**9
    if whole < minimum:
        return allowed.minimum
    return Quantity.of(minimum + (whole - minimum) // step * step, most.notation)


def _least(dimension: Dimension) -> Quantity:
    """The least that a request takes which names the dimension; without a policy it may ask for nothing."""
    policy = dimension.policy
    if policy is not None and policy.range is not None:
        return policy.range.minimum
    if policy is not None and policy.values:
        return min(policy.values)
    return Quantity(0, dimension.total.notation)


def _largest(lefts: Iterable[Left]) -> dict[str, Largest]:
    """Of devices that give as much, the one that has more left beside it."""
    best: dict[str, Left] = {}
    for left in lefts:
        for name in left.largest:
            if name not in best or _size(left, name) > _size(best[name], name):
                best[name] = left
    return {name: _told(left, name) for name, left in best.items()}


def _size(left: Left, name: str) -> tuple[int, list[int]]:
    return left.largest[name].nanos, [
        rest.nanos for other, rest in sorted(left.remaining.items()) if other != name
    ]


def _told(left: Left, name: str) -> Largest:
    """With the request that gets so much."""
    amount, one = left.largest[name], left.candidate
    if not one.shareable:
        return Largest(amount, one)
    others = {other: dimension for other, dimension in one.dimensions.items() if other != name}
    least = {other: _least(dimension) for other, dimension in others.items()}
    return Largest(
        amount,
        one,
        request={name: amount, **least},
        beside={other: left.remaining[other] - taken for other, taken in least.items()},
        omitted={other: _omitted(dimension, left.remaining[other]) for other, dimension in others.items()},
    )


def _omitted(dimension: Dimension, left: Quantity) -> Omitted:
    taken = needed(dimension, None)
    return Omitted(taken, taken <= left)


def _stranded(lefts: Iterable[Left]) -> dict[str, Quantity]:
    found: dict[str, Quantity] = {}
    for left in lefts:
        for name, rest in left.remaining.items():
            if rest:
                found[name] = rest + found[name] if name in found else rest
    return found
