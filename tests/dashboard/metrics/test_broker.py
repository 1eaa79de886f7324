"""Queues at a real Valkey, and a broker that is away."""

import redis
from pytest_django import Settings

from dashboard import environment
from tests.dashboard.metrics.conftest import Scrape, values
from tests.factories import make_cluster


def test_what_waits_is_told_queue_by_queue(scrape: Scrape, settings: Settings, valkey: str) -> None:
    settings.CACHES = {"default": environment.cache(valkey)}
    make_cluster(queue="far-away")
    with redis.Redis.from_url(valkey) as client:
        client.rpush("sliceboard", "a poll", "another")
        told = scrape()
        client.flushdb()
    assert [sample.value for sample in told["sliceboard_broker_up"].samples] == [1]
    assert values(told, "sliceboard_queue_tasks", "queue") == {"sliceboard": 2, "far-away": 0}


def test_a_broker_that_is_away_fails_no_scrape(scrape: Scrape, settings: Settings) -> None:
    settings.CACHES = {"default": environment.cache("redis://127.0.0.1:1/0")}
    told = scrape()
    assert [sample.value for sample in told["sliceboard_broker_up"].samples] == [0]
    assert "sliceboard_queue_tasks" not in told


def test_without_a_redis_nothing_is_said_of_it(scrape: Scrape) -> None:
    assert "sliceboard_broker_up" not in scrape()
