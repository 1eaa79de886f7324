"""One worker's writes to one cluster: each under the lease, in a transaction of its own."""

import logging
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.utils import timezone

from inventory.kube import kinds
from inventory.kube.client import Client
from inventory.kube.discovery import Served
from inventory.kube.errors import ClusterError
from inventory.models import Cluster
from inventory.sync import lease
from inventory.sync.apply import apply
from inventory.sync.changes import Batch, Changes
from inventory.sync.owners import RESOURCES as LOOKED_UP
from inventory.sync.owners import Found, Lookup

logger = logging.getLogger(__name__)

# Whole lists that one process writes at once: each takes memory and all of a processor.
_writing_in_full = threading.BoundedSemaphore(2)


class Stopped(Exception):
    """The worker is asked to end."""


class Writer:
    """`changes` counts the rows that were changed, `failures` are the kinds that could not be read since."""

    def __init__(
        self,
        held: lease.Lease,
        cluster: Cluster,
        client: Client,
        served: Served,
        stopping: threading.Event,
    ) -> None:
        self.changes = 0
        self.failures: dict[str, ClusterError] = {}
        self._held, self._cluster, self._served, self._stopping = held, cluster, served, stopping
        self._lookup = Lookup(client, served, cluster)
        self._renewed_at = time.monotonic()

    @property
    def parts(self) -> Collection[str]:
        """Of the cluster, those that are this worker's."""
        return self._held.numbers

    def write(self, changes: Mapping[str, Changes[Any]], confirmed: Mapping[str, datetime]) -> None:
        """Raises LeaseLost; ClusterError where an owner has to be asked for and the connection is gone."""
        self._apply(changes, confirmed, self._lookup.of(changes.get(kinds.PODS.resource)))

    def write_in_full(self, changes: Mapping[str, Changes[Any]], confirmed: Mapping[str, datetime]) -> None:
        found = self._lookup.of(changes.get(kinds.PODS.resource))
        with self._place():
            self._apply(changes, confirmed, found)

    def fail(self, kind: str, error: ClusterError) -> None:
        """Told with the next write."""
        logger.warning(
            "kind not read cluster=%s kind=%s reason=%s message=%s",
            self._cluster.pk,
            kind,
            error.reason,
            error,
        )
        self.failures[kind] = error

    def tick(self) -> None:
        """In the middle of something long: the lease is kept, or lost in time."""
        self.stop_if_asked()
        if self.is_renewal_due():
            lease.renew(self._held, timezone.now())
            self._renewed_at = time.monotonic()

    def stop_if_asked(self) -> None:
        """Raises Stopped."""
        if self._stopping.is_set():
            raise Stopped

    def is_renewal_due(self) -> bool:
        return time.monotonic() - self._renewed_at > self._held.seconds / 4

    @contextmanager
    def _place(self) -> Iterator[None]:
        while not _writing_in_full.acquire(timeout=1.0):
            self.tick()
        try:
            yield
        finally:
            _writing_in_full.release()

    def _apply(
        self, changes: Mapping[str, Changes[Any]], confirmed: Mapping[str, datetime], found: Found
    ) -> None:
        # Owners are asked for by Pods: they are known as of then.
        pods = confirmed.get(kinds.PODS.resource)
        owners = dict.fromkeys(LOOKED_UP - found.failures.keys(), pods) if pods else {}
        batch = Batch(
            served=self._served,
            changes=changes,
            failures={**self.failures, **found.failures},
            confirmed={**confirmed, **owners},
            owners=found.owners,
        )
        self.changes += apply(self._held, batch, timezone.now())
        self.failures.clear()
        self._renewed_at = time.monotonic()
