"""The parts of all consumers add up to what a sweep says of the share."""

from collections import defaultdict
from typing import Any

from hypothesis import given

from inventory.history.allocations import Use as Consumed
from inventory.history.allocations import allocations
from inventory.history.axis import Axis
from inventory.history.instants import FAR, SECOND, Span
from inventory.history.measures import Measure, Sums, add
from inventory.history.rates import Amounts, Offer
from inventory.history.sweep import ClaimKey, Device, DeviceKey, Share
from tests.inventory.history.factories import LAST, Past, pasts, swept

UNIONS = (Measure.DEVICES, Measure.CARDS, Measure.THERE, Measure.THERE_CARDS, Measure.THERE_UNKNOWN)


@given(pasts())
def test_consumers_have_what_a_sweep_gives_their_workloads(past: Past) -> None:
    axis = Axis(past.coverage, [0, LAST * SECOND])
    within = [span._replace(end=min(span.end, LAST * SECOND)) for span in past.coverage]
    found: defaultdict[Any, Sums] = defaultdict(dict)
    for share in past.shares:
        uses = [
            Consumed(Span(use.start, FAR if use.end is None else use.end), (number, use.workload))
            for number, use in enumerate(past.uses)
            if use.claim == share.claim
        ]
        devices = [device for device in past.devices if device.key == share.device]
        for one in allocations(share, devices, uses, axis):
            workload = one.consumer[1] if one.consumer else None
            add(found[share.team, workload], one.sums)
    expected = {
        group: {cell: number for cell, number in sums.items() if cell.measure not in UNIONS}
        for group, sums in swept(past._replace(coverage=within), [0, LAST * SECOND])[0].items()
        if isinstance(group, tuple) and group[0] != "node"
    }
    assert dict(found) == expected


class Counted(int):
    """An instant that tells how often one is compared."""

    comparisons = 0

    def __le__(self, other: int) -> bool:
        Counted.comparisons += 1
        return int(self) <= int(other)

    def __lt__(self, other: int) -> bool:
        Counted.comparisons += 1
        return int(self) < int(other)


def test_those_who_use_a_claim_one_after_the_other_are_not_compared_with_each_other() -> None:
    many, key, nothing = 500, DeviceKey(1, "gpu.example.com", "node-1", "gpu-0"), Amounts({})
    offer = Offer(nothing, nothing, whole=True)
    device = Device(0, None, key, "node-1", "A100", accelerator=True, card="gpu-0", offer=offer)
    share = Share(0, None, key, ClaimKey(1, "c"), "vision", "team-vision", dedicated=True, consumed=nothing)
    spans = [Span(Counted(10 * number), Counted(10 * number + 15)) for number in range(many)]
    uses = [Consumed(span, number) for number, span in enumerate(spans)]
    axis = Axis([Span(0, 10 * many)], [0, 10 * many])
    found = list(allocations(share, [device], uses, axis))
    assert sum(one.part for one in found) == 10 * many
    assert Counted.comparisons < 100 * many
