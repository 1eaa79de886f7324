"""Usage as it goes over the wire."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import get_type_hints

import msgspec

from dashboard.api.hours import Hours, hours, known_hours
from inventory.dra.units import Unit
from inventory.history.instants import SECOND, micros
from inventory.queries.briefs import Workload
from inventory.queries.usage.rows import Integral, Period, Reading, There, UsageReport, UsageRow


class SpanRow(msgspec.Struct, frozen=True):
    """From the one instant up to, and not with, the other."""

    starts_at: datetime
    ends_at: datetime


class ReadingRow(msgspec.Struct, frozen=True):
    """How much of a period is known of one cluster: of `unread`, neither what was held nor that it was free.

    `first_record` is since when there is any record of the cluster; null before the first.
    """

    cluster: str
    first_record: datetime | None
    read_hours: Hours
    unread_hours: Hours
    unread: tuple[SpanRow, ...]


class DimensionHoursRow(msgspec.Struct, frozen=True):
    """Of one dimension. `unknown` are share-hours, or card-hours of a capacity, of which the amount is not
    known: they are not in `hours`."""

    unit: Unit
    hours: Hours
    unknown: Hours


class ThereRow(msgspec.Struct, frozen=True):
    """What there was, held or not."""

    card_hours: Hours
    capacity: Mapping[str, DimensionHoursRow]


class GroupUsageRow(msgspec.Struct, frozen=True):
    """What a group held of the devices of one driver and product.

    Of the fields that name groups, those are null that were not asked for; `team` and `namespace` also where
    it was nobody's. `withheld`: the viewer may not read the names behind the row, which adds up all of these.
    `device_hours` and `card_hours` count while at least one share of the group is on a device or card, and do
    not add up over groups; all others do. `there` is null where a group has no cards of its own.
    """

    cluster: str | None
    team: str | None
    namespace: str | None
    workload: Workload | None
    node: str | None
    withheld: bool
    driver: str
    product: str | None
    share_hours: Hours
    device_hours: Hours
    card_hours: Hours
    card_equivalent_hours: Hours
    card_equivalent_hours_unknown: Hours
    held: Mapping[str, DimensionHoursRow]
    there: ThereRow | None


class UsageStepRow(msgspec.Struct, frozen=True):
    """One step of a series. `exact_until`: what is later is not over, or was not read so far."""

    starts_at: datetime
    ends_at: datetime
    exact_until: datetime | None
    readings: tuple[ReadingRow, ...]
    groups: tuple[GroupUsageRow, ...]


class _LineSpan(msgspec.Struct, frozen=True):
    """What a line of a table says of its time, since there is no envelope to say it."""

    starts_at: datetime
    ends_at: datetime
    read_hours: Hours
    unread_hours: Hours


# A line of a table is flat; without a group its fields are empty.
_GROUP = get_type_hints(GroupUsageRow)
UsageLine = msgspec.defstruct(
    "UsageLine",
    [*get_type_hints(_LineSpan).items(), *((name, hint | None) for name, hint in _GROUP.items())],
    frozen=True,
)


def group_row(row: UsageRow) -> GroupUsageRow:
    use = row.use
    return GroupUsageRow(
        cluster=row.cluster,
        team=row.team,
        namespace=row.namespace,
        workload=Workload(row.workload_kind or "", row.workload_name) if row.workload_name else None,
        node=row.node,
        withheld=row.withheld,
        driver=row.driver,
        product=row.product,
        share_hours=hours(use.shares),
        device_hours=hours(use.devices),
        card_hours=hours(use.cards),
        card_equivalent_hours=known_hours(use.card_equivalents, use.card_equivalents_unknown),
        card_equivalent_hours_unknown=hours(use.card_equivalents_unknown),
        held=_dimensions(use.amounts),
        there=_there(row.there),
    )


def reading_row(one: Reading) -> ReadingRow:
    return ReadingRow(
        cluster=one.cluster,
        first_record=one.first,
        read_hours=hours(one.read),
        unread_hours=hours(_length(one.unread)),
        unread=tuple(SpanRow(span.start, span.end) for span in one.unread),
    )


def step_row(report: UsageReport) -> UsageStepRow:
    return UsageStepRow(
        starts_at=report.period.start,
        ends_at=report.period.end,
        exact_until=report.exact_until,
        readings=tuple(map(reading_row, report.readings)),
        groups=tuple(map(group_row, report.rows)),
    )


def lines(report: UsageReport) -> Iterable[msgspec.Struct]:
    """A period in which nothing was held has one line, without a group: it says what was read of it."""
    rows: Sequence[UsageRow | None] = report.rows or [None]
    for row in rows:
        own = [one for one in report.readings if row is None or row.cluster in (None, one.cluster)]
        span = {
            "starts_at": report.period.start,
            "ends_at": report.period.end,
            "read_hours": hours(sum((one.read for one in own), Fraction())),
            "unread_hours": hours(_length(span for one in own for span in one.unread)),
        }
        group = dict.fromkeys(_GROUP) if row is None else msgspec.structs.asdict(group_row(row))
        yield UsageLine(**span, **group)


def dimensions_of(reports: Iterable[UsageReport]) -> Sequence[str]:
    found = {
        one.dimension
        for report in reports
        for row in report.rows
        for one in (*row.use.amounts, *(row.there.capacity if row.there else ()))
    }
    return sorted(found)


def _dimensions(amounts: Iterable[Integral]) -> Mapping[str, DimensionHoursRow]:
    return {
        one.dimension: DimensionHoursRow(one.unit, known_hours(one.total, one.unknown), hours(one.unknown))
        for one in amounts
    }


def _there(found: There | None) -> ThereRow | None:
    return ThereRow(hours(found.cards), _dimensions(found.capacity)) if found else None


def _length(spans: Iterable[Period]) -> Fraction:
    """In seconds, to the microsecond."""
    return Fraction(sum(micros(one.end) - micros(one.start) for one in spans), SECOND)
