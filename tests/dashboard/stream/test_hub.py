"""Many streams on one look at the database."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import aclosing
from datetime import timedelta

import pytest
from django.db import connection, connections

from dashboard.stream import feed, hub, wire
from dashboard.stream.feed import Batch, Question
from dashboard.stream.hub import Hub, Listener
from dashboard.stream.opening import opened
from dashboard.stream.rights import Right
from inventory.models import Cluster
from inventory.queries.news import reading
from inventory.viewer import EVERYTHING
from tests.dashboard.stream.conftest import Living
from tests.factories import make_cluster
from tests.looping import run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(hub, "RIGHTS_SECONDS", 3600.0)
    monkeypatch.setattr(hub, "_GLANCE_SECONDS", 0.01)


@pytest.fixture
def streams() -> Iterator[Hub]:
    """It leaves no connection to the database behind."""
    streams = Hub()
    yield streams
    streams._database.submit(connections.close_all).result()
    streams._database.shutdown()
    streams._words.shutdown()


def listener(*clusters: str) -> Listener:
    none: frozenset[str] = frozenset()
    question = Question(EVERYTHING, frozenset(clusters), none, none, none, shares=True)
    return Listener(opened(question, None), Right(1, "a-session", "", "", ""))


def moved(cluster: Cluster) -> Batch:
    """What one look finds after it."""
    marks = opened(listener().feed.question, None).feed.marks
    Cluster.objects.filter(pk=cluster.pk).update(revision=cluster.revision + 1)
    cluster.refresh_from_db()
    return Batch(reading.read(marks))


def test_a_quiet_cluster_is_told_of_while_another_moves(
    living: Living, monkeypatch: pytest.MonkeyPatch
) -> None:
    farm, of_lab = make_cluster("farm", revision=3), listener("lab")
    of_lab.offer(moved(farm))
    assert of_lab.take()() == []
    monkeypatch.setattr(feed, "HEARTBEAT", timedelta(0))
    of_lab.offer(moved(farm))
    assert of_lab.take()() == [wire.HEARTBEAT]
    Cluster.objects.get(name="lab").kinds.update(succeeded_at=None)
    of_lab.offer(moved(farm))
    (told,) = of_lab.take()()
    assert b"event: freshness" in told
    assert b'"stale":true' in told


def test_each_cluster_that_turns_stale_is_told_at_once(living: Living) -> None:
    """Also where another one was stale before."""
    make_cluster("farm", observed_at=None)
    of_all = listener()
    assert of_all.take()() == []
    living.cluster.kinds.update(succeeded_at=None)
    of_all.clusters = reading.read().clusters
    (told,) = of_all.take()()
    assert told.count(b'"stale":true') == 3


def test_whoever_joins_late_hears_of_a_cluster_that_has_come_meanwhile(living: Living, streams: Hub) -> None:
    early, late, of_lab = listener(), listener(), listener("lab")
    make_cluster("farm")

    async def ended(one: Listener) -> None:
        async with aclosing(streams.events(one)) as events:
            async for _ in events:
                pass

    async def one_after_the_other() -> None:
        async with asyncio.timeout(60):
            steady = asyncio.create_task(ended(of_lab))
            await ended(early)
            await ended(late)
            assert not steady.done()
            streams.end_all()
            await steady

    run(one_after_the_other())


def test_streams_go_on_while_the_database_does_not_answer(
    living: Living, streams: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "HEARTBEAT", timedelta(0))
    answers = threading.Event()
    waiting = listener()

    async def listened() -> bytes:
        async with asyncio.timeout(60):
            streams._database.submit(answers.wait)
            async with aclosing(streams.events(waiting)) as events:
                return await anext(events)

    try:
        assert run(listened()) == wire.HEARTBEAT
    finally:
        answers.set()


def test_putting_into_words_asks_nothing_of_the_database(living: Living) -> None:
    one = listener()
    marks = dict(one.feed.marks)
    living.happens("a", "b")
    one.offer(Batch(reading.read(marks)))

    def refuse(*_: object) -> None:
        raise AssertionError("the database is asked")

    with connection.execute_wrapper(refuse):
        assert len(one.take()()) == 3
        assert one.take()() == []
