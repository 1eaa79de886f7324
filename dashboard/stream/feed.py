"""What one stream has been told, and what it is told next."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from django.utils import timezone

from dashboard.stream import ids, wire
from dashboard.stream.wire import Reason
from inventory.models import Cluster
from inventory.queries.freshness import Ages, ages
from inventory.queries.news import rows
from inventory.queries.news.events import Mark
from inventory.queries.news.reading import News
from inventory.queries.news.rows import Audience
from inventory.viewer import Viewer

# With nothing new, so often something is sent all the same: who is gone is noticed, and proxies keep it open.
HEARTBEAT = timedelta(seconds=15)


class Question(NamedTuple):
    """What somebody listens to: clusters, namespaces and teams by name, none of them: all that he may see.

    `kinds`: those that ages are of; none of them: all. `shares`: whether each share is told of.
    """

    viewer: Viewer
    clusters: frozenset[str]
    namespaces: frozenset[str]
    teams: frozenset[str]
    kinds: frozenset[str]
    shares: bool

    def audience(self, clusters: Iterable[Cluster]) -> Audience:
        asked = frozenset(one.pk for one in clusters if not self.clusters or one.name in self.clusters)
        return Audience(self.viewer, asked, self.namespaces, self.teams)


class Batch:
    """What one look at the database found, for all who listen: in words once for each audience."""

    def __init__(self, news: News) -> None:
        self.news = news
        self._bodies: dict[Audience, list[tuple[int, Mark, bytes]]] = {}

    def bodies(self, audience: Audience) -> list[tuple[int, Mark, bytes]]:
        """Each with its cluster, and up to where that is told of with it."""
        if audience not in self._bodies:
            self._bodies[audience] = list(self._put_into_words(audience))
        return self._bodies[audience]

    def _put_into_words(self, audience: Audience) -> Iterator[tuple[int, Mark, bytes]]:
        for event in self.news.events or ():
            told = rows.told(event, audience, self.news.slugs)
            if told is not None:
                yield event.interval.cluster_id, event.mark, wire.share_body(told)


@dataclass
class Feed:
    """`marks`: up to where each cluster of the audience has been told of."""

    question: Question
    audience: Audience
    stamp: str
    marks: dict[int, Mark]
    _told: Ages | None = field(default=None, init=False)
    _told_at: datetime = field(default_factory=timezone.now, init=False)

    def news(self, batch: Batch) -> Iterator[bytes]:
        """What is new to this stream in it, in order; at the end how fresh everything is."""
        generations = {pk: made for pk, made in batch.news.generations.items() if pk in self.marks}
        if all(Mark(made) <= self.marks[pk] for pk, made in generations.items()):
            return
        if self.question.shares and not batch.news.goes_on_from(self.marks):
            yield self.snapshot(Reason.MISSED, batch.news.clusters)
            return
        if self.question.shares:
            yield from self._shares(batch)
        self._pass(generations)
        yield self.freshness(batch.news.clusters)

    def quiet(self, clusters: Collection[Cluster]) -> bytes | None:
        """What is sent while nothing changes: ages once in a while, at once when something turns stale."""
        now = timezone.now()
        found, due = self._ages(clusters, now), now - self._told_at >= HEARTBEAT
        told = self._told
        if told is None or _stale(found) != _stale(told) or (due and found != told):
            return self.freshness(clusters)
        if not due:
            return None
        self._told_at = now
        return wire.HEARTBEAT

    def snapshot(self, reason: Reason, clusters: Collection[Cluster]) -> bytes:
        """What came before it is not told one by one."""
        self._pass({one.pk: one.revision for one in clusters if one.pk in self.marks})
        return wire.snapshot(reason, self._note(clusters), ids.text(self.stamp, self.marks))

    def freshness(self, clusters: Collection[Cluster]) -> bytes:
        return wire.freshness(self._note(clusters), ids.text(self.stamp, self.marks))

    def goes_on_with(self, clusters: Collection[Cluster]) -> bool:
        """Whether it would be the same stream if it began now: no cluster came, went, or has another name."""
        audience = self.question.audience(clusters)
        return audience == self.audience and ids.stamp(audience, clusters) == self.stamp

    def _shares(self, batch: Batch) -> Iterator[bytes]:
        for cluster, mark, body in batch.bodies(self.audience):
            if self.marks[cluster] < mark:
                self.marks[cluster] = mark
                yield wire.share(body, ids.text(self.stamp, self.marks))

    def _pass(self, generations: dict[int, int]) -> None:
        for pk, made in generations.items():
            self.marks[pk] = max(self.marks[pk], Mark(made))

    def _note(self, clusters: Collection[Cluster]) -> Ages:
        self._told_at = timezone.now()
        self._told = self._ages(clusters, self._told_at)
        return self._told

    def _ages(self, clusters: Collection[Cluster], now: datetime) -> Ages:
        return ages((one for one in clusters if one.pk in self.audience.clusters), now, self.question.kinds)


def _stale(ages: Ages) -> list[bool]:
    return [one.stale for one in ages.clusters]
