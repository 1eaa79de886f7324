"""The time that counts: what was asked for, as far as it was read. Everything else takes no time at all.

An axis maps instants to the time that counts before them. What lasts over a gap of it lasts as much less, so
nobody who adds up has to know of gaps.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from inventory.history.instants import Span


def united(spans: Iterable[Span]) -> list[Span]:
    """In order, without overlap, and none that is empty."""
    found: list[Span] = []
    for span in sorted(span for span in spans if span.end > span.start):
        if found and span.start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


def common(some: Iterable[Span], others: Iterable[Span]) -> list[Span]:
    """What lies in both."""
    left, right = united(some), united(others)
    found, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        both = Span(max(left[i].start, right[j].start), min(left[i].end, right[j].end))
        if both.start < both.end:
            found.append(both)
        if left[i].end <= right[j].end:
            i += 1
        else:
            j += 1
    return found


def without(spans: Iterable[Span], taken: Iterable[Span]) -> list[Span]:
    """What lies in the spans and in none of those that are taken."""
    gaps, found, place = united(taken), [], 0
    for start, end in united(spans):
        at = start
        while place < len(gaps) and gaps[place].start < end:
            if gaps[place].start > at:
                found.append(Span(at, gaps[place].start))
            at = max(at, gaps[place].end)
            if at > end:
                # It reaches into the next span, perhaps.
                break
            place += 1
        if at < end:
            found.append(Span(at, end))
    return found


def within(spans: Sequence[Span], asked: Span) -> list[Span]:
    """What of spans that are in order and apart lies in one span; it looks at no others."""
    found = []
    for place in range(bisect_right(spans, asked.start, key=_end), len(spans)):
        both = Span(max(spans[place].start, asked.start), min(spans[place].end, asked.end))
        if both.start >= both.end:
            break
        found.append(both)
    return found


def _end(span: Span) -> int:
    return span.end


class Axis:
    """`borders` divide it into buckets, one fewer than there are borders."""

    def __init__(self, spans: Iterable[Span], borders: Sequence[int]) -> None:
        self._spans = united(spans)
        self._starts = [span.start for span in self._spans]
        lengths = (span.end - span.start for span in self._spans)
        self._before = list(accumulate(lengths, initial=0))
        self._borders = [self.position(border) for border in borders]

    @property
    def span(self) -> Span:
        """From the first to the last moment that counts."""
        return Span(self._spans[0].start, self._spans[-1].end) if self._spans else Span(0, 0)

    def position(self, instant: int) -> int:
        """The time that counts before it."""
        place = bisect_right(self._starts, instant) - 1
        if place < 0:
            return 0
        span = self._spans[place]
        return self._before[place] + min(instant, span.end) - span.start

    def bucket(self, position: int) -> tuple[int, int]:
        """In which bucket a position lies, and how much of it is left from there on."""
        borders = self._borders
        if position <= borders[0]:
            return 0, borders[1] - borders[0]
        place = bisect_left(borders, position) - 1
        if place >= len(borders) - 1:
            return len(borders) - 2, 0
        return place, borders[place + 1] - position

    @property
    def lengths(self) -> list[int]:
        """Of the buckets."""
        return [end - start for start, end in zip(self._borders, self._borders[1:], strict=False)]
