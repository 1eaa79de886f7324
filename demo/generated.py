"""A cluster of any size, to measure against: made-up, but of realistic shape and honest sums.

Every card is shared as HAMi shares it. Most cards are held by one to three claims that together
never exceed it; the other claims are pending. Bodies are written from text patterns, because the
encoder is too slow for hundreds of thousands of objects.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

from demo import resources
from demo.store import Object, Store, timestamp
from demo.story import devices
from demo.story.manifests import FINALIZER, namespace

DEVICES_PER_NODE = 8
_DRIVER = devices.HAMI
_NAMESPACES = 40
_PENDING_OF_HUNDRED = 5
_MOST_SHARES = 3
_MORE_PODS_OF_HUNDRED = 20
_STARTED = datetime(2026, 11, 29, 8, 0, tzinfo=UTC)
