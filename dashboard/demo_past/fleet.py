"""The devices of the demo as they were before it began; which there are is learned from the cluster."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import NamedTuple

from inventory.history.instants import DAY, HOUR, floor_day
from inventory.kube.quantity import Quantity, parse
from inventory.models import Cluster, Device, DeviceInterval

LONG = 60 * DAY
# Of a product with fewer cards each is needed.
_MANY = 4
Amounts = Mapping[str, str | None]


class Times(NamedTuple):
    """The past lasts from `start` to `end`; between `unread` and `read_again` nothing was read."""

    start: datetime
    unread: datetime
    read_again: datetime
    end: datetime

    @classmethod
    def before(cls, end: datetime) -> "Times":
        night = floor_day(end)
        return cls(
            start=night - LONG + 9 * HOUR,
            unread=night - 17 * DAY + HOUR,
            read_again=night - 17 * DAY + 6 * HOUR,
            end=end,
        )


class Phase(NamedTuple):
    """How a device was published for a time; `end` None: as it is still."""

    start: datetime
    end: datetime | None
    capacity: Amounts
    card_capacity: Amounts


@dataclass(eq=False)
class Place:
    """A device, when it was there, and what is held of it at the moment that is played."""

    interval: DeviceInterval
    shareable: bool
    phases: list[Phase]
    shares: int = 0
    held: Counter[str] = field(default_factory=Counter)

    @property
    def is_partition(self) -> bool:
        return self.interval.partitioned and not self.is_whole

    @property
    def is_whole(self) -> bool:
        return bool(self.interval.capacity == self.interval.card_capacity)

    def leaves(self, at: datetime) -> datetime | None:
        """When the device, which is there at this moment, goes away; None: it stays."""
        stays = at
        for phase in self.phases:
            if phase.start <= stays and phase.end is None:
                return None
            if phase.start <= stays and phase.end is not None and phase.end > stays:
                stays = phase.end
        return stays

    def has_room(self, consumed: Mapping[str, int], at: datetime) -> bool:
        if not self.shareable:
            return not self.shares and any(_is_at(phase, at) for phase in self.phases)
        capacity = next((amounts(phase.capacity) for phase in self.phases if _is_at(phase, at)), {})
        return all(
            self.held[dimension] + amount <= capacity.get(dimension, -1)
            for dimension, amount in consumed.items()
        )

    def take(self, consumed: Mapping[str, int]) -> None:
        self.shares += 1
        self.held.update(consumed)

    def give_back(self, consumed: Mapping[str, int]) -> None:
        self.shares -= 1
        self.held.subtract(consumed)


def amounts(written: Amounts) -> dict[str, int]:
    """In billionths; without those that cannot be read."""
    return {dimension: parse(text).nanos for dimension, text in written.items() if text is not None}


def places(cluster: Cluster, times: Times, chance: Random) -> list[Place]:
    """All devices that are published; three cards were not always there as they are now."""
    found = _published(cluster, times)
    cards = [place for place in found if place.interval.accelerator and not place.interval.partitioned]
    number = Counter(place.interval.product for place in cards)
    several = [place for place in cards if number[place.interval.product] >= _MANY]
    if len(several) >= len(_CHANGES):
        for place, change in zip(chance.sample(several, len(_CHANGES)), _CHANGES, strict=True):
            place.phases = change(place.phases[0], times)
    return found


def _published(cluster: Cluster, times: Times) -> list[Place]:
    rows = DeviceInterval.objects.filter(cluster=cluster, ended_at=None).order_by("driver", "pool", "device")
    devices = Device.objects.filter(cluster=cluster, listed=True).order_by()
    known = {
        tuple(key): (shareable, usable)
        for shareable, usable, *key in devices.values_list(
            "shareable", "published", "pool__driver", "pool__name", "name"
        )
    }
    found = []
    for row in rows:
        shareable, usable = known[row.driver, row.pool, row.device]
        # A pool that is not complete is new.
        start = times.start if usable else times.end - 5 * DAY
        found.append(Place(row, shareable, [Phase(start, None, row.capacity, row.card_capacity)]))
    return found


def _came_later(phase: Phase, times: Times) -> list[Phase]:
    return [phase._replace(start=floor_day(times.end) - 23 * DAY + 10 * HOUR)]


def _was_away(phase: Phase, times: Times) -> list[Phase]:
    went = floor_day(times.end) - 9 * DAY + 14 * HOUR
    return [phase._replace(end=went), phase._replace(start=went + timedelta(hours=51))]


def _had_less(phase: Phase, times: Times) -> list[Phase]:
    """Half of its memory was kept back."""
    grew = floor_day(times.end) - 31 * DAY + 8 * HOUR
    less = phase._replace(
        end=grew, capacity=_halved(phase.capacity), card_capacity=_halved(phase.card_capacity)
    )
    return [less, phase._replace(start=grew)]


_CHANGES = (_came_later, _was_away, _had_less)


def _halved(capacity: Amounts) -> Amounts:
    return {
        dimension: _half(text) if dimension == "memory" and text is not None else text
        for dimension, text in capacity.items()
    }


def _half(text: str) -> str:
    amount = parse(text)
    return str(Quantity(amount.nanos // 2, amount.notation))


def _is_at(phase: Phase, at: datetime) -> bool:
    return phase.start <= at and (phase.end is None or at < phase.end)


def usable_by(places: Sequence[Place], product: str, *, shared: bool, partitions: bool) -> list[Place]:
    """A partitioned card is used in its parts alone, or one of both would take what the other holds."""
    return [
        place
        for place in places
        if place.interval.accelerator
        and place.interval.product == product
        and place.shareable == shared
        and place.is_partition == partitions
        and place.interval.partitioned == partitions
    ]
