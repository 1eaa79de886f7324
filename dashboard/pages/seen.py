"""How old and how whole the rows are that a part of a page rests on, where they are not the page's own."""

from collections.abc import Sequence
from typing import NamedTuple

from django.utils import timezone

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
