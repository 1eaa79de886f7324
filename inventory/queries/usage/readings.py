"""What was read of a period, and until when it is known exactly."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction

from inventory.history.axis import within, without
from inventory.history.instants import SECOND, Span, moment
from inventory.queries.usage.rows import Period, Reading


def readings(
    clusters: Mapping[int, str], coverage: Mapping[int, Sequence[Span]], asked: Span
) -> tuple[Reading, ...]:
    """Of each cluster, whatever part of the time was read."""
    return tuple(_reading(name, coverage[cluster], asked) for cluster, name in clusters.items())


def exact_until(coverage: Mapping[int, Sequence[Span]], asked: Span) -> datetime | None:
    """None where all of it is. Clusters that were never read say nothing of it."""
    ends = [spans[-1].end for spans in coverage.values() if spans]
    known = min(ends, default=asked.start)
    return moment(max(known, asked.start)) if known < asked.end else None


def read_seconds(spans: Sequence[Span], asked: Span) -> Fraction:
    return Fraction(sum(end - start for start, end in within(spans, asked)), SECOND)


def _reading(name: str, spans: Sequence[Span], asked: Span) -> Reading:
    return Reading(
        cluster=name,
        first=moment(spans[0].start) if spans else None,
        read=read_seconds(spans, asked),
        unread=tuple(_periods(without([asked], within(spans, asked)))),
    )


def _periods(spans: Sequence[Span]) -> Iterator[Period]:
    for start, end in spans:
        yield Period(moment(start), moment(end))
