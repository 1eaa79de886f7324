"""What one share gave each consumer of its claim, one by one.

It divides the time of a share as `sweep` does, so that the parts of all consumers, and of the times in which
nobody used the claim, add up to what the share held.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Generic, NamedTuple, TypeVar

from inventory.history import rates
from inventory.history.axis import Axis
from inventory.history.instants import FAR, Span
from inventory.history.measures import Sums
from inventory.history.rates import Rates
from inventory.history.sweep import Device, Share

ConsumerT = TypeVar("ConsumerT", bound=Hashable)
_NO_TIME = Fraction(0)


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
    pieces = _pieces(span, [both for _, both in inside], axis)
    places = {piece.span.start: place for place, piece in enumerate(pieces)}
    # What one has who uses the claim from the beginning on: of others it is the difference of two of these.
    parts = list(accumulate((piece.part for piece in pieces), initial=_NO_TIME))
    for use, both in inside:
        first, last = places[both.start], places.get(both.end, len(pieces))
        yield from _told(use.consumer, device, both, _time(both, axis), parts[last] - parts[first], by)
    for piece in pieces:
        if not piece.users:
            yield from _told(None, device, piece.span, piece.time, Fraction(piece.time), by)


class _Piece(NamedTuple):
    """A time in which so many use the claim."""

    span: Span
    users: int
    time: int

    @property
    def part(self) -> Fraction:
        """What each of them has."""
        return Fraction(self.time, self.users) if self.users else _NO_TIME


def _pieces(span: Span, used: Iterable[Span], axis: Axis) -> list[_Piece]:
    changes: Counter[int] = Counter(dict.fromkeys(span, 0))
    for start, end in used:
        changes[start] += 1
        changes[end] -= 1
    borders = sorted(changes)
    users = accumulate(changes[border] for border in borders)
    pieces = map(Span._make, pairwise(borders))
    return [_Piece(piece, number, _time(piece, axis)) for piece, number in zip(pieces, users, strict=False)]


def _told(
    consumer: ConsumerT | None, device: Device, span: Span, time: int, part: Fraction, by: Rates
) -> Iterator[Allocation[ConsumerT]]:
    if time:
        sums: Sums = {cell: rate * part for cell, rate in by.cells}
        yield Allocation(consumer, device, span, time, part, sums)


def _common(some: Span, other: Span) -> Span | None:
    both = Span(max(some.start, other.start), min(some.end, other.end))
    return both if both.start < both.end else None


def _time(span: Span, axis: Axis) -> int:
    return axis.position(span.end) - axis.position(span.start)
