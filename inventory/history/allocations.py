"""What one share gave each consumer of its claim, one by one.

It divides the time of a share as `sweep` does, so that the parts of all consumers, and of the times in which
nobody used the claim, add up to what the share held.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

from inventory.history import rates
from inventory.history.axis import Axis
from inventory.history.instants import FAR, Span
from inventory.history.measures import Sums
from inventory.history.rates import Rates
from inventory.history.sweep import Device, Share

ConsumerT = TypeVar("ConsumerT", bound=Hashable)


class Use(NamedTuple, Generic[ConsumerT]):
    """A claim that was reserved for a consumer."""

    span: Span
    consumer: ConsumerT


class Allocation(NamedTuple, Generic[ConsumerT]):
    """`consumer` is None where nobody used the claim; `time` is what counts of the span, in microseconds, and
    `part` what the consumer has of that."""

    consumer: ConsumerT | None
    device: Device
    span: Span
    time: int
    part: Fraction
    sums: Sums


class _Run(NamedTuple):
    """A time in which a device stayed as it was."""

    span: Span
    device: Device
    published: bool


def allocations(
    share: Share, devices: Sequence[Device], uses: Sequence[Use[ConsumerT]], axis: Axis
) -> Iterator[Allocation[ConsumerT]]:
    """`devices` are what the share's device was published as, in order; one without any time is left out."""
    held = _common(Span(share.start, FAR if share.end is None else share.end), axis.span)
    for run in _runs(devices):
        span = _common(held, run.span) if held and run.device.accelerator else None
        if span is None:
            continue
        by = rates.of_share(
            share.consumed, run.device.offer, dedicated=share.dedicated, published=run.published
        )
        yield from _parts(run.device, span, by, uses, axis)


def _runs(devices: Sequence[Device]) -> Iterator[_Run]:
    following_starts = [*(device.start for device in devices[1:]), FAR]
    for device, following in zip(devices, following_starts, strict=False):
        end = following if device.end is None else min(device.end, following)
        yield _Run(Span(device.start, end), device, published=True)
        yield _Run(Span(end, following), device, published=False)


def _parts(
    device: Device, span: Span, by: Rates, uses: Sequence[Use[ConsumerT]], axis: Axis
) -> Iterator[Allocation[ConsumerT]]:
    inside = [(use, both) for use in uses if (both := _common(use.span, span))]
    borders = sorted({*span, *(instant for _, both in inside for instant in both)})
    pieces = [(piece, _time(piece, axis)) for piece in map(Span._make, pairwise(borders))]
    users = [sum(_covers(both, piece) for _, both in inside) for piece, _ in pieces]
    for use, both in inside:
        own = [
            (time, Fraction(time, of))
            for (piece, time), of in zip(pieces, users, strict=True)
            if _covers(both, piece)
        ]
        yield from _told(use.consumer, device, both, own, by)
    for (piece, time), of in zip(pieces, users, strict=True):
        if not of:
            yield from _told(None, device, piece, [(time, Fraction(time))], by)


def _told(
    consumer: ConsumerT | None,
    device: Device,
    span: Span,
    own: Iterable[tuple[int, Fraction]],
    by: Rates,
) -> Iterator[Allocation[ConsumerT]]:
    times, parts = zip(*own, strict=True)
    if not sum(times):
        return
    part = sum(parts, Fraction(0))
    sums: Sums = {cell: rate * part for cell, rate in by.cells}
    yield Allocation(consumer, device, span, sum(times), part, sums)


def _common(some: Span, other: Span) -> Span | None:
    both = Span(max(some.start, other.start), min(some.end, other.end))
    return both if both.start < both.end else None


def _covers(span: Span, piece: Span) -> bool:
    return span.start <= piece.start and piece.end <= span.end


def _time(span: Span, axis: Axis) -> int:
    return axis.position(span.end) - axis.position(span.start)
