"""The parts of all consumers add up to what a sweep says of the share."""

from collections import defaultdict
from typing import Any

from hypothesis import given

from inventory.history.allocations import Use as Consumed
from inventory.history.allocations import allocations
from inventory.history.axis import Axis
from inventory.history.instants import FAR, SECOND, Span
from inventory.history.measures import Measure, Sums, add
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
