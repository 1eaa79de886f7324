"""What one holder held at each moment, in the measure of a quota.

Of each card, what its shares come to is known again whenever one of them begins or ends, or the card is
published in another way; everything else stays as it was.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush, merge
from itertools import count
from typing import NamedTuple, TypeAlias

from inventory.dra.quotas.standing import NOTHING, Measured
from inventory.dra.units import Unit
from inventory.history.instants import Span
from inventory.history.levels import Held, Level, level
from inventory.history.sweep import Device, DeviceKey, Share
from inventory.reasons import Reason

Counts: TypeAlias = Callable[[Share, Device], bool]
_Card: TypeAlias = tuple[object, ...]


class Piece(NamedTuple):
    """A time in which nothing changed."""

    span: Span
    used: Measured


_NONE = Level(Measured())


class _Sum:
    """Levels of cards, added up."""

    def __init__(self) -> None:
        self._known = NOTHING
        self._unknown = 0
        self._reasons = Counter[str]()
        self.units = Counter[Unit]()

    def add(self, one: Level, by: int) -> None:
        self._known += by * one.used.known
        self._unknown += by * one.used.unknown
        for reason in one.used.reasons:
            self._reasons[reason] += by
        for unit in one.units:
            self.units[unit] += by

    @property
    def used(self) -> Measured:
        if sum(number > 0 for number in self.units.values()) > 1:
            return Measured(unknown=1, reasons=(Reason.UNITS_DIFFER.value,))
        return Measured(
            self._known, self._unknown, tuple(reason for reason, number in self._reasons.items() if number)
        )


class Trend:
    """What shares came to, of those that count on their devices, in the measure of `dimension`."""

    def __init__(self, dimension: str, counts: Counts) -> None:
        self._dimension, self._counts = dimension, counts
        self._devices: dict[DeviceKey, tuple[Device, bool]] = {}
        self._shares: defaultdict[DeviceKey, list[Share]] = defaultdict(list)
        self._on_card: defaultdict[_Card, set[DeviceKey]] = defaultdict(set)
        self._levels: dict[_Card, Level] = {}
        self._sum = _Sum()
        self.units: set[Unit] = set()

    def over(self, asked: Span, devices: Iterable[Device], shares: Iterable[Share]) -> Iterator[Piece]:
        """Each in the order of `start`; pieces follow each other without a gap."""
        ends: list[tuple[int, int, Device | Share]] = []
        numbers, at, used = count(), asked.start, Measured()
        for instant, event, begins in self._events(devices, shares, ends):
            if begins and event.end is not None:
                heappush(ends, (event.end, next(numbers), event))
            self._apply(event, begins=begins)
            now = min(max(instant, asked.start), asked.end)
            if now > at and self._sum.used != used:
                yield Piece(Span(at, now), used)
                at = now
            used = self._sum.used
        yield Piece(Span(at, asked.end), used)

    def _events(
        self,
        devices: Iterable[Device],
        shares: Iterable[Share],
        ends: list[tuple[int, int, Device | Share]],
    ) -> Iterator[tuple[int, Device | Share, bool]]:
        """At one instant, ends come before what begins."""
        streams: list[Iterable[Device | Share]] = [devices, shares]
        for event in merge(*streams, key=lambda event: event.start):
            while ends and ends[0][0] <= event.start:
                at, _, ended = heappop(ends)
                yield at, ended, False
            yield event.start, event, True
        while ends:
            at, _, ended = heappop(ends)
            yield at, ended, False

    def _apply(self, event: Device | Share, *, begins: bool) -> None:
        if isinstance(event, Share):
            of_device = self._shares[event.device]
            if begins:
                of_device.append(event)
            else:
                of_device.remove(event)
            self._measure(self._card_of(event.device))
        elif begins or self._devices.get(event.key) == (event, True):
            self._publish(event, published=begins)

    def _publish(self, device: Device, *, published: bool) -> None:
        before = self._card_of(device.key)
        self._devices[device.key] = (device, published)
        after = self._card_of(device.key)
        if before is not None and before != after:
            self._on_card[before].discard(device.key)
            self._measure(before)
        if after is not None:
            self._on_card[after].add(device.key)
            self._measure(after)

    def _card_of(self, key: DeviceKey) -> _Card | None:
        device, _published = self._devices.get(key, (None, False))
        if device is None or not device.accelerator:
            return None
        return (*key[:3], device.card)

    def _measure(self, card: _Card | None) -> None:
        if card is None:
            return
        held = [
            Held(share, *self._devices[key])
            for key in self._on_card[card]
            for share in self._shares.get(key, ())
            if self._counts(share, self._devices[key][0])
        ]
        found = level(self._dimension, held) if held else _NONE
        self._sum.add(self._levels.get(card, _NONE), -1)
        self._sum.add(found, 1)
        self._levels[card] = found
        self.units.update(found.units)
