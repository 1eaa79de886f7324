"""How far back a transaction changes what was: from there on it has to be added up again."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from inventory.history.instants import ceil_day, ceil_hour, floor_day, floor_hour
from inventory.models import Cluster, Coverage, RollUp


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
    found = None if past.earliest is None else RollUp.objects.filter(cluster=cluster).first()
    if past.earliest is None or found is None:
        return
    added_up = found.hours_until is not None and past.earliest < found.hours_until
    if not added_up and past.earliest >= floor_hour(timezone.now()):
        return
    # Also where nothing is set back: what is over may be added up at this moment.
    found.changes += 1
    if added_up:
        _set_back(found, past.earliest)
    found.save(update_fields=("hours_until", "days_until", "changes"))


def _set_back(found: RollUp, earliest: datetime) -> None:
    first = Coverage.objects.filter(cluster=found.cluster_id).values_list("started_at", flat=True).first()
    since = max(earliest, first or earliest)
    hours = _not_before(floor_hour(since), found.intervals_from, ceil_hour)
    days = _not_before(floor_day(since), found.intervals_from, ceil_day)
    found.hours_until = found.hours_until and min(found.hours_until, hours)
    found.days_until = found.days_until and min(found.days_until, days)


def _not_before(
    start: datetime, kept_from: datetime | None, following: Callable[[datetime], datetime]
) -> datetime:
    """Of an hour or day of which intervals were deleted already, the sum is all that is left."""
    return start if kept_from is None or start >= kept_from else following(kept_from)
