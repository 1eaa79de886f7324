"""How far the record of each cluster reaches."""

from collections.abc import Collection
from datetime import datetime

import msgspec
from django.db.models import Max, Min

from inventory.models import Cluster
from inventory.queries.freshness import stale_after


class Record(msgspec.Struct, frozen=True):
    """Of one cluster; without `first` nothing of it was ever recorded.

    `kept_from`: of before, only what was added up is kept.
    """

    cluster: str
    first: datetime | None
    last: datetime | None
    kept_from: datetime | None


class Reach(msgspec.Struct, frozen=True):
    clusters: tuple[Record, ...]

    @property
    def first(self) -> datetime | None:
        return min((one.first for one in self.clusters if one.first), default=None)

    def so_far(self, now: datetime) -> datetime:
        """Until when there can be a record now: clusters that are read are behind by moments."""
        read = [one.last for one in self.clusters if one.last and now - one.last <= stale_after()]
        return min(read, default=now)

    def generation(self, until: datetime) -> tuple[str, ...]:
        """What an answer about the time before `until` changes with, besides what polls found."""
        return tuple(
            f"{one.cluster}:{one.first}:{min(one.last, until) if one.last else None}:{one.kept_from}"
            for one in self.clusters
        )


def reach(names: Collection[str] = ()) -> Reach:
    """Of the named clusters, or of all."""
    clusters = Cluster.objects.order_by("name")
    if names:
        clusters = clusters.filter(name__in=names)
    spans = clusters.values_list("name", "roll_up__intervals_from").annotate(
        first=Min("coverage__started_at"), last=Max("coverage__ended_at")
    )
    return Reach(tuple(Record(name, first, last, kept_from) for name, kept_from, first, last in spans))
