"""Points in time as they may leave decoding: in UTC, and away from both ends of the calendar.

`9999-12-31T23:59:59-10:00` is valid on the wire, but no datetime in UTC, and a database that takes it gives
back something that Python cannot hold. A time without an offset is no point in time at all.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import msgspec

_FIRST = datetime(1, 1, 2, tzinfo=UTC)
_END = datetime(9999, 12, 31, tzinfo=UTC)
# As far as those of two machines that both work may be; and both timestamps are cut to whole seconds.
_CLOCKS_APART = timedelta(seconds=5)


def all_usable(moments: Iterable[datetime | None]) -> bool:
    """Whether they can be kept as they were decoded."""
    for moment in moments:
        if moment is not None and (moment.tzinfo is not UTC or not _FIRST <= moment < _END):
            return False
    return True


def in_utc(value: Any) -> datetime:
    """Raises ValueError."""
    try:
        moment: datetime = msgspec.convert(value, Annotated[datetime, msgspec.Meta(tz=True)]).astimezone(UTC)
    except msgspec.ValidationError as error:
        raise ValueError(f"{error}, like 2026-03-01T09:30:00Z") from error
    except OverflowError:
        moment = _END
    if not all_usable((moment,)):
        raise ValueError("the time is too far from now to be kept")
    return moment


def of_allocation(told: datetime | None, made: datetime | None) -> datetime | None:
    """When a claim was allocated by its own timestamp, where that can be so: not before it was made.

    The scheduler writes the one, the API server the other. What is a little earlier is when it was made; a
    clock that is further behind tells nothing.
    """
    if told is None or made is None or told >= made:
        return told
    return made if made - told <= _CLOCKS_APART else None
