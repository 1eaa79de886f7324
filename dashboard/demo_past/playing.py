"""The days before the demo, played: Pods come by the hour and the weekday, and wait where nothing is left."""

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import count
from random import Random
from string import ascii_lowercase, digits
from typing import NamedTuple
from uuid import UUID

from dashboard.demo_past.fleet import Place, Times, amounts, usable_by
from dashboard.demo_past.workloads import WORKLOADS, Workload
from inventory.history.instants import HOUR, floor_hour

_LETTERS = ascii_lowercase + digits
_SATURDAY = 5
# Nobody begins so shortly before the end, and what still runs ends in the last hour.
_LAST = 2 * HOUR
_SHORTEST = timedelta(minutes=5)
# Pods that run at once when the cards are busy.
_MUCH = 40
# Between what happens and when it is read.
_BEHIND = timedelta(seconds=3)


class Wish(NamedTuple):
    """A Pod and its claim, from when they were created."""

    created: datetime
    workload: Workload
    owner: str
    pod: str


class Use(NamedTuple):
    """What a claim was given, until it was seen that it was over; `seen_before` it was not yet."""

    wish: Wish
    claim_uid: str
    pod_uid: str
    places: tuple[Place, ...]
    share_ids: tuple[str, ...]
    allocated: datetime
    seen_before: datetime
    ended: datetime


def play(places: Sequence[Place], times: Times, chance: Random) -> list[Use]:
    """The same of the same devices, times and chance."""
    wishes = sorted(
        (wish for workload in WORKLOADS for wish in _wishes(workload, times, chance)),
        key=lambda wish: wish.created,
    )
    stage = _Stage(places, times, chance)
    for wish in wishes:
        stage.let_pass(wish.created)
        stage.enter(wish)
    stage.let_pass(times.end)
    return stage.uses


def _wishes(workload: Workload, times: Times, chance: Random) -> Iterator[Wish]:
    deployed = f"{workload.name}-{_suffix(chance)}{_suffix(chance)}"
    for hour in _hours(times):
        for _ in range(_begun_in(hour, workload, times, chance)):
            at = hour + timedelta(seconds=chance.randrange(3600))
            if not times.unread <= at < times.read_again and at < times.end - _LAST:
                owner, of_pods = workload.name, deployed
                if workload.kind == "Job":
                    owner = of_pods = f"{workload.name}-{_suffix(chance)}"
                for _ in range(workload.pods):
                    yield Wish(at, workload, owner, f"{of_pods}-{_suffix(chance)}")


def _hours(times: Times) -> Iterator[datetime]:
    hour = times.start
    while hour < floor_hour(times.end):
        yield hour
        hour += HOUR


def _begun_in(hour: datetime, workload: Workload, times: Times, chance: Random) -> int:
    """More from week to week."""
    rhythm = workload.rhythm
    expected = workload.a_day * rhythm.hours[hour.hour] / sum(rhythm.hours)
    if hour.weekday() >= _SATURDAY:
        expected *= rhythm.weekend_percent / 100
    expected *= 0.7 + 0.5 * ((hour - times.start) / (times.end - times.start))
    return int(expected) + (chance.random() < expected % 1)


class _Stage:
    """Who waits, and who runs until when."""

    def __init__(self, places: Sequence[Place], times: Times, chance: Random) -> None:
        self.uses: list[Use] = []
        self._times, self._chance = times, chance
        self._consumed = {workload.name: amounts(workload.consumed) for workload in WORKLOADS}
        self._usable = {workload.name: _usable(workload, places) for workload in WORKLOADS}
        self._number: Counter[str] = Counter()
        self._waiting: list[Wish] = []
        self._running: list[tuple[datetime, int, Use]] = []
        self._order = count()

    def enter(self, wish: Wish) -> None:
        if self._number[wish.workload.name] < wish.workload.most:
            self._number[wish.workload.name] += 1
            self._waiting.append(self._numbered(wish) if wish.workload.kind == "StatefulSet" else wish)
            self._place(wish.created)

    def _numbered(self, wish: Wish) -> Wish:
        """The first ordinal that no other Pod has."""
        taken = {one.pod for one in self._waiting} | {use.wish.pod for _, _, use in self._running}
        names = (f"{wish.owner}-{number}" for number in count())
        return wish._replace(pod=next(name for name in names if name not in taken))

    def let_pass(self, until: datetime) -> None:
        while self._running and self._running[0][0] <= until:
            at, _, use = heapq.heappop(self._running)
            name = use.wish.workload.name
            self._number[name] -= 1
            for place in use.places:
                place.give_back(self._consumed[name])
            self._place(at)

    def _place(self, at: datetime) -> None:
        """Whoever has waited the longest first; a smaller one may pass a larger one."""
        unseen = self._times.unread - _SHORTEST <= at < self._times.read_again
        if unseen or at >= self._times.end - _LAST:
            return
        waiting, self._waiting = self._waiting, []
        for wish in waiting:
            chosen = self._chosen(wish, at)
            if chosen:
                self._begin(wish, chosen, at)
            else:
                self._waiting.append(wish)

    def _chosen(self, wish: Wish, at: datetime) -> tuple[Place, ...]:
        consumed = self._consumed[wish.workload.name]
        free = [
            place
            for place in self._usable[wish.workload.name]
            if place.has_room(consumed, at) and not _goes_soon(place, at)
        ]
        number = wish.workload.devices
        return tuple(self._chance.sample(free, number)) if len(free) >= number else ()

    def _begin(self, wish: Wish, chosen: tuple[Place, ...], at: datetime) -> None:
        allocated = at + self._scheduling()
        for place in chosen:
            place.take(self._consumed[wish.workload.name])
        ended = self._end(wish.workload, chosen, allocated)
        seen_before = ended - _BEHIND
        if self._times.unread <= ended < self._times.read_again:
            seen_before, ended = self._times.unread, self._times.read_again
        use = Use(
            wish=wish,
            claim_uid=self._uuid(),
            pod_uid=self._uuid(),
            places=chosen,
            share_ids=tuple(self._uuid() if place.shareable else "" for place in chosen),
            allocated=allocated,
            seen_before=seen_before,
            ended=ended,
        )
        self.uses.append(use)
        heapq.heappush(self._running, (ended, next(self._order), use))

    def _scheduling(self) -> timedelta:
        """The scheduler tries longer where more is held."""
        load = min(len(self._running) / _MUCH, 1.5)
        tries = min(self._chance.expovariate(1), 10)
        return timedelta(seconds=1 + int(tries * (0.5 + 12 * load**2)))

    def _end(self, workload: Workload, chosen: Sequence[Place], allocated: datetime) -> datetime:
        hours = min(max(workload.hours * self._chance.expovariate(1), 0.1), 4 * workload.hours)
        leaves = [gone for place in chosen if (gone := place.leaves(allocated)) is not None]
        last = self._times.end - timedelta(seconds=self._chance.randrange(60, 3600))
        return min(allocated + timedelta(seconds=int(hours * 3600)), last, *leaves)

    def _uuid(self) -> str:
        return str(UUID(int=self._chance.getrandbits(128), version=4))


def _usable(workload: Workload, places: Sequence[Place]) -> list[Place]:
    return usable_by(places, workload.product, shared=bool(workload.consumed), partitions=workload.partitions)


def _goes_soon(place: Place, at: datetime) -> bool:
    gone = place.leaves(at)
    return gone is not None and gone < at + _SHORTEST


def _suffix(chance: Random) -> str:
    return "".join(chance.choices(_LETTERS, k=5))
