"""Since when there is a record of a cluster, and until when."""

from collections.abc import Collection
from datetime import datetime

import msgspec
from django.db.models import Max, Min

from inventory.models import Cluster, RollUp


class Record(msgspec.Struct, frozen=True):
    """Of one cluster; without `first` nothing of it was ever recorded.

    `kept_from`: of before, only what was added up is kept.
    """

    cluster: str
    first: datetime | None
    last: datetime | None
    kept_from: datetime | None


class Recorded(msgspec.Struct, frozen=True):
    clusters: tuple[Record, ...]

    @property
    def first(self) -> datetime | None:
        return min((one.first for one in self.clusters if one.first), default=None)

    @property
    def last(self) -> datetime | None:
        return max((one.last for one in self.clusters if one.last), default=None)

    def generation(self, until: datetime) -> tuple[str, ...]:
        """What an answer about the time before `until` changes with, besides what polls found."""
        return tuple(
            f"{one.cluster}:{one.first}:{min(one.last, until) if one.last else None}:{one.kept_from}"
            for one in self.clusters
        )


def recorded(names: Collection[str] = ()) -> Recorded:
    """Of the named clusters, or of all."""
    clusters = Cluster.objects.order_by("name")
    if names:
        clusters = clusters.filter(name__in=names)
    spans = clusters.annotate(first=Min("coverage__started_at"), last=Max("coverage__ended_at"))
    kept = dict(RollUp.objects.values_list("cluster__name", "intervals_from"))
    return Recorded(tuple(Record(one.name, one.first, one.last, kept.get(one.name)) for one in spans))
