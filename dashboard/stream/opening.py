"""How a stream begins: with a snapshot, or with what has happened since an id."""

from typing import NamedTuple

from dashboard.stream import ids
from dashboard.stream.feed import Batch, Feed, Question
from dashboard.stream.wire import Reason
from inventory.queries.news import reading
from inventory.queries.news.events import Mark
from inventory.queries.news.reading import News


class Opening(NamedTuple):
    feed: Feed
    events: list[bytes]
    news: News


def opened(question: Question, last_id: str | None) -> Opening:
    """Reads the database."""
    news = reading.read()
    audience = question.audience(news.clusters)
    stamp = ids.stamp(audience, news.clusters)
    generations = {one.pk: one.revision for one in news.clusters if one.pk in audience.clusters}
    marks = ids.marks_of(last_id, stamp, generations) if last_id else None
    if marks is None:
        feed = Feed(question, audience, stamp, {pk: Mark(made) for pk, made in generations.items()})
        reason = Reason.UNKNOWN if last_id else Reason.FIRST
        return Opening(feed, [feed.snapshot(reason, news.clusters)], news)
    feed = Feed(question, audience, stamp, marks)
    if question.shares:
        news = reading.read(marks)
    events = list(feed.news(Batch(news))) or [feed.freshness(news.clusters)]
    return Opening(feed, events, news)
