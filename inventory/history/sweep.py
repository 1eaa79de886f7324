"""One sweep over what began and ended, in the order of time, that adds up exactly what was held.

Nothing is added up at an event but the change that it makes, from there to the end of time: see `Line`. So
what lasts for a year costs as much as what lasts for a minute, however many buckets there are.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from heapq import heappop, heappush, merge
from itertools import count
from typing import Generic, NamedTuple, Self, TypeAlias, TypeVar

import msgspec

from inventory.history import rates
from inventory.history.axis import Axis
from inventory.history.lines import Line
from inventory.history.measures import Cell, Measure, Number, Sums
from inventory.history.rates import Amounts, Offer, Rates

GroupT = TypeVar("GroupT", bound=Hashable)


class DeviceKey(NamedTuple):
    cluster: int
    driver: str
    pool: str
    device: str


class ClaimKey(NamedTuple):
    cluster: int
    uid: str


class Workload(NamedTuple):
    kind: str
    name: str


class Device(msgspec.Struct, frozen=True, eq=False):
    """A device as it was published from `start` to `end`; `card` is the key of that which it is a part of."""

    start: int
    end: int | None
    key: DeviceKey
    node: str
    product: str
    accelerator: bool
    card: str
    offer: Offer


class Share(msgspec.Struct, frozen=True, eq=False):
    """A share that was held; `team` and `namespace` are the names of that time."""

    start: int
    end: int | None
    device: DeviceKey
    claim: ClaimKey
    team: str
    namespace: str
    dedicated: bool
    consumed: Amounts


class Use(msgspec.Struct, frozen=True, eq=False):
    """A claim that was reserved for a consumer."""

    start: int
    end: int | None
    claim: ClaimKey
    workload: Workload


Event: TypeAlias = "Device | Share | Use"
# The groups in which a share counts, by the device as it was last published and the workload that uses it.
Grouping: TypeAlias = Callable[[Share, Device, Workload | None], Sequence[GroupT]]
# Those in which a card counts as one that is there.
Placing: TypeAlias = Callable[[Device], Sequence[GroupT]]

_ON_DEVICE = Rates(((Cell(Measure.DEVICES), 1),))
_ON_CARD = Rates(((Cell(Measure.CARDS), 1),))


class _Moment(NamedTuple):
    """An instant on the axis of a cluster."""

    bucket: int
    rest: int


class _Holder:
    """How many shares of a group are on a device or card; the line is there while there are any."""

    __slots__ = ("line", "shares")

    def __init__(self, line: Line) -> None:
        self.line, self.shares = line, 0


class _Place(Generic[GroupT]):
    """A device as it was last published, and what is held of it."""

    __slots__ = ("device", "holders", "published", "shares")

    def __init__(self) -> None:
        self.device: Device | None = None
        self.published = False
        self.shares: dict[Share, _Open[GroupT]] = {}
        self.holders: dict[GroupT, _Holder] = {}


class _Open(Generic[GroupT]):
    """A share that is held, and how it counts now: in lines, each with its parts, and on what it is."""

    __slots__ = ("entries", "on", "place", "share")

    def __init__(self, share: Share, place: _Place[GroupT]) -> None:
        self.share, self.place = share, place
        self.entries: list[tuple[Line, int]] = []
        self.on: list[tuple[dict[GroupT, _Holder], GroupT, _Holder]] = []


class Sweep(Generic[GroupT]):
    """`axes` has one of each cluster; what is of another one is not counted."""

    def __init__(self, axes: Mapping[int, Axis], groups: Grouping[GroupT], places: Placing[GroupT]) -> None:
        self._axes, self._groups, self._placing = axes, groups, places
        self._lines: dict[tuple[int, GroupT, Rates, int], Line] = {}
        self._ends: list[tuple[int, int, Event]] = []
        self._numbers = count()
        self._places: defaultdict[DeviceKey, _Place[GroupT]] = defaultdict(_Place)
        # By card: the devices of it that are published, how it counts as one that is there, who is on it.
        self._parts: defaultdict[Hashable, dict[str, Device]] = defaultdict(dict)
        self._there: dict[Hashable, list[Line]] = {}
        self._holders: defaultdict[Hashable, dict[GroupT, _Holder]] = defaultdict(dict)
        self._of_claim: defaultdict[ClaimKey, dict[Share, _Open[GroupT]]] = defaultdict(dict)
        self._uses: defaultdict[ClaimKey, Counter[Workload]] = defaultdict(Counter)
        self._rates: dict[Hashable, Rates] = {}
        self._same: dict[tuple[tuple[Cell, int], ...], Rates] = {}

    def over(self, devices: Iterable[Device], uses: Iterable[Use], shares: Iterable[Share]) -> Self:
        """Each in the order of `start`."""
        streams: list[Iterable[Event]] = [devices, uses, shares]
        for event in merge(*streams, key=lambda event: event.start):
            self._end_until(event.start)
            self._begin(event)
            if event.end is not None:
                heappush(self._ends, (event.end, next(self._numbers), event))
        self._end_until(None)
        return self

    def integrals(self) -> list[dict[GroupT, Sums]]:
        """By bucket and group; nothing is in it that lasted no time."""
        lengths = {cluster: axis.lengths for cluster, axis in self._axes.items()}
        buckets = max(map(len, lengths.values()), default=0)
        found: list[dict[GroupT, Sums]] = [{} for _ in range(buckets)]
        for (cluster, group, by, of), line in self._lines.items():
            for bucket, time in line.times(lengths[cluster]):
                sums = found[bucket].setdefault(group, {})
                for cell, rate in by.cells:
                    sums[cell] = sums.get(cell, 0) + _part(rate * time, of)
        return found

    def _end_until(self, instant: int | None) -> None:
        while self._ends and (instant is None or self._ends[0][0] <= instant):
            at, _, event = heappop(self._ends)
            self._end(event, at)

    def _begin(self, event: Event) -> None:
        match event:
            case Share():
                self._hold(event)
            case Device():
                self._publish(event)
            case Use():
                self._reserve(event, event.start, 1)

    def _end(self, event: Event, at: int) -> None:
        match event:
            case Share():
                self._give_back(event, at)
            case Device():
                self._withdraw(event, at)
            case Use():
                self._reserve(event, at, -1)

    def _moment(self, cluster: int, at: int) -> _Moment:
        axis = self._axes[cluster]
        return _Moment(*axis.bucket(axis.position(at)))

    def _hold(self, share: Share) -> None:
        if share.device.cluster not in self._axes:
            return
        place = self._places[share.device]
        held = _Open(share, place)
        place.shares[share] = self._of_claim[share.claim][share] = held
        self._enter(held, self._moment(share.device.cluster, share.start))

    def _give_back(self, share: Share, at: int) -> None:
        of_claim = self._of_claim.get(share.claim, {})
        held = of_claim.pop(share, None)
        if held is None:
            return
        del held.place.shares[share]
        self._leave(held, self._moment(share.device.cluster, at))
        if not of_claim:
            del self._of_claim[share.claim]

    def _publish(self, device: Device) -> None:
        self._change_device(device, device.start, published=True)

    def _withdraw(self, device: Device, at: int) -> None:
        """Unless it is published in another way already."""
        place = self._places[device.key]
        if place.device is device and place.published:
            self._change_device(device, at, published=False)

    def _change_device(self, device: Device, at: int, *, published: bool) -> None:
        if device.key.cluster not in self._axes:
            return
        place, now = self._places[device.key], self._moment(device.key.cluster, at)
        for held in place.shares.values():
            self._leave(held, now)
        before = place.device if place.published else None
        place.device, place.published = device, published
        for held in place.shares.values():
            self._enter(held, now)
        if before is not None:
            self._change_card(before, now, published=False)
        if published:
            self._change_card(device, now, published=True)

    def _change_card(self, device: Device, now: _Moment, *, published: bool) -> None:
        """A card is there while one of its devices is; they agree on what it has."""
        if not device.accelerator:
            return
        card = _card(device)
        parts = self._parts[card]
        if published:
            parts[device.key.device] = device
        else:
            del parts[device.key.device]
        for line in self._there.pop(card, ()):
            line.change(*now, -1)
        if not parts:
            del self._parts[card]
            return
        first = parts[min(parts)]
        by = self._known(first.offer, lambda: rates.of_card(first.offer))
        lines = [self._line(device.key.cluster, group, by, 1) for group in self._placing(first)]
        for line in lines:
            line.change(*now, 1)
        self._there[card] = lines

    def _reserve(self, use: Use, at: int, by: int) -> None:
        if use.claim.cluster not in self._axes:
            return
        open_shares, now = self._of_claim.get(use.claim, {}), self._moment(use.claim.cluster, at)
        for held in open_shares.values():
            self._leave(held, now)
        workloads = self._uses[use.claim]
        workloads[use.workload] += by
        if not workloads[use.workload]:
            del workloads[use.workload]
        if not workloads:
            del self._uses[use.claim]
        for held in open_shares.values():
            self._enter(held, now)

    def _enter(self, held: _Open[GroupT], now: _Moment) -> None:
        share, place = held.share, held.place
        device = place.device
        if device is None or not device.accelerator:
            return
        by = self._known(
            (share.consumed, device.offer, share.dedicated, place.published),
            lambda: rates.of_share(
                share.consumed, device.offer, dedicated=share.dedicated, published=place.published
            ),
        )
        on = ((place.holders, _ON_DEVICE), (self._holders[_card(device)], _ON_CARD))
        for workload, parts, of in self._workloads(share.claim):
            for group in self._groups(share, device, workload):
                line = self._line(share.device.cluster, group, by, of)
                line.change(*now, parts)
                held.entries.append((line, parts))
                for holders, one in on:
                    self._come(held, holders, group, one, now)

    def _come(
        self,
        held: _Open[GroupT],
        holders: dict[GroupT, _Holder],
        group: GroupT,
        one: Rates,
        now: _Moment,
    ) -> None:
        """The group is on a device, and on its card, from its first share there to its last."""
        holder = holders.get(group)
        if holder is None:
            holder = holders[group] = _Holder(self._line(held.share.device.cluster, group, one, 1))
            holder.line.change(*now, 1)
        holder.shares += 1
        held.on.append((holders, group, holder))

    def _leave(self, held: _Open[GroupT], now: _Moment) -> None:
        for line, parts in held.entries:
            line.change(*now, -parts)
        for holders, group, holder in held.on:
            holder.shares -= 1
            if not holder.shares:
                holder.line.change(*now, -1)
                del holders[group]
        held.entries.clear()
        held.on.clear()

    def _workloads(self, claim: ClaimKey) -> Iterable[tuple[Workload | None, int, int]]:
        """Consumers that use a claim at once have an even part of it each."""
        workloads = self._uses.get(claim)
        if not workloads:
            return _NOBODY
        of = workloads.total()
        return [(workload, parts, of) for workload, parts in workloads.items()]

    def _line(self, cluster: int, group: GroupT, by: Rates, of: int) -> Line:
        key = (cluster, group, by, of)
        line = self._lines.get(key)
        if line is None:
            line = self._lines[key] = Line()
        return line

    def _known(self, key: Hashable, make: Callable[[], Rates]) -> Rates:
        """The same rates are one object, so that what goes by them is added up in one line."""
        found = self._rates.get(key)
        if found is None:
            made = make()
            found = self._rates[key] = self._same.setdefault(made.cells, made)
        return found


_NOBODY: Sequence[tuple[Workload | None, int, int]] = ((None, 1, 1),)


def _card(device: Device) -> Hashable:
    return (*device.key[:3], device.card)


def _part(number: int, of: int) -> Number:
    return number if of == 1 else Fraction(number, of)
