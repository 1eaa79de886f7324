"""Shared counters during an attempt (KEP-4815): what held devices left, and what the attempt takes."""

from collections import defaultdict
from collections.abc import Hashable

from inventory.dra.simulator.allocated import Allocated
from inventory.dra.simulator.candidates import Candidate
from inventory.dra.simulator.node_pools import NodePool
from inventory.dra.simulator.rejections import Check, Rejection
from inventory.dra.simulator.rules import Rules
from inventory.kube.quantity import Quantity

PoolKey = Hashable
# Nanos by counter set and counter.
_Amounts = dict[tuple[str, str], int]


class Counting:
    """What is left of the counters of each pool, for all attempts of one scheduling cycle."""

    def __init__(self, allocated: Allocated, rules: Rules) -> None:
        self._allocated, self._rules = allocated, rules
        self._left: dict[PoolKey, _Amounts] = {}

    def key(self, pool: NodePool) -> PoolKey:
        return pool.id.name if self._rules.counters_by_pool_name else pool.id

    def left(self, pool: NodePool) -> _Amounts:
        key = self.key(pool)
        if key not in self._left:
            self._left[key] = self._count(pool)
        return self._left[key]

    def _count(self, pool: NodePool) -> _Amounts:
        left = {
            (counter_set, name): total
            for counter_set, counters in pool.totals.items()
            for name, total in counters.items()
        }
        for one in (*pool.candidates, *pool.elsewhere):
            if one.counters and self._allocated.holds(one.id):
                for counter_set, counters in one.counters.items():
                    for name, amount in counters.items():
                        left[counter_set, name] -= amount
        return left

    def attempt(self) -> "Attempted":
        return Attempted(self)


class Attempted:
    """What one attempt takes of the counters."""

    def __init__(self, counting: Counting) -> None:
        self._counting = counting
        self._taken: defaultdict[PoolKey, _Amounts] = defaultdict(dict)

    def charge(self, pool: NodePool, candidate: Candidate) -> Rejection | None:
        """Take the device's counters, or say why they do not suffice.

        One counter below zero anywhere in the pool blocks every device of it.
        """
        taken = self._taken[self._counting.key(pool)]
        _add(taken, candidate, 1)
        for key, left in self._counting.left(pool).items():
            if left < taken.get(key, 0):
                need = taken.get(key, 0)
                _add(taken, candidate, -1)
                before = left - taken.get(key, 0)
                return Rejection(
                    Check.COUNTER, "/".join(key), Quantity(need - taken.get(key, 0)), Quantity(before)
                )
        return None

    def discharge(self, pool: NodePool, candidate: Candidate) -> None:
        _add(self._taken[self._counting.key(pool)], candidate, -1)


def _add(taken: _Amounts, candidate: Candidate, times: int) -> None:
    for counter_set, counters in candidate.counters.items():
        for name, amount in counters.items():
            key = counter_set, name
            taken[key] = taken.get(key, 0) + times * amount
