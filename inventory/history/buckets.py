"""Hours, days, weeks and months as the clocks of a time zone tell them.

A day there may have 23 or 25 hours, and begin at a half hour of UTC. An hour lasts an hour: where a clock is
turned back, two of them have the same name.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum

from inventory.history.instants import HOUR


class Step(StrEnum):
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"


# No bucket but one that is cut off lasts much less.
SHORTEST: Mapping[Step, timedelta] = {
    Step.HOUR: HOUR,
    Step.DAY: timedelta(days=1),
    Step.WEEK: timedelta(days=7),
    Step.MONTH: timedelta(days=28),
}


def borders(start: datetime, end: datetime, step: Step, zone: tzinfo) -> list[datetime]:
    """Of the buckets of a period: both its ends, and every beginning of a step between them, in UTC."""
    start, end = start.astimezone(UTC), end.astimezone(UTC)
    between = _hours(start, end, zone) if step is Step.HOUR else _dates(start, end, step, zone)
    # A day that a zone has left out begins where the next one does.
    return [start, *dict.fromkeys(one for one in between if start < one < end), end]


def first_day(day: date, step: Step) -> date:
    """Of the week, which begins on Monday, or of the month, in which the day lies."""
    if step is Step.WEEK:
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if step is Step.MONTH else day


def midnight(day: date, zone: tzinfo) -> datetime:
    """When a day begins: where clocks leap over midnight, when they do so."""
    naive = datetime.combine(day, time())
    before = naive.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if before.astimezone(zone).replace(tzinfo=None) == naive:
        return before
    # Inside a gap the two readings lie on either side of the leap.
    return _leap(naive.replace(tzinfo=zone, fold=1).astimezone(UTC), before, zone)


def _leap(low: datetime, high: datetime, zone: tzinfo) -> datetime:
    """The instant in (low, high] from which on the clocks are other ones; they change at whole seconds."""
    offset = low.astimezone(zone).utcoffset()
    while high - low > timedelta(seconds=1):
        middle = low + timedelta(seconds=(high - low) // timedelta(seconds=2))
        if middle.astimezone(zone).utcoffset() == offset:
            low = middle
        else:
            high = middle
    return high


def _hours(start: datetime, end: datetime, zone: tzinfo) -> Iterator[datetime]:
    """Where clocks leap by half an hour, one that is shorter brings them back to full hours."""
    at = start - _past_the_hour(start, zone)
    while at < end:
        yield at
        at += HOUR - _past_the_hour(at, zone)


def _past_the_hour(at: datetime, zone: tzinfo) -> timedelta:
    local = at.astimezone(zone)
    return timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)


def _dates(start: datetime, end: datetime, step: Step, zone: tzinfo) -> Iterator[datetime]:
    day = first_day(start.astimezone(zone).date(), step)
    while (at := midnight(day, zone)) < end:
        yield at
        day = _next(day, step)


def _next(day: date, step: Step) -> date:
    if step is Step.MONTH:
        return (day.replace(day=28) + timedelta(days=4)).replace(day=1)
    return day + timedelta(days=7 if step is Step.WEEK else 1)
