"""How old and how whole the rows are that a part of a page rests on, where they are not the page's own."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from django.utils import timezone

from inventory.models import Cluster, KindState
from inventory.queries.freshness import ClusterFreshness, Freshness, freshness
from inventory.viewer import Viewer


class Trouble(NamedTuple):
    """What is wrong with the reading of one cluster; of the kinds only those that the page rests on."""

    cluster: ClusterFreshness
    forbidden: Sequence[str]
    failed: Sequence[str]

    def __bool__(self) -> bool:
        return bool(self.cluster.stale or self.cluster.error or self.forbidden or self.failed)


class Seen(NamedTuple):
    freshness: Freshness
    troubles: Sequence[Trouble]


class Missing(NamedTuple):
    """What was not read of some cluster, kind by kind: it may be empty, and nobody knows.

    `never`: kinds that were never read; `partly`: kinds with objects that could not be read.
    """

    never: Sequence[str] = ()
    forbidden: Sequence[str] = ()
    partly: Sequence[str] = ()

    @property
    def kinds(self) -> Sequence[str]:
        """Those of which an empty list proves nothing."""
        return [*self.never, *self.forbidden]

    def among(self, kinds: Collection[str]) -> "Missing":
        return Missing(*([one for one in part if one in kinds] for part in self))


def missing(clusters: Iterable[Cluster], kinds: Collection[str]) -> Missing:
    """Of clusters as `observed` gives them; of all kinds where none are named."""
    states = [one for cluster in clusters for one in cluster.kinds.all() if not kinds or one.kind in kinds]
    denied = {one.kind for one in states if one.state == KindState.State.FORBIDDEN}
    never = {one.kind for one in states if one.succeeded_at is None} - denied
    partly = {one.kind for one in states if one.objects_skipped} - never - denied
    return Missing(sorted(never), sorted(denied), sorted(partly))


def seen(cluster: str, kinds: Sequence[str], *, viewer: Viewer) -> Seen:
    """What these kinds of a cluster were like when they were read last."""
    fresh = freshness(timezone.now(), viewer=viewer, names=[cluster], kinds=kinds)
    return Seen(fresh, [found for one in fresh.clusters if (found := trouble(one, kinds))])


def trouble(one: ClusterFreshness, kinds: Sequence[str]) -> Trouble:
    return Trouble(
        one,
        [kind for kind in one.forbidden if not kinds or kind in kinds],
        [kind for kind in one.failed if not kinds or kind in kinds],
    )
