"""The stored sums compared with what the intervals say."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TypeAlias

from inventory.history.instants import DAY, ceil_day, floor_day, floor_hour
from inventory.history.measures import Sums
from inventory.models import Cluster, Coverage, Level, RollUp, UsageTotal
from inventory.queries.usage import stored
from inventory.rollups.adding import STEP, derived, steps
from inventory.rollups.scopes import Group, Scope
from inventory.snapshot import snapshot

_GROUP = ("scope", "driver", "product", "team_slug", "namespace", "node")
_Found: TypeAlias = Mapping[tuple[datetime, Group], Sums]


def differences(cluster: Cluster) -> Iterator[str]:
    """Every sum that is not what the intervals say, in words; of the time of which intervals are kept."""
    for level in (Level.HOUR, Level.DAY):
        after: datetime | None = None
        while True:
            # Day by day, and each in one view, or a change of the meantime would look like a fault.
            with snapshot():
                borders = _next(cluster, level, after)
                told = list(_differences(cluster, level, borders)) if borders else []
            if not borders:
                break
            yield from told
            after = borders[-1]


def _next(cluster: Cluster, level: Level, after: datetime | None) -> list[datetime]:
    """The borders of the hours, or of the day, that come next; none where there is no more."""
    found = RollUp.objects.filter(cluster=cluster).first()
    first = Coverage.objects.filter(cluster=cluster).values_list("started_at", flat=True).first()
    if found is None or first is None:
        return []
    until = found.hours_until if level is Level.HOUR else found.days_until
    known = [after, ceil_day(found.intervals_from) if found.intervals_from else None]
    if level is Level.HOUR:
        known.append(found.hours_from)
    floor = floor_hour if level is Level.HOUR else floor_day
    start = max([floor(first), *(one for one in known if one is not None)])
    if until is None or until <= start:
        return []
    return steps(start, min(floor_day(start) + DAY, until), STEP[level])


def _differences(cluster: Cluster, level: Level, borders: list[datetime]) -> Iterator[str]:
    is_ = _stored(cluster, level, borders)
    should_be = {(start, group): sums for start, group, sums in derived(cluster, level, borders)}
    for key in sorted({*is_, *should_be}):
        start, group = key
        before, after = is_.get(key, {}), should_be.get(key, {})
        for cell in sorted({*before, *after}):
            old, new = before.get(cell), after.get(cell)
            if old != new:
                what = f"{level} from {start:%Y-%m-%dT%H:%M} of {group}: {cell}"
                yield f"{what} is stored as {old}, the intervals say {new}"


def _stored(cluster: Cluster, level: Level, borders: list[datetime]) -> _Found:
    rows = UsageTotal.objects.filter(
        level=level,
        cluster=cluster,
        scope__in=Scope.values,
        starts_at__gte=borders[0],
        starts_at__lt=borders[-1],
    ).order_by()
    found: defaultdict[tuple[datetime, Group], Sums] = defaultdict(dict)
    for row in rows.values("starts_at", *_GROUP, *stored.CELL).annotate(**stored.summing()).iterator():
        scope, *names = (row[column] for column in _GROUP)
        stored.add(found[row["starts_at"], Group(Scope(scope), *names)], row)
    return found
