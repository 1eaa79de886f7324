"""From where a question is answered: whole days and hours from their sums, all else from intervals.

The sums say nothing that the intervals do not say. So where both are there, either gives the same answer.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import chain, pairwise

import msgspec
from django.core.exceptions import ValidationError

from inventory.history.axis import common, united, without
from inventory.history.instants import (
    Span,
    ceil_day,
    ceil_hour,
    floor_day,
    floor_hour,
    micros,
    moment,
)
from inventory.models import Level, RollUp, UsageTotal
from inventory.queries.usage.filters import Wanted
from inventory.queries.usage.groups import Groups
from inventory.queries.usage.rows import UsageGroup

Scope = UsageTotal.Scope


class NoLongerKept(ValidationError):
    """What was asked for is known, but not in this detail any more; `since` is from when on it is."""

    def __init__(self, cluster: str, since: datetime) -> None:
        super().__init__(
            f"the shares of cluster {cluster} are kept since {since:%Y-%m-%dT%H:%MZ}: of the time before, "
            "ask for whole days of UTC, by product, team, namespace or node"
        )
        self.since = since


class Source(msgspec.Struct, frozen=True):
    """Sums that answer a question: of what is held those of one scope, of what is there those of another."""

    held: UsageTotal.Scope
    # None: nobody asks for it.
    there: UsageTotal.Scope | None
    levels: frozenset[Level]


class Plan(msgspec.Struct, frozen=True):
    """Of each cluster, which times are answered from sums, and which from intervals."""

    totals: Mapping[Level, Mapping[int, Sequence[Span]]]
    intervals: Mapping[int, Sequence[Span]]


def source(groups: Groups, wanted: Wanted) -> Source | None:
    """None where no sums are kept by these groups.

    How long a group was on devices and cards does not add up over teams or namespaces that are one group of
    the question. Over products, nodes and clusters it does: a device is one of each.
    """
    if groups.has(UsageGroup.WORKLOAD) or wanted.is_of_single_shares:
        return None
    of_holders = groups.has(UsageGroup.TEAM) or wanted.names_a_holder
    if groups.has(UsageGroup.NODE) or wanted.node:
        return None if of_holders else Source(Scope.NODE, Scope.NODE, frozenset({Level.DAY}))
    held = _held_by(groups, wanted) if of_holders else Scope.PRODUCT
    there = None if groups.are_of_holders else Scope.PRODUCT
    return None if held is None else Source(held, there, frozenset(Level))


def _held_by(groups: Groups, wanted: Wanted) -> UsageTotal.Scope | None:
    one_team = groups.has(UsageGroup.TEAM) or len(wanted.team) == 1
    one_namespace = groups.has(UsageGroup.NAMESPACE) or len(wanted.namespace) == 1
    if one_team and one_namespace:
        return Scope.NAMESPACE
    return Scope.TEAM if one_team and not wanted.namespace else None


def planned(
    borders: Sequence[datetime],
    read: Mapping[int, Sequence[Span]],
    clusters: Mapping[int, str],
    found: Source | None,
) -> Plan:
    """Raises NoLongerKept."""
    kept = {one.cluster_id: one for one in RollUp.objects.filter(cluster__in=list(clusters))}
    totals: dict[Level, dict[int, Sequence[Span]]] = {level: {} for level in Level}
    intervals: dict[int, Sequence[Span]] = {}
    for cluster, spans in read.items():
        added_up = kept.get(cluster) if spans else None
        rest: list[Span] = list(spans)
        if added_up is not None:
            days, hours = _whole(borders, added_up, found.levels if found else frozenset())
            totals[Level.DAY][cluster], totals[Level.HOUR][cluster] = days, hours
            rest = without(spans, [*days, *hours])
            _refuse_what_is_gone(rest, clusters[cluster], added_up.intervals_from)
        intervals[cluster] = rest
    return Plan(totals, intervals)


def _whole(
    borders: Sequence[datetime], added_up: RollUp, levels: frozenset[Level]
) -> tuple[list[Span], list[Span]]:
    """The days, and the hours beside these, that lie in one bucket each."""
    days: list[Span] = []
    if Level.DAY in levels:
        days = _inside(pairwise(borders), ceil_day, floor_day, None, added_up.days_until)
    if Level.HOUR not in levels:
        return days, []
    left = chain.from_iterable(_left(bucket, days) for bucket in pairwise(borders))
    return days, _inside(left, ceil_hour, floor_hour, added_up.hours_from, added_up.hours_until)


def _inside(
    spans: Iterable[tuple[datetime, datetime]],
    up: Callable[[datetime], datetime],
    down: Callable[[datetime], datetime],
    since: datetime | None,
    until: datetime | None,
) -> list[Span]:
    if until is None:
        return []
    found = (
        Span(micros(up(max(start, since) if since else start)), micros(min(down(end), until)))
        for start, end in spans
    )
    return united(found)


def _left(bucket: tuple[datetime, datetime], days: Sequence[Span]) -> list[tuple[datetime, datetime]]:
    """Bucket by bucket, so that no hour is taken that lies in two of them."""
    span = Span(micros(bucket[0]), micros(bucket[1]))
    return [(moment(start), moment(end)) for start, end in without([span], common([span], days))]


def _refuse_what_is_gone(rest: Sequence[Span], cluster: str, kept_from: datetime | None) -> None:
    if kept_from is not None and rest and rest[0].start < micros(kept_from):
        raise NoLongerKept(cluster, kept_from)
