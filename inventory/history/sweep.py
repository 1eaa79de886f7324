"""One sweep over what began and ended, in the order of time, that adds up exactly what was held.

Nothing is added up at an event but the change that it makes, from there to the end of time: see `Line`. So
what lasts for a year costs as much as what lasts for a minute, however many buckets there are.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
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


class _Entry(NamedTuple, Generic[GroupT]):
    """What was added to a line, and is taken away again at the end: `parts` of `of`."""

    group: GroupT
    rates: Rates
    parts: int
    of: int


class _Open(Generic[GroupT]):
    """A share that is held, and how it counts now."""

    __slots__ = ("card", "entries", "share")

    def __init__(self, share: Share) -> None:
        self.share = share
        self.entries: list[_Entry[GroupT]] = []
        self.card: Hashable = None


class Sweep(Generic[GroupT]):
    """`axes` has one of each cluster; what is of another one is not counted."""

    def __init__(self, axes: Mapping[int, Axis], groups: Grouping[GroupT], places: Placing[GroupT]) -> None:
        self._axes, self._groups, self._places = axes, groups, places
        self._lines: defaultdict[tuple[int, GroupT, Rates, int], Line] = defaultdict(Line)
        self._ends: list[tuple[int, int, Event]] = []
        self._numbers = count()
        self._devices: dict[DeviceKey, tuple[Device, bool]] = {}
        self._cards: defaultdict[Hashable, dict[str, Device]] = defaultdict(dict)
        self._there: dict[Hashable, list[_Entry[GroupT]]] = {}
        self._shares: defaultdict[DeviceKey, dict[Share, _Open[GroupT]]] = defaultdict(dict)
        self._of_claim: defaultdict[ClaimKey, dict[Share, _Open[GroupT]]] = defaultdict(dict)
        self._uses: defaultdict[ClaimKey, Counter[Workload]] = defaultdict(Counter)
        self._holders: Counter[tuple[GroupT, Hashable]] = Counter()
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

    def _hold(self, share: Share) -> None:
        if share.device.cluster not in self._axes:
            return
        held: _Open[GroupT] = _Open(share)
        self._shares[share.device][share] = self._of_claim[share.claim][share] = held
        self._enter(held, share.start)

    def _give_back(self, share: Share, at: int) -> None:
        held = self._shares[share.device].pop(share, None)
        if held is None:
            return
        self._leave(held, at)
        of_claim = self._of_claim[share.claim]
        del of_claim[share]
        if not of_claim:
            del self._of_claim[share.claim]

    def _publish(self, device: Device) -> None:
        self._change_device(device, device.start, published=True)

    def _withdraw(self, device: Device, at: int) -> None:
        """Unless it is published in another way already."""
        current, published = self._devices[device.key]
        if current is device and published:
            self._change_device(device, at, published=False)

    def _change_device(self, device: Device, at: int, *, published: bool) -> None:
        if device.key.cluster not in self._axes:
            self._devices[device.key] = (device, published)
            return
        open_shares = list(self._shares.get(device.key, {}).values())
        for held in open_shares:
            self._leave(held, at)
        before, was = self._devices.get(device.key, (device, False))
        self._devices[device.key] = (device, published)
        for held in open_shares:
            self._enter(held, at)
        if was:
            self._change_card(before, at, published=False)
        if published:
            self._change_card(device, at, published=True)

    def _change_card(self, device: Device, at: int, *, published: bool) -> None:
        """A card is there while one of its devices is; they agree on what it has."""
        if not device.accelerator:
            return
        card = _card(device)
        parts = self._cards[card]
        if published:
            parts[device.key.device] = device
        else:
            del parts[device.key.device]
        for entry in self._there.pop(card, ()):
            self._change(device.key.cluster, entry, at, -1)
        if not parts:
            del self._cards[card]
            return
        first = parts[min(parts)]
        by = self._known(first.offer, lambda: rates.of_card(first.offer))
        entries = [_Entry(group, by, 1, 1) for group in self._places(first)]
        for entry in entries:
            self._change(device.key.cluster, entry, at, 1)
        self._there[card] = entries

    def _reserve(self, use: Use, at: int, by: int) -> None:
        open_shares = list(self._of_claim.get(use.claim, {}).values())
        for held in open_shares:
            self._leave(held, at)
        workloads = self._uses[use.claim]
        workloads[use.workload] += by
        if not workloads[use.workload]:
            del workloads[use.workload]
        if not workloads:
            del self._uses[use.claim]
        for held in open_shares:
            self._enter(held, at)

    def _enter(self, held: _Open[GroupT], at: int) -> None:
        share = held.share
        device, published = self._devices.get(share.device, (None, False))
        if device is None or not device.accelerator:
            return
        held.card = _card(device)
        by = self._known(
            (share.consumed, device.offer, share.dedicated, published),
            lambda: rates.of_share(
                share.consumed, device.offer, dedicated=share.dedicated, published=published
            ),
        )
        for workload, parts, of in self._workloads(share.claim):
            for group in self._groups(share, device, workload):
                entry = _Entry(group, by, parts, of)
                held.entries.append(entry)
                self._change(share.device.cluster, entry, at, 1)
                self._count(held, group, at, 1)

    def _leave(self, held: _Open[GroupT], at: int) -> None:
        for entry in held.entries:
            self._change(held.share.device.cluster, entry, at, -1)
            self._count(held, entry.group, at, -1)
        held.entries.clear()

    def _workloads(self, claim: ClaimKey) -> Iterator[tuple[Workload | None, int, int]]:
        """Consumers that use a claim at once have an even part of it each."""
        workloads = self._uses.get(claim)
        if not workloads:
            yield None, 1, 1
            return
        of = workloads.total()
        for workload, parts in workloads.items():
            yield workload, parts, of

    def _count(self, held: _Open[GroupT], group: GroupT, at: int, by: int) -> None:
        """The group is on a device, and on its card, from its first share there to its last."""
        for key, one in ((held.share.device, _ON_DEVICE), (held.card, _ON_CARD)):
            before = self._holders[group, key]
            if before + by:
                self._holders[group, key] = before + by
            else:
                del self._holders[group, key]
            if not before or not before + by:
                self._change(held.share.device.cluster, _Entry(group, one, 1, 1), at, by)

    def _change(self, cluster: int, entry: _Entry[GroupT], at: int, by: int) -> None:
        axis = self._axes[cluster]
        bucket, rest = axis.bucket(axis.position(at))
        line = self._lines[cluster, entry.group, entry.rates, entry.of]
        line.change(bucket, rest, by * entry.parts)

    def _known(self, key: Hashable, make: Callable[[], Rates]) -> Rates:
        """The same rates are one object, so that what goes by them is added up in one line."""
        found = self._rates.get(key)
        if found is None:
            made = make()
            found = self._rates[key] = self._same.setdefault(made.cells, made)
        return found


def _card(device: Device) -> Hashable:
    return (*device.key[:3], device.card, "card")


def _part(number: int, of: int) -> Number:
    return number if of == 1 else Fraction(number, of)
