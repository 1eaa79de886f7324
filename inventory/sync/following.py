"""A cluster followed for a while: what is missing is read in full, then what happens is written."""

import logging
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.conf import settings
from django.utils import timezone

from inventory.kube import kinds
from inventory.kube.client import Client
from inventory.kube.discovery import Served
from inventory.kube.errors import BadAnswerError, ClusterError, ExpiredError, RejectedError, TimedOutError
from inventory.kube.events import Events
from inventory.kube.pages import pages
from inventory.models import Claim, Cluster, KindState, Pod, Slice
from inventory.sync import bulk, lease, progress
from inventory.sync.apply import apply
from inventory.sync.changes import Batch, Changes, older
from inventory.sync.follow import Follower, Pending, Signal
from inventory.sync.owners import RESOURCES as LOOKED_UP
from inventory.sync.owners import Lookup
from inventory.sync.parts import PARTS, kinds_of
from inventory.sync.read import OF_THE_CONNECTION, Reader
from inventory.sync.schedule import must_make_room

logger = logging.getLogger(__name__)

# Events that come together are written together.
LINGER_SECONDS = 0.1
# Objects of one transaction: a backlog of hours is written bit by bit, and readers see it grow.
_MOST = 2000
_GATHER_SECONDS = 0.5
# Rows that change the shape of a table.
_MANY = 10_000
# The watches end by themselves; one that does not is ended.
_GRACE_SECONDS = 2.0
# A cluster that waits for a free worker is let in after this long.
_LEAST_SECONDS = 2.0
_LOOK_SECONDS = 2.0
# A watch that stays silent for so long has told what there was.
_QUIET_SECONDS = 1.0

_VERSIONED: Mapping[str, type[Any]] = {
    kinds.RESOURCE_SLICES.resource: Slice,
    kinds.RESOURCE_CLAIMS.resource: Claim,
    kinds.PODS.resource: Pod,
}


# Whole lists that one process writes at once: each takes memory and all of a processor.
_writing_in_full = threading.BoundedSemaphore(2)


class Stopped(Exception):
    """The worker is asked to end."""


class Following:
    """One worker's time with a cluster. `changes` counts the rows that it has changed."""

    def __init__(
        self,
        held: lease.Lease,
        cluster: Cluster,
        client: Client,
        served: Served,
        stopping: threading.Event,
    ) -> None:
        self.changes = 0
        self._held, self._cluster, self._client, self._served = held, cluster, client, served
        self._stopping = stopping
        self._kinds = {kind.resource: kind for kind in kinds_of(held.numbers, served)}
        self._pending: dict[str, Pending[Any]] = {}
        self._failures: dict[str, ClusterError] = {}
        self._confirmed: set[str] = set()
        self._opened: set[str] = set()
        self._expired: set[str] = set()
        self._committed_at = time.monotonic()
        self._look_at = self._committed_at + _LEAST_SECONDS
        self._reader = Reader(client, served, self._tick)
        self._lookup = Lookup(client, served, cluster)
        self._follower = Follower(client, served)

    def close(self) -> None:
        self._follower.close()
        self._reader.close()

    def run(self, seconds: float | None) -> None:
        """Raises ClusterError where nothing at all can be read, LeaseLost, Stopped."""
        self._read_what_is_missing()
        ends_at = time.monotonic() + (settings.SLICEBOARD_POLL_SECONDS if seconds is None else seconds)
        for resource in self._pending:
            self._open(resource, ends_at)
        if seconds is None:
            self._catch_up(ends_at)
        else:
            self._follow(ends_at)
        self._commit()

    # Reading in full

    def _read_what_is_missing(self) -> None:
        now = timezone.now()
        states = {one.kind: one for one in KindState.objects.filter(cluster=self._cluster)}
        self._forget_what_is_not_served(states)
        missing = []
        for resource in self._kinds:
            state = states.get(resource)
            if state and state.retry_at and state.retry_at > now:
                continue
            if state and state.resource_version and state.layout == progress.LAYOUT:
                self._pending[resource] = Pending(state.resource_version)
            else:
                missing.append(resource)
        if not missing and not self._pending:
            # All of them are to be left alone for a while; but then the cluster was, and that is over.
            missing = list(self._kinds)
        if missing:
            self._read(missing, states)

    def _forget_what_is_not_served(self, states: Mapping[str, KindState]) -> None:
        taint_rules = kinds.DEVICE_TAINT_RULES.resource
        if self._served.taint_rules_version == "" and taint_rules in states:
            states[taint_rules].delete()

    def _read(self, resources: list[str], states: Mapping[str, KindState]) -> None:
        observed_at, started = timezone.now(), time.perf_counter()
        changes: dict[str, Changes[Any]] = {}
        for resource in resources:
            try:
                changes[resource] = self._reader.read(
                    self._kinds[resource], self._known(states.get(resource))
                )
            except OF_THE_CONNECTION:
                raise
            except ClusterError as error:
                self._fail(resource, error)
        self._give_up_if_nothing_is_left(changes)
        before = self.changes
        self._wait_for_a_place()
        try:
            self._write(changes, observed_at)
        finally:
            _writing_in_full.release()
        self._reader.close()
        if self.changes - before > _MANY:
            bulk.analyze("inventory")
        self._pending.update({name: Pending(one.resource_version) for name, one in changes.items()})
        took = progress.seconds(time.perf_counter() - started)
        Cluster.objects.filter(pk=self._cluster.pk).update(poll_seconds=took)

    def _known(self, state: KindState | None) -> dict[str, str]:
        """What is written already, where it is written as it would be now."""
        model = _VERSIONED.get(state.kind) if state and state.layout == progress.LAYOUT else None
        if model is None:
            return {}
        rows = model._default_manager.filter(cluster=self._cluster).order_by()
        return dict(rows.values_list("uid", "resource_version").iterator())

    def _fail(self, resource: str, error: ClusterError) -> None:
        logger.warning(
            "kind not read cluster=%s kind=%s reason=%s message=%s",
            self._cluster.pk,
            resource,
            error.reason,
            error,
        )
        self._failures[resource] = error
        self._pending.pop(resource, None)
        self._opened.discard(resource)
        if isinstance(error, BadAnswerError | RejectedError):
            # Whatever it was, it would come again.
            KindState.objects.filter(cluster=self._cluster, kind=resource).update(resource_version="")

    def _give_up_if_nothing_is_left(self, read: Mapping[str, Changes[Any]]) -> None:
        """Raises the error that every kind met, or a second time-out: the lease does not last for more.

        Where others follow the other part, it is the fault of the kinds and not of the cluster.
        """
        timeouts = [error for error in self._failures.values() if isinstance(error, TimedOutError)]
        if len(timeouts) > 1:
            raise timeouts[0]
        if self._failures and not read and not self._pending and len(self._held.numbers) == len(PARTS):
            raise next(iter(self._failures.values()))

    # Following

    def _open(self, resource: str, ends_at: float) -> None:
        left = max(1.0, ends_at - time.monotonic())
        self._follower.open(self._kinds[resource], self._pending[resource].resource_version, left)

    def _follow(self, ends_at: float) -> None:
        while (now := time.monotonic()) < ends_at + _GRACE_SECONDS:
            if now >= ends_at and not self._opened:
                return
            self._take(self._follower.gather(_GATHER_SECONDS, LINGER_SECONDS), ends_at)
            self._commit_if_due()
            if self._is_to_make_room():
                return

    def _catch_up(self, ends_at: float) -> None:
        """Until every watch has told what had happened by now."""
        behind = dict(self._targets())
        quiet_since = time.monotonic()
        while behind and time.monotonic() < ends_at:
            signals = list(self._follower.gather(0.05, 0.0))
            if signals:
                quiet_since = time.monotonic()
            self._take(signals, ends_at)
            for resource in list(behind):
                pending = self._pending.get(resource)
                if pending is None or not older(pending.resource_version, behind[resource]):
                    del behind[resource]
            if self._opened >= behind.keys() and time.monotonic() - quiet_since > _QUIET_SECONDS:
                return

    def _targets(self) -> Iterator[tuple[str, str]]:
        """Where each kind stands at the API server now: what the shortest list says."""
        for resource in list(self._pending):
            try:
                chunk = next(pages(self._client, self._kinds[resource], self._served, {"limit": "1"}))
            except OF_THE_CONNECTION:
                raise
            except ClusterError as error:
                self._fail(resource, error)
                self._give_up_if_nothing_is_left({})
                continue
            yield resource, chunk.resource_version

    def _take(self, signals: Iterable[Signal], ends_at: float) -> None:
        for signal in signals:
            resource = signal.kind.resource
            if resource not in self._pending:
                continue
            if signal.error is not None:
                self._recover(resource, signal.error, ends_at)
            elif signal.events is not None:
                self._opened.add(resource)
                self._add(resource, signal.events)
            else:
                self._opened.discard(resource)
                if time.monotonic() < ends_at:
                    self._open(resource, ends_at)

    def _add(self, resource: str, events: Events[Any]) -> None:
        pending = self._pending[resource]
        for change in events.changes:
            if len(pending.objects) >= _MOST:
                # Else what is pending of this kind would not be written now, and then be replaced.
                self._confirmed.add(resource)
                self._commit()
            pending.add(change)
        pending.finish(events)
        self._confirmed.add(resource)

    def _recover(self, resource: str, error: ClusterError, ends_at: float) -> None:
        was_open = resource in self._opened
        self._opened.discard(resource)
        # Whose new list is of no use for a watch either is left alone for a while.
        if isinstance(error, ExpiredError) and resource not in self._expired:
            self._expired.add(resource)
            self._commit()
            logger.info("watch expired cluster=%s kind=%s", self._cluster.pk, resource)
            states = KindState.objects.filter(cluster=self._cluster, kind=resource)
            self._read([resource], {one.kind: one for one in states})
        elif isinstance(error, OF_THE_CONNECTION):
            if not was_open:
                raise error
            # It may have broken off in the middle of what it had to tell.
            if not self._pending[resource].anything:
                self._confirmed.discard(resource)
        else:
            self._fail(resource, error)
            self._give_up_if_nothing_is_left({})
        if resource in self._pending:
            self._open(resource, ends_at)

    def _wait_for_a_place(self) -> None:
        while not _writing_in_full.acquire(timeout=1.0):
            self._tick()

    def _tick(self) -> None:
        """Between the parts of something long: the lease is kept, or lost in time."""
        if self._stopping.is_set():
            raise Stopped
        if time.monotonic() - self._committed_at > self._held.seconds / 4:
            lease.renew(self._held, timezone.now())
            self._committed_at = time.monotonic()

    def _is_to_make_room(self) -> bool:
        """Whether the worker is to end, the cluster is paused, or another one waits for a worker."""
        if self._stopping.is_set():
            raise Stopped
        if time.monotonic() < self._look_at:
            return False
        self._look_at = time.monotonic() + _LOOK_SECONDS
        return must_make_room(self._cluster.pk, timezone.now())

    # Writing

    def _commit_if_due(self) -> None:
        waited = time.monotonic() - self._committed_at
        if any(pending.anything for pending in self._pending.values()) or waited > self._held.seconds / 4:
            self._commit()

    def _commit(self) -> None:
        observed_at = timezone.now()
        changes = {
            resource: pending.taken()
            for resource, pending in self._pending.items()
            if resource in self._confirmed
        }
        self._write(changes, observed_at)

    def _write(self, changes: Mapping[str, Changes[Any]], observed_at: Any) -> None:
        found = self._lookup.of(changes.get(kinds.PODS.resource))
        followed = kinds.PODS.resource in changes
        batch = Batch(
            observed_at=observed_at,
            served=self._served,
            changes=changes,
            failures={**self._failures, **found.failures},
            confirmed=frozenset(changes) | (LOOKED_UP - found.failures.keys() if followed else frozenset()),
            owners=found.owners,
        )
        self.changes += apply(self._held, batch, timezone.now())
        self._failures.clear()
        self._confirmed.clear()
        self._committed_at = time.monotonic()
