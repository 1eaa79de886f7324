"""How long claims waited until they were allocated, and which still wait."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from fractions import Fraction
from typing import Any

import msgspec
from django.db.models import (
    BooleanField,
    Case,
    CharField,
    ExpressionWrapper,
    F,
    Q,
    QuerySet,
    Value,
    When,
)
from django.http import QueryDict

from inventory.history.buckets import Step
from inventory.history.instants import DAY, HOUR, MICROSECOND, SECOND, Span, micros
from inventory.models import ClaimEvent, ShareInterval
from inventory.models.visibility import visible
from inventory.queries.filters import Filters, Names, cluster_filter, team_filter
from inventory.queries.history.microseconds import Micros
from inventory.queries.history.pending import BORDERS, Pending, pending
from inventory.queries.history.quantiles import Quantiles, quantiles
from inventory.queries.history.read import Read, read_in, span_of
from inventory.queries.usage.filters import UsageFilter
from inventory.queries.usage.report import series
from inventory.queries.usage.rows import Period, UsageReport
from inventory.viewer import Viewer

MOST_GROUPS = 50
_COLUMN = "waited_microseconds"
_OF_CARDS = ("cluster", "product", "node")


class WaitingFilter(Filters):
    """Names are those of the time; product and node are those of the first device that was allocated."""

    cluster = cluster_filter()
    team = team_filter("team_slug")
    namespace = Names(field_name="namespace")
    product = Names(field_name="product")
    node = Names(field_name="node")

    class Meta:
        model = ClaimEvent
        fields = ()

    @property
    def names_a_holder(self) -> bool:
        return bool(self.form.cleaned_data.get("team") or self.form.cleaned_data.get("namespace"))


class WaitingRow(msgspec.Struct, frozen=True):
    """One group. `name` is empty where none was published; of what is `withheld` nobody's name is told."""

    cluster: str
    name: str
    withheld: bool
    waited: Quantiles


class WaitingStep(msgspec.Struct, frozen=True):
    """What was allocated in a time, and which part of the cards was in use; None where that is not known.

    `not_read`: nothing of it was.
    """

    span: Span
    waited: Quantiles
    in_use: Fraction | None
    not_read: bool


class Waiting(msgspec.Struct, frozen=True):
    """`counts` are of the bars between `BORDERS`, the first and the last without an end."""

    period: Period
    reads: tuple[Read, ...]
    all: Quantiles
    counts: tuple[int, ...]
    products: tuple[WaitingRow, ...]
    nodes: tuple[WaitingRow, ...]
    namespaces: tuple[WaitingRow, ...]
    steps: tuple[WaitingStep, ...]
    pending: Pending


def waiting(period: Period, filters: WaitingFilter, *, viewer: Viewer) -> Waiting:
    """A fixed number of queries. Raises ValidationError where the filters are not valid."""
    reads = read_in(period)
    # All clusters are named for the index.
    of_clusters = filters.qs.filter(cluster__in=list(reads), kind=ClaimEvent.Kind.ALLOCATED)
    rows = of_clusters.filter(at__gte=period.start, at__lt=period.end)
    if filters.names_a_holder:
        rows = rows.filter(visible(ClaimEvent, viewer))
    named, asked = _named(rows, viewer), filters.form.cleaned_data
    chosen = asked.get("cluster")
    everything = quantiles(rows, _COLUMN).get((), Quantiles())
    return Waiting(
        period=period,
        reads=tuple(one for one in reads.values() if not chosen or one.cluster in chosen),
        all=everything,
        counts=everything.between([border * SECOND for border in BORDERS]),
        products=_groups(quantiles(rows.annotate(of_cluster=Value("")), _COLUMN, ("of_cluster", "product"))),
        nodes=_groups(quantiles(rows, _COLUMN, ("cluster__name", "node"))),
        namespaces=_groups(quantiles(named, _COLUMN, ("of_cluster", "of_namespace", "withheld"))),
        steps=tuple(_steps(rows, period, filters, viewer)),
        pending=pending(asked, viewer=viewer, only_seen=filters.names_a_holder),
    )


def bars(period: Period) -> Step:
    """How long the steps over time are."""
    return Step.HOUR if period.end - period.start <= timedelta(days=8) else Step.DAY


def _named(rows: QuerySet[Any], viewer: Viewer) -> QuerySet[Any]:
    """With the names of namespaces that may be told; all others are one."""
    seen = visible(ClaimEvent, viewer)
    others: Value | Case = Value(value=False)
    if viewer.teams is not None:
        others = Case(When(seen, then=Value(value=False)), default=Value(value=True))
    named: QuerySet[Any] = rows.annotate(
        withheld=ExpressionWrapper(others, BooleanField()),
        of_cluster=_where(seen, "cluster__name"),
        of_namespace=_where(seen, "namespace"),
    )
    return named


def _where(condition: Q, column: str) -> F | Case:
    """The name where it may be told; without a condition it always may."""
    if not condition:
        return F(column)
    return Case(When(condition, then=F(column)), default=Value(""), output_field=CharField())


def _groups(found: Mapping[tuple[Any, ...], Quantiles]) -> tuple[WaitingRow, ...]:
    """Those with the most allocations first, what is withheld last."""
    rows = [
        WaitingRow(cluster, name, bool(withheld and withheld[0]), waited)
        for (cluster, name, *withheld), waited in found.items()
    ]
    order = sorted(rows, key=lambda row: (row.withheld, -_rows(row.waited), row.cluster, row.name))
    return tuple(order)


def _rows(one: Quantiles) -> int:
    return one.number + one.unknown


# --- Over time ---


def _steps(
    rows: QuerySet[Any], period: Period, filters: WaitingFilter, viewer: Viewer
) -> Iterable[WaitingStep]:
    step = bars(period)
    lasts = (HOUR if step is Step.HOUR else DAY) // MICROSECOND
    by_number = quantiles(rows.annotate(number=Micros("at") / lasts), _COLUMN, ("number",))
    for one in series(period, step, (), _of_cards(filters, viewer), viewer=viewer).steps:
        yield WaitingStep(
            span=span_of(one.period),
            waited=by_number.get((micros(one.period.start) // lasts,), Quantiles()),
            in_use=_in_use(one),
            not_read=not any(reading.read for reading in one.readings),
        )


def _of_cards(filters: WaitingFilter, viewer: Viewer) -> UsageFilter:
    """Occupancy is that of all cards on which such claims could be, whoever holds them."""
    query = QueryDict(mutable=True)
    for name in _OF_CARDS:
        query.setlist(name, filters.form.cleaned_data.get(name) or [])
    return UsageFilter(query, queryset=ShareInterval.objects.order_by(), viewer=viewer)


def _in_use(report: UsageReport) -> Fraction | None:
    """Card-equivalents that were held of the cards that were there."""
    held = sum((row.use.card_equivalents for row in report.rows), Fraction(0))
    there = sum((row.there.cards for row in report.rows if row.there), Fraction(0))
    return min(Fraction(1), held / there) if there else None
