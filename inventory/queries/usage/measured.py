"""Exact sums by bucket and group: from sums where there are some, and from intervals."""

from collections.abc import Mapping, Sequence

from inventory.history.axis import Axis, common
from inventory.history.instants import Span, micros
from inventory.history.measures import Sums
from inventory.history.sweep import Sweep
from inventory.queries.usage import plan, recorded, totals
from inventory.queries.usage.groups import Grouping, Key
from inventory.queries.usage.question import Question
from inventory.queries.usage.recorded import Known, Windows


def measure(question: Question, coverage: Mapping[int, Sequence[Span]]) -> list[dict[Key, Sums]]:
    """Raises NoLongerKept."""
    source = plan.source(question.groups, question.wanted)
    planned = plan.planned(question.borders, read(question, coverage), question.clusters, source)
    found = from_intervals(question, planned.intervals)
    if source is not None:
        totals.add(found, question, planned, source)
    return found


def read(question: Question, coverage: Mapping[int, Sequence[Span]]) -> dict[int, list[Span]]:
    return {cluster: common(spans, [question.span]) for cluster, spans in coverage.items()}


def from_intervals(question: Question, windows: Windows) -> list[dict[Key, Sums]]:
    """By bucket; of each cluster what lies in its windows, which are times that were read."""
    borders = [micros(border) for border in question.borders]
    axes = {cluster: Axis(spans, borders) for cluster, spans in windows.items() if spans}
    if not axes:
        return [{} for _ in borders[1:]]
    grouping, known = Grouping(question.groups, question.wanted), Known()
    looked_at = {cluster: windows[cluster] for cluster in axes}
    sweep = Sweep(axes, grouping.of_share, grouping.of_card)
    sweep.over(
        recorded.devices(looked_at, question.of_devices(), known),
        recorded.uses(looked_at, question.of_uses()) if question.needs_uses else (),
        recorded.shares(looked_at, question.of_shares(), known),
    )
    return sweep.integrals()
