"""Claims that wait to be allocated, and for how long they have."""

from bisect import bisect_right
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.db.models import Count, F, QuerySet

from inventory.models import Claim
from inventory.models.visibility import visible
from inventory.queries.at_once import Questions, number_of
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


class AskedPending:
    """As old as they were when their cluster was read; `only_seen`: of others not even how many there are."""

    def __init__(
        self, asked: Mapping[str, Any], viewer: Viewer, questions: Questions, *, only_seen: bool
    ) -> None:
        everyones = _that_wait(asked)
        seen = everyones.filter(visible(Claim, viewer))
        if only_seen:
            everyones = seen
        instants = everyones.order_by().values_list("created_at", "cluster__observed_at")
        oldest = seen.order_by(F("created_at").asc(nulls_last=True), "pk").values_list(*_COLUMNS)
        self._viewer = viewer
        self._instants = questions.ask(instants.annotate(times=Count("pk")))
        self._seen = questions.ask(number_of(seen))
        self._oldest = questions.ask(oldest[:MOST_PENDING])

    def found(self) -> Pending:
        number, unknown, counts = 0, 0, [0] * (len(BORDERS) + 1)
        for created, read, times in self._instants.rows:
            age = _age(created, read)
            number += times
            if age is None:
                unknown += times
            else:
                counts[bisect_right(BORDERS, age // timedelta(seconds=1))] += times
        rows = tuple(_pending_row(self._viewer, *one) for one in self._oldest.rows)
        return Pending(rows, number, number - self._seen.number, tuple(counts), unknown)


_COLUMNS = (
    "pk",
    "cluster__name",
    "cluster__observed_at",
    "namespace__name",
    "name",
    "team_id",
    "team__slug",
    "created_at",
)


def _that_wait(asked: Mapping[str, Any]) -> QuerySet[Claim]:
    """A claim that waits has no product yet, and no node."""
    rows = Claim.objects.filter(state=Claim.State.PENDING)
    columns = {"cluster": "cluster__name", "team": "team__slug", "namespace": "namespace__name"}
    chosen = {f"{column}__in": asked[name] for name, column in columns.items() if asked.get(name)}
    return rows.filter(**chosen)


def _age(created: datetime | None, read: datetime | None) -> timedelta | None:
    return None if created is None or read is None else max(timedelta(), read - created)


def _pending_row(
    viewer: Viewer,
    pk: int,
    cluster: str,
    read: datetime | None,
    namespace: str,
    name: str,
    team: int | None,
    slug: str | None,
    created: datetime | None,
) -> PendingRow:
    told = slug if viewer.sees(team) else None
    return PendingRow(pk, cluster, namespace, name, told, created, _age(created, read))
