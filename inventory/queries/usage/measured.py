"""Exact sums by bucket and group, and what was read of the time that they are of."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import msgspec
from django.core.exceptions import ValidationError
from django.db.models import Q

from inventory.history.axis import Axis, common
from inventory.history.instants import Span, micros
from inventory.history.measures import Sums
from inventory.history.sweep import Sweep
from inventory.models import ShareInterval
from inventory.models.visibility import visible
from inventory.queries.usage import recorded
from inventory.queries.usage.filters import Wanted
from inventory.queries.usage.groups import Grouping, Groups, Key
from inventory.queries.usage.recorded import Known, Windows
from inventory.queries.usage.rows import Period, UsageGroup
from inventory.viewer import Viewer


class Question(msgspec.Struct, frozen=True):
    """`borders` are those of the buckets; `clusters` are the names of those that are asked about."""

    borders: Sequence[datetime]
    groups: Groups
    wanted: Wanted
    clusters: Mapping[int, str]
    viewer: Viewer

    @property
    def span(self) -> Span:
        return Span(micros(self.borders[0]), micros(self.borders[-1]))


def whole(period: Period) -> list[datetime]:
    """The borders of one bucket. Raises ValidationError."""
    if period.start >= period.end:
        raise ValidationError("the period ends before it begins, or lasts no time")
    return [period.start.astimezone(UTC), period.end.astimezone(UTC)]


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
        recorded.devices(looked_at, of_driver(question.wanted), known),
        recorded.uses(looked_at, _of_namespace(question.wanted)) if _needs_uses(question) else (),
        recorded.shares(looked_at, of_shares(question), known),
    )
    return sweep.integrals()


def read(question: Question, coverage: Mapping[int, Sequence[Span]]) -> dict[int, list[Span]]:
    return {cluster: common(spans, [question.span]) for cluster, spans in coverage.items()}


def _needs_uses(question: Question) -> bool:
    return question.groups.has(UsageGroup.WORKLOAD) or bool(question.wanted.workload)


def of_driver(wanted: Wanted) -> Q:
    return Q(driver__in=wanted.driver) if wanted.driver else Q()


def _of_namespace(wanted: Wanted) -> Q:
    return Q(namespace__in=wanted.namespace) if wanted.namespace else Q()


def of_shares(question: Question) -> Q:
    wanted = question.wanted
    found = of_driver(wanted) & _of_namespace(wanted)
    if wanted.team:
        found &= Q(team_slug__in=wanted.team)
    if wanted.names_a_holder:
        found &= visible(ShareInterval, question.viewer)
    return found
