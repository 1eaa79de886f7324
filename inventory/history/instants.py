"""Instants and spans as whole microseconds since 1970, UTC: no database keeps finer ones."""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

MICROSECOND = timedelta(microseconds=1)
SECOND = 10**6
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
# Later than every instant that is kept: the end of what lasts.
FAR = 2**63
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Span(NamedTuple):
    """From `start` up to, and not with, `end`."""

    start: int
    end: int


def micros(moment: datetime) -> int:
    return (moment - _EPOCH) // MICROSECOND


def moment(instant: int) -> datetime:
    return _EPOCH + timedelta(microseconds=instant)


def floor_hour(instant: datetime) -> datetime:
    """The hour, UTC, in which it lies."""
    return _EPOCH + (instant - _EPOCH) // HOUR * HOUR


def floor_day(instant: datetime) -> datetime:
    return _EPOCH + (instant - _EPOCH) // DAY * DAY


def ceil_hour(instant: datetime) -> datetime:
    return _EPOCH - (_EPOCH - instant) // HOUR * HOUR


def ceil_day(instant: datetime) -> datetime:
    return _EPOCH - (_EPOCH - instant) // DAY * DAY
