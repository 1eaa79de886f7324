"""What a page rests on: the same rows in the API, and the clusters and kinds that were read for it."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.http import QueryDict

# Where one is in a list, or how it is drawn: never a condition on its rows.
_NOT_CONDITIONS = ("page", "view", "at", "show")


class Source(NamedTuple):
    """`path` lies below /api/v1/, and is empty where the API has no such rows; `table`: they come as CSV too.

    `more` are conditions that the page itself sets, `dropped` parameters whose values the API does not know.
    Without `clusters` the page rests on all of them, without `kinds` on all kinds; unless it `rests` on none.
    """

    path: str = ""
    table: bool = False
    more: Sequence[tuple[str, str]] = ()
    dropped: Collection[str] = ()
    clusters: Sequence[str] = ()
    kinds: Sequence[str] = ()
    rests: bool = True

    def rests_on(self, cluster: str) -> bool:
        return self.rests and (not self.clusters or cluster in self.clusters)

    def json(self, query: QueryDict) -> str:
        return self._link(query) if self.path else ""

    def csv(self, query: QueryDict) -> str:
        return self._link(query, format="csv") if self.path and self.table else ""

    def _link(self, query: QueryDict, **form: str) -> str:
        kept = QueryDict(mutable=True)
        for name in query:
            if name not in (*_NOT_CONDITIONS, *self.dropped):
                kept.setlist(name, [value for value in query.getlist(name) if value])
        for name, value in (*self.more, *form.items()):
            kept[name] = value
        asked = kept.urlencode()
        return f"/api/v1/{self.path}?{asked}" if asked else f"/api/v1/{self.path}"


def chosen_clusters(query: QueryDict) -> list[str]:
    return [name for name in query.getlist("cluster") if name]
