"""What was held over time, cut into even steps."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

import msgspec

from inventory.dra.quotas.standing import NOTHING, Measured
from inventory.history.axis import within
from inventory.history.instants import Span
from inventory.history.trend import Piece


class Limit(msgspec.Struct, frozen=True):
    """What should not be exceeded in a time."""

    span: Span
    amount: Fraction
    hard: bool


class Step(msgspec.Struct, frozen=True):
    """Of what was `read` of a step: the most that was held at once, and the integral of it over time.

    `unknown`: for how long a part of it was not known and is in neither; `over`: for how long more was held
    than a limit of that time. All times are microseconds.
    """

    span: Span
    read: int
    peak: Fraction | None
    integral: Fraction
    unknown: int
    over: int

    @property
    def mean(self) -> Fraction | None:
        return self.integral / self.read if self.read else None


def steps(
    pieces: Iterable[Piece], read: Sequence[Span], borders: Sequence[int], limits: Sequence[Limit]
) -> list[Step]:
    """Between every two borders, of what was read."""
    edges = {edge for limit in limits for edge in limit.span}
    cuts = sorted({*borders, *edges})
    spans = [Span(*pair) for pair in pairwise(borders)]
    found = [_Adding() for _ in spans]
    for piece in pieces:
        for span in within(read, piece.span):
            for start, end in _cut(span, cuts):
                place = bisect_right(borders, start) - 1
                if 0 <= place < len(found):
                    found[place].add(end - start, piece.used, _is_over(piece.used, start, limits))
    return [one.step(span) for one, span in zip(found, spans, strict=True)]


class _Adding:
    def __init__(self) -> None:
        self.read = self.unknown = self.over = 0
        self.peak: Fraction | None = None
        self.integral = NOTHING

    def add(self, time: int, used: Measured, over: bool) -> None:  # noqa: FBT001
        self.read += time
        self.integral += used.known * time
        self.peak = used.known if self.peak is None else max(self.peak, used.known)
        self.unknown += time if used.unknown else 0
        self.over += time if over else 0

    def step(self, span: Span) -> Step:
        return Step(span, self.read, self.peak, self.integral, self.unknown, self.over)


def _is_over(used: Measured, instant: int, limits: Sequence[Limit]) -> bool:
    return any(limit.span.start <= instant < limit.span.end and used.known > limit.amount for limit in limits)


def _cut(span: Span, cuts: Sequence[int]) -> Iterator[Span]:
    start = span.start
    for place in range(bisect_right(cuts, start), len(cuts)):
        if cuts[place] >= span.end:
            break
        yield Span(start, cuts[place])
        start = cuts[place]
    yield Span(start, span.end)
