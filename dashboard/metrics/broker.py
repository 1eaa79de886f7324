"""How many tasks wait at the broker. One that does not answer holds no scrape up."""

from collections.abc import Iterator, Mapping, Sequence

import redis
from django.conf import settings
from prometheus_client.metrics_core import Metric
from redis.backoff import NoBackoff
from redis.retry import Retry

from dashboard.metrics.families import family

_SECONDS = 1


def told(queues_of_clusters: Sequence[str]) -> Iterator[Metric]:
    """Nothing where there is no broker whose queues can be looked at."""
    # The cache is the Redis that is the broker, by an address that its client understands.
    url: str | None = settings.CACHES["default"].get("LOCATION")
    if url is None:
        return
    lengths = _lengths(url, sorted({settings.CELERY_TASK_DEFAULT_QUEUE, *queues_of_clusters}))
    yield family("broker_up", "Whether the broker answers.", (), [((), lengths is not None)])
    if lengths is not None:
        waiting = (((queue,), length) for queue, length in lengths.items())
        yield family("queue_tasks", "Tasks that wait for a worker.", ("queue",), waiting)


def _lengths(url: str, queues: Sequence[str]) -> Mapping[str, int] | None:
    """None where the broker does not answer in time."""
    client = redis.Redis.from_url(
        url, socket_connect_timeout=_SECONDS, socket_timeout=_SECONDS, retry=Retry(NoBackoff(), 0)
    )
    try:
        with client, client.pipeline(transaction=False) as asked:
            for queue in queues:
                asked.llen(queue)
            return dict(zip(queues, asked.execute(), strict=True))
    except redis.RedisError:
        return None
