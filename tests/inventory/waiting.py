"""Polls that wait at a broker."""

import json
from base64 import b64decode
from typing import Any

import redis


def waiting(broker: redis.Redis, queue: str = "sliceboard") -> list[Any]:
    """The arguments of the polls that were sent to a queue."""
    sent = [json.loads(message)["body"] for message in broker.lrange(queue, 0, -1)]
    return [json.loads(b64decode(body))[0] for body in sent]
