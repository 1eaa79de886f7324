"""Claims that wait to be allocated, and for how long they have."""

from bisect import bisect_right
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.db.models import Count, F, QuerySet

from inventory.models import Claim
from inventory.models.visibility import visible
from inventory.viewer import Viewer

# Where one bar of the distribution ends and the next begins, in seconds.
BORDERS = (1, 2, 5, 10, 20, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400)
MOST_PENDING = 25


class PendingRow(msgspec.Struct, frozen=True):
    id: int
    cluster: str
    namespace: str
    name: str
    team: str | None
    since: datetime | None
    waits: timedelta | None


class Pending(msgspec.Struct, frozen=True):
    """Claims that wait now: the oldest of those that may be named, and how long all of them have waited.

    `unknown`: the API server says of so many not since when.
    """

    rows: tuple[PendingRow, ...]
    number: int
    withheld: int
    counts: tuple[int, ...]
    unknown: int


def pending(asked: Mapping[str, Any], *, viewer: Viewer, only_seen: bool) -> Pending:
    """As old as they were when their cluster was read; `only_seen`: of others not even how many there are."""
    everyones = _that_wait(asked)
    seen = everyones.filter(visible(Claim, viewer))
    if only_seen:
        everyones = seen
    number, own, unknown, counts = 0, 0, 0, [0] * (len(BORDERS) + 1)
    for created, read, alike, seen_of_them in _by_instant(everyones, viewer):
        age = _age(created, read)
        number, own = number + alike, own + seen_of_them
        if age is None:
            unknown += alike
        else:
            counts[bisect_right(BORDERS, age // timedelta(seconds=1))] += alike
    oldest = seen.order_by(F("created_at").asc(nulls_last=True), "pk")[:MOST_PENDING]
    rows = tuple(_pending_row(one, viewer) for one in oldest.select_related("cluster", "namespace", "team"))
    return Pending(rows, number, number - own, tuple(counts), unknown)


def _by_instant(everyones: QuerySet[Claim], viewer: Viewer) -> QuerySet[Any, Any]:
    """How many there are of each age, and how many of these the viewer sees."""
    instants = everyones.order_by().values_list("created_at", "cluster__observed_at")
    return instants.annotate(alike=Count("pk"), seen_of_them=Count("pk", filter=visible(Claim, viewer)))


def _that_wait(asked: Mapping[str, Any]) -> QuerySet[Claim]:
    """A claim that waits has no product yet, and no node."""
    rows = Claim.objects.filter(state=Claim.State.PENDING)
    columns = {"cluster": "cluster__name", "team": "team__slug", "namespace": "namespace__name"}
    chosen = {f"{column}__in": asked[name] for name, column in columns.items() if asked.get(name)}
    return rows.filter(**chosen)


def _age(created: datetime | None, read: datetime | None) -> timedelta | None:
    return None if created is None or read is None else max(timedelta(), read - created)


def _pending_row(claim: Claim, viewer: Viewer) -> PendingRow:
    team = claim.team if claim.team and viewer.sees(claim.team.pk) else None
    return PendingRow(
        id=claim.pk,
        cluster=claim.cluster.name,
        namespace=claim.namespace.name,
        name=claim.name,
        team=team.slug if team else None,
        since=claim.created_at,
        waits=_age(claim.created_at, claim.cluster.observed_at),
    )
