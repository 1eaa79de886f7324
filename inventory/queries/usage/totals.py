"""Exact sums by bucket and group, from those of whole hours and days."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from django.db.models import Case, IntegerField, Q, QuerySet, Value, When

from inventory.history.axis import common
from inventory.history.instants import Span, micros, moment
from inventory.history.measures import Measure, Sums
from inventory.models import Level, UsageTotal
from inventory.models.visibility import visible
from inventory.queries.usage import stored
from inventory.queries.usage.groups import Key
from inventory.queries.usage.plan import Plan, Source
from inventory.queries.usage.question import Question
from inventory.queries.usage.rows import UsageGroup

_THERE = frozenset({Measure.THERE_CARDS, Measure.THERE, Measure.THERE_UNKNOWN})
_COLUMNS = {
    UsageGroup.CLUSTER: "cluster_id",
    UsageGroup.NODE: "node",
    UsageGroup.TEAM: "team_slug",
    UsageGroup.NAMESPACE: "namespace",
}
# More times are asked for as the one that has them all.
_MOST_SPANS = 8
# More of them are told apart here, time by time, and not by the statement.
_MOST_PIECES = 64


def add(found: Sequence[dict[Key, Sums]], question: Question, plan: Plan, source: Source) -> None:
    """A query for each level, or two where other sums say what was there."""
    apart = source.there is not None and source.there != source.held
    for level, spans in plan.totals.items():
        if not any(spans.values()):
            continue
        held = UsageTotal.objects.filter(scope=source.held, measure__in=question.measures)
        _add(found, question, _narrowed(held, question, held=True), level, spans)
        if apart:
            there = UsageTotal.objects.filter(scope=source.there, measure__in=question.measures & _THERE)
            _add(found, question, _narrowed(there, question, held=False), level, spans)


def _narrowed(rows: QuerySet[UsageTotal], question: Question, *, held: bool) -> QuerySet[UsageTotal]:
    wanted = question.wanted
    given = {"driver": wanted.driver, "product": wanted.product, "node": wanted.node}
    if held:
        given |= {"team_slug": wanted.team, "namespace": wanted.namespace}
    rows = rows.filter(**{f"{column}__in": names for column, names in given.items() if names})
    named = held and wanted.names_a_holder
    return rows.filter(visible(UsageTotal, question.viewer)) if named else rows


def _add(
    found: Sequence[dict[Key, Sums]],
    question: Question,
    rows: QuerySet[UsageTotal],
    level: Level,
    spans: Mapping[int, Sequence[Span]],
) -> None:
    columns = [column for group, column in _COLUMNS.items() if question.groups.has(group)]
    bucket = _bucket(question, spans)
    # Where the database cannot say it in a few words, the rows of each time come by themselves.
    times = {"cluster_id", "starts_at"} - {*columns} if bucket is None else set()
    chosen = rows.filter(_in(spans), level=level, cluster__in=list(spans)).order_by()
    groups = (
        chosen.annotate(bucket=Value(None, IntegerField()) if bucket is None else bucket)
        .values("bucket", *times, *columns, "driver", "product", *stored.CELL)
        .annotate(**stored.summing())
    )
    places = _Places(question, spans)
    for row in groups.iterator(10_000):
        place = places.of(row["cluster_id"], micros(row["starts_at"])) if bucket is None else row["bucket"]
        if place is not None:
            stored.add(found[place].setdefault(_key(row, columns), {}), row)


def _bucket(question: Question, spans: Mapping[int, Sequence[Span]]) -> Case | None:
    """In which one a row lies; null: in none of the spans."""
    if len(question.borders) > _MOST_PIECES:
        return None
    buckets = [Span(micros(start), micros(end)) for start, end in pairwise(question.borders)]
    pieces = [
        When(
            cluster=cluster,
            starts_at__gte=moment(piece.start),
            starts_at__lt=moment(piece.end),
            then=Value(place),
        )
        for cluster, some in spans.items()
        for place, one in enumerate(buckets)
        for piece in common([one], some)
    ]
    few = len(pieces) <= _MOST_PIECES
    return Case(*pieces, default=None, output_field=IntegerField()) if few else None


def _key(row: Mapping[str, Any], columns: Sequence[str]) -> Key:
    return Key(
        driver=row["driver"],
        product=row["product"],
        cluster=row.get("cluster_id") if "cluster_id" in columns else None,
        node=row.get("node"),
        team=row.get("team_slug"),
        namespace=row.get("namespace"),
    )


class _Places:
    """In which bucket an hour or day lies; None: in none of the spans."""

    def __init__(self, question: Question, spans: Mapping[int, Sequence[Span]]) -> None:
        self._borders = [micros(border) for border in question.borders]
        self._spans = spans
        self._starts = {cluster: [span.start for span in some] for cluster, some in spans.items()}

    def of(self, cluster: int, instant: int) -> int | None:
        place = bisect_right(self._starts[cluster], instant) - 1
        if place < 0 or instant >= self._spans[cluster][place].end:
            return None
        return bisect_right(self._borders, instant) - 1


def _in(spans: Mapping[int, Sequence[Span]]) -> Q:
    found = Q(pk__in=())
    for cluster, some in spans.items():
        few = some if len(some) <= _MOST_SPANS else (Span(some[0].start, some[-1].end),)
        for start, end in few:
            found |= Q(cluster=cluster, starts_at__gte=moment(start), starts_at__lt=moment(end))
    return found
