"""When clusters were read in a period: outside of it nothing is known of what was held there."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import msgspec

from inventory.history.axis import common, united, without
from inventory.history.instants import Span, micros, moment
from inventory.models import Cluster
from inventory.queries.freshness import stale_after
from inventory.queries.usage import recorded
from inventory.queries.usage.rows import Period


class Read(msgspec.Struct, frozen=True):
    """Of one cluster in a period. `first` and `until` are the ends of all that was read of it and is kept.

    What lies after the last reading is unread only when that is stale: until then it is as new as it can be.
    """

    cluster: str
    enabled: bool
    first: datetime | None
    until: datetime | None
    spans: tuple[Span, ...]
    unread: tuple[Span, ...]


def read_in(period: Period, clusters: Collection[int] | None = None) -> dict[int, Read]:
    """By cluster, in the order of their names; of all of them where none are given. Two queries."""
    rows = Cluster.objects.order_by("name")
    if clusters is not None:
        rows = rows.filter(pk__in=clusters)
    known = list(rows.values_list("pk", "name", "enabled", "roll_up__intervals_from"))
    covered, asked = recorded.coverage(pk for pk, *_ in known), span_of(period)
    return {
        pk: _read(name, _kept(covered[pk], kept_from), asked, enabled=enabled)
        for pk, name, enabled, kept_from in known
    }


def span_of(period: Period) -> Span:
    return Span(micros(period.start), micros(period.end))


def known_together(reads: Mapping[int, Read], asked: Span) -> list[Span]:
    """When all clusters were read that were followed then: a sum over some of them would say too little.

    A cluster is followed from its first reading on; one that was taken out of service, up to its last.
    """
    followed = {pk: _followed(one, asked) for pk, one in reads.items()}
    anything = united(span for spans in followed.values() for span in spans)
    missing = [span for pk, one in reads.items() for span in without(followed[pk], one.spans)]
    return without(anything, missing)


def gap_before(read: Read, at: datetime) -> datetime | None:
    """Since when nothing had been read, where something was found at the end of such a time, or in it."""
    instant = micros(at)
    return next((moment(gap.start) for gap in read.unread if gap.start < instant <= gap.end), None)


def _followed(one: Read, asked: Span) -> list[Span]:
    if one.first is None or one.until is None:
        return []
    end = asked.end if one.enabled else micros(one.until)
    return common([asked], [Span(micros(one.first), end)])


def _kept(covered: Sequence[Span], kept_from: datetime | None) -> list[Span]:
    """What was read, from where on single intervals are kept of it."""
    return without(covered, [Span(0, micros(kept_from))] if kept_from else ())


def _read(name: str, covered: Sequence[Span], asked: Span, *, enabled: bool) -> Read:
    spans = common(covered, [asked])
    unread = without([asked], covered)
    if unread and covered and _is_fresh(unread[-1], covered[-1], asked):
        unread = unread[:-1]
    return Read(
        cluster=name,
        enabled=enabled,
        first=moment(covered[0].start) if covered else None,
        until=moment(covered[-1].end) if covered else None,
        spans=tuple(spans),
        unread=tuple(unread),
    )


def _is_fresh(gap: Span, last: Span, asked: Span) -> bool:
    at_the_end = gap.end == asked.end and gap.start == last.end
    return at_the_end and moment(gap.end) - moment(gap.start) <= stale_after()
