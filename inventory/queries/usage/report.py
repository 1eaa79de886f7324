"""What was held in a period, exactly: as one report, step by step, or by the hour of the day."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from fractions import Fraction
from itertools import pairwise

import msgspec
from django.core.exceptions import ValidationError

from inventory.history.buckets import SHORTEST, Step, borders
from inventory.history.instants import Span, micros, moment
from inventory.history.measures import Cell, Measure, Sums, added, card_equivalents
from inventory.queries.usage import figures, groups, measured, readings, recorded
from inventory.queries.usage.figures import seconds
from inventory.queries.usage.filters import UsageFilter, wanted
from inventory.queries.usage.groups import Groups, Key
from inventory.queries.usage.question import Question, whole
from inventory.queries.usage.rows import (
    HeatCell,
    Period,
    UsageGroup,
    UsageHeat,
    UsageReport,
    UsageRow,
    UsageSeries,
)
from inventory.snapshot import snapshot
from inventory.viewer import Viewer

# A series that is finer is asked for in parts.
MOST_STEPS = 2000
_OF_CARDS = frozenset({Measure.CARDS, Measure.CARD_PARTS, Measure.CARD_PARTS_UNKNOWN, Measure.THERE_CARDS})


def report(
    period: Period, asked: Collection[UsageGroup], filters: UsageFilter, *, viewer: Viewer
) -> UsageReport:
    """A fixed number of queries. Raises ValidationError, and of its kind NoLongerKept."""
    return _reports(_answer(whole(period), asked, filters, viewer))[0]


def series(
    period: Period,
    step: Step,
    asked: Collection[UsageGroup],
    filters: UsageFilter,
    *,
    zone: tzinfo = UTC,
    viewer: Viewer,
) -> UsageSeries:
    """Hours, days, weeks or months of a time zone; the first and the last may be cut off by the period."""
    return UsageSeries(_reports(_answer(_steps(period, step, zone), asked, filters, viewer)))


def heat(period: Period, filters: UsageFilter, *, zone: tzinfo = UTC, viewer: Viewer) -> UsageHeat:
    answer = _answer(_steps(period, Step.HOUR, zone), (), filters, viewer, _OF_CARDS)
    hours: defaultdict[tuple[date, int], list[int]] = defaultdict(list)
    for place, start in enumerate(answer.question.borders[:-1]):
        local = start.astimezone(zone)
        hours[local.date(), local.hour].append(place)
    return UsageHeat(
        period=period,
        readings=readings.readings(answer.question.clusters, answer.coverage, answer.question.span),
        cells=[_cell(answer, day, hour, places) for (day, hour), places in sorted(hours.items())],
        exact_until=readings.exact_until(answer.coverage, answer.question.span),
    )


class _Answer(msgspec.Struct, frozen=True):
    """`coverage` is when each cluster was read, `found` what was held, by bucket."""

    question: Question
    coverage: Mapping[int, Sequence[Span]]
    found: Sequence[Mapping[Key, Sums]]

    def spans(self) -> list[Span]:
        return [Span(micros(start), micros(end)) for start, end in pairwise(self.question.borders)]


def _steps(period: Period, step: Step, zone: tzinfo) -> list[datetime]:
    start, end = whole(period)
    least = (end - start) // SHORTEST[step]
    if least > MOST_STEPS:
        raise ValidationError(
            f"the period has {least} steps of a {step} or more; "
            f"ask for {MOST_STEPS} at most, or for longer steps"
        )
    return borders(start, end, step, zone)


def _answer(
    found: Sequence[datetime],
    asked: Collection[UsageGroup],
    filters: UsageFilter,
    viewer: Viewer,
    measures: frozenset[Measure] = frozenset(Measure),
) -> _Answer:
    conditions = wanted(filters)
    with snapshot():
        question = Question(found, Groups.of(asked), conditions, conditions.clusters(), viewer, measures)
        coverage = recorded.coverage(question.clusters)
        sums = measured.measure(question, coverage)
        own = groups.slugs(viewer)
    return _Answer(question, coverage, [groups.withheld(one, question.groups, own) for one in sums])


def _reports(answer: _Answer) -> list[UsageReport]:
    return [_report(answer, span, sums) for span, sums in zip(answer.spans(), answer.found, strict=True)]


def _report(answer: _Answer, span: Span, found: Mapping[Key, Sums]) -> UsageReport:
    rows = [_row(answer.question, key, sums) for key, sums in found.items()]
    return UsageReport(
        period=Period(moment(span.start), moment(span.end)),
        readings=readings.readings(answer.question.clusters, answer.coverage, span),
        rows=sorted(rows, key=_order),
        exact_until=readings.exact_until(answer.coverage, span),
    )


def _row(question: Question, key: Key, sums: Sums) -> UsageRow:
    of_cards = not question.groups.are_of_holders
    return UsageRow(
        **groups.names(key, question.clusters),
        use=figures.use(key.driver, sums),
        there=figures.there(key.driver, sums) if of_cards else None,
    )


def _order(row: UsageRow) -> tuple[object, ...]:
    """By the groups and their names; what is withheld, or has no name, last."""
    names = (row.cluster, row.team, row.namespace, row.workload_kind, row.workload_name, row.node)
    return row.withheld, [(name is None, name or "") for name in names], row.driver, row.product or ""


def _cell(answer: _Answer, day: date, hour: int, places: Sequence[int]) -> HeatCell:
    borders = answer.question.borders
    spans = [Span(micros(borders[place]), micros(borders[place + 1])) for place in places]
    sums = added(sums for place in places for sums in answer.found[place].values())
    read = (
        readings.read_seconds(spans_read, span) for spans_read in answer.coverage.values() for span in spans
    )
    return HeatCell(
        day=day,
        hour=hour,
        seconds=seconds(sum(end - start for start, end in spans)),
        read=sum(read, Fraction(0)),
        cards=seconds(sums.get(Cell(Measure.CARDS), 0)),
        card_equivalents=seconds(card_equivalents(sums)),
        card_equivalents_unknown=seconds(sums.get(Cell(Measure.CARD_PARTS_UNKNOWN), 0)),
        there=seconds(sums.get(Cell(Measure.THERE_CARDS), 0)),
    )
