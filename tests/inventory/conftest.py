from collections.abc import Iterator

import pytest
import redis
from celery import Celery

from dashboard.celery import app


@pytest.fixture
def broker(valkey: str) -> Iterator[redis.Redis]:
    """Tasks go to this broker, and nobody works on them."""
    ours = Celery("ours", broker=valkey)
    ours.config_from_object({"task_default_queue": app.conf.task_default_queue})
    ours.set_current()
    with redis.Redis.from_url(valkey) as client:
        client.flushdb()
        yield client
        client.flushdb()
    app.set_current()
    ours.close()
