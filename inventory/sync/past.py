"""How far back a transaction changes what was: from there on it has to be added up again."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from inventory.models import Cluster, Coverage, RollUp

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)


@dataclass
class Past:
    """`earliest`: the first instant of which the history says something else than before; None: of none."""

    earliest: datetime | None = None

    def changed(self, since: datetime) -> None:
        if self.earliest is None or since < self.earliest:
            self.earliest = since


def set_back(cluster: Cluster, past: Past) -> None:
    """Have the hours and days added up anew that the change lies in or before, as far as intervals are kept.

    Under the lock under which polls write. Before the first reading nothing is counted, whatever is told.
    """
    if past.earliest is None:
        return
    found = RollUp.objects.filter(cluster=cluster).first()
    if found is None or found.hours_until is None or past.earliest >= found.hours_until:
        return
    first = Coverage.objects.filter(cluster=cluster).values_list("started_at", flat=True).first()
    since = max(past.earliest, first or past.earliest)
    hours = _not_before(_hour(since), found.intervals_from, _HOUR)
    days = _not_before(_day(since), found.intervals_from, _DAY)
    found.hours_until = min(found.hours_until, hours)
    found.days_until = found.days_until and min(found.days_until, days)
    found.save(update_fields=("hours_until", "days_until"))


def _not_before(start: datetime, kept_from: datetime | None, step: timedelta) -> datetime:
    """Of an hour or day of which intervals were deleted already, the sum is all that is left."""
    if kept_from is None or start >= kept_from:
        return start
    floor = _hour(kept_from) if step == _HOUR else _day(kept_from)
    return floor if floor == kept_from else floor + step


def _hour(at: datetime) -> datetime:
    return at.replace(minute=0, second=0, microsecond=0)


def _day(at: datetime) -> datetime:
    return _hour(at).replace(hour=0)
