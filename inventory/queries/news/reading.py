"""One look at the database for all who listen."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inventory.models import Cluster, Team
from inventory.queries.freshness import with_kinds
from inventory.queries.news import events
from inventory.queries.news.events import Mark, ShareEvent
from inventory.snapshot import snapshot

# More is not told one by one: whoever needs it reads the lists.
MOST = 1000


class News(NamedTuple):
    """`events` are those since the marks; None where they were not asked for, or are too many.

    Clusters come with how each of their kinds was read. `slugs` are those of all teams, by id.
    """

    clusters: Sequence[Cluster]
    events: Sequence[ShareEvent] | None
    marks: Mapping[int, Mark]
    slugs: Mapping[int, str]

    @property
    def generations(self) -> dict[int, int]:
        return {cluster.pk: cluster.revision for cluster in self.clusters}

    def goes_on_from(self, marks: Mapping[int, Mark]) -> bool:
        """Whether it has every event that is newer than these marks."""
        newer = [pk for pk, made in self.generations.items() if pk in marks and marks[pk] < Mark(made)]
        return self.events is not None and all(
            pk in self.marks and self.marks[pk] <= marks[pk] for pk in newer
        )


def read(marks: Mapping[int, Mark] | None = None) -> News:
    """In one view of the database; with marks also what has happened to shares of these clusters since."""
    with snapshot():
        clusters = list(with_kinds())
        if marks is None:
            return News(clusters, None, {}, {})
        generations = {cluster.pk: cluster.revision for cluster in clusters}
        told = {pk: mark for pk, mark in marks.items() if pk in generations}
        found = events.since(told, generations, MOST)
        slugs = dict(Team.objects.order_by().values_list("pk", "slug")) if found else {}
    return News(clusters, found, told, slugs)
