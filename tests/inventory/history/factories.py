"""A small past for the sweep, made by chance, and what it adds up to second by second.

Everything begins and ends at whole seconds, so that nothing changes within one.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeVar

from hypothesis import strategies as st

from inventory.history import rates
from inventory.history.axis import Axis
from inventory.history.instants import SECOND, Span
from inventory.history.measures import Cell, Measure, Sums
from inventory.history.rates import Amounts, Offer
from inventory.history.sweep import ClaimKey, Device, DeviceKey, Share, Sweep, Use, Workload
from inventory.kube.quantity import parse

LAST = 60
CLUSTER = 1


def amounts(**texts: str | None) -> Amounts:
    return Amounts({name: None if text is None else parse(text) for name, text in texts.items()})


CAPACITIES = (amounts(memory="80Gi", cores="100"), amounts(memory="40Gi"), amounts(memory=None, cores="100"))
CONSUMED = (
    amounts(memory="8Gi", cores="10"),
    amounts(memory="12Gi"),
    amounts(cores="70", memory=None),
    amounts(cores="0"),
    amounts(),
)
OFFERS = tuple(
    Offer(capacity, card, whole) for capacity in CAPACITIES for card in CAPACITIES for whole in (True, False)
)
WORKLOADS = (Workload("Deployment", "web"), Workload("Job", "train"))


class Past(NamedTuple):
    coverage: Sequence[Span]
    devices: Sequence[Device]
    uses: Sequence[Use]
    shares: Sequence[Share]


def of_share(share: Share, device: Device, workload: Workload | None) -> tuple[Hashable, ...]:
    """By team and workload, by product, and by node."""
    return (share.team, workload), device.product, ("node", device.node)


def of_card(device: Device) -> tuple[Hashable, ...]:
    return device.product, ("node", device.node)


instants = st.integers(0, LAST)


@st.composite
def spans(draw: st.DrawFn) -> Span:
    start, end = sorted((draw(instants), draw(instants)))
    return Span(start * SECOND, end * SECOND)


@st.composite
def lasting(draw: st.DrawFn) -> tuple[int, int | None]:
    start, end = draw(spans())
    return start, draw(st.sampled_from((end, end, None)))


@st.composite
def published(draw: st.DrawFn, key: DeviceKey) -> list[Device]:
    """One after the other, perhaps with a time between them in which the device was gone."""
    borders = sorted(draw(st.lists(instants, max_size=6)))
    return [
        Device(
            start * SECOND,
            end * SECOND if end < LAST else None,
            key,
            draw(st.sampled_from(("node-1", "node-2"))),
            draw(st.sampled_from(("A100", "H100"))),
            draw(st.sampled_from((True, True, True, False))),
            draw(st.sampled_from(("card", key.device))),
            draw(st.sampled_from(OFFERS)),
        )
        for start, end in zip(borders[::2], borders[1::2], strict=False)
        if start < end
    ]


KEYS = tuple(DeviceKey(CLUSTER, "gpu.example.com", "pool", f"gpu-{number}") for number in range(3))
CLAIMS = tuple(ClaimKey(CLUSTER, f"claim-{number}") for number in range(4))


@st.composite
def shares(draw: st.DrawFn) -> Share:
    start, end = draw(lasting())
    return Share(
        start,
        end,
        draw(st.sampled_from(KEYS)),
        draw(st.sampled_from(CLAIMS)),
        draw(st.sampled_from(("vision", "speech"))),
        "namespace",
        draw(st.booleans()),
        draw(st.sampled_from(CONSUMED)),
    )


@st.composite
def uses(draw: st.DrawFn) -> Use:
    start, end = draw(lasting())
    return Use(start, end, draw(st.sampled_from(CLAIMS)), draw(st.sampled_from(WORKLOADS)))


@st.composite
def pasts(draw: st.DrawFn) -> Past:
    devices = [device for key in KEYS for device in draw(published(key))]
    return Past(
        draw(st.lists(spans(), min_size=1, max_size=3)),
        sorted(devices, key=_start),
        sorted(draw(st.lists(uses(), max_size=5)), key=_start),
        sorted(draw(st.lists(shares(), max_size=8)), key=_start),
    )


def _start(event: Device | Use | Share) -> int:
    return event.start


def swept(past: Past, borders: Sequence[int]) -> list[dict[Hashable, Sums]]:
    axes = {CLUSTER: Axis(past.coverage, borders)}
    return Sweep(axes, of_share, of_card).over(past.devices, past.uses, past.shares).integrals()


def brute(past: Past, span: Span) -> dict[Hashable, Sums]:
    """Every second by itself, as it stands in the words of the rules."""
    found: defaultdict[Hashable, Sums] = defaultdict(dict)
    for second in range(span.start, span.end, SECOND):
        if any(start <= second < end for start, end in past.coverage):
            _add_second(found, past, second)
    return dict(found)


def _add_second(found: defaultdict[Hashable, Sums], past: Past, second: int) -> None:
    on_devices: set[tuple[Hashable, Hashable]] = set()
    on_cards: set[tuple[Hashable, Hashable]] = set()
    for share in _at(past.shares, second):
        known = [one for one in past.devices if one.key == share.device and one.start <= second]
        device = known[-1] if known else None
        if device is None or not device.accelerator:
            continue
        by = rates.of_share(
            share.consumed, device.offer, dedicated=share.dedicated, published=device in _at(known, second)
        )
        workloads = [use.workload for use in _at(past.uses, second) if use.claim == share.claim]
        for workload in workloads or (None,):
            for group in of_share(share, device, workload):
                for cell, rate in by.cells:
                    _add(found[group], cell, Fraction(rate * SECOND, len(workloads) or 1))
                on_devices.add((group, share.device))
                on_cards.add((group, device.card))
    for measure, held in ((Measure.DEVICES, on_devices), (Measure.CARDS, on_cards)):
        for group, _ in held:
            _add(found[group], Cell(measure), Fraction(SECOND))
    _add_cards(found, [device for device in _at(past.devices, second) if device.accelerator])


def _add_cards(found: defaultdict[Hashable, Sums], there: Iterable[Device]) -> None:
    cards: dict[str, Device] = {}
    for device in sorted(there, key=lambda device: device.key):
        cards.setdefault(device.card, device)
    for device in cards.values():
        for group in of_card(device):
            for cell, rate in rates.of_card(device.offer).cells:
                _add(found[group], cell, Fraction(rate * SECOND))


EventT = TypeVar("EventT", Device, Use, Share)


def _at(events: Iterable[EventT], second: int) -> list[EventT]:
    return [one for one in events if one.start <= second and (one.end is None or second < one.end)]


def _add(sums: Sums, cell: Cell, number: Fraction) -> None:
    sums[cell] = sums.get(cell, 0) + number
