"""A cluster followed for a while: what is missing is read in full, then what happens is written."""

import logging
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils import timezone

from inventory.kube import kinds
from inventory.kube.client import Client
from inventory.kube.discovery import Served
from inventory.kube.errors import ClusterError, ExpiredError, TimedOutError
from inventory.kube.events import Events
from inventory.kube.kinds import Kind
from inventory.kube.pages import pages
from inventory.models import Claim, Cluster, KindState, Pod, Slice
from inventory.sync import bulk, progress
from inventory.sync.changes import Changes, older, reaches
from inventory.sync.parts import PARTS, kinds_of
from inventory.sync.pending import Pending
from inventory.sync.read import OF_THE_CONNECTION, Reader
from inventory.sync.schedule import how_many_wait, must_make_room
from inventory.sync.watches import Signal, Watches
from inventory.sync.writing import Writer

logger = logging.getLogger(__name__)

# Events that come together are written together.
_LINGER_SECONDS = 0.1
# Objects of one transaction: a backlog of hours is written bit by bit, and readers see it grow.
_MOST = 2000
_GATHER_SECONDS = 0.5
# Rows that change the shape of a table.
_MANY = 500
# The watches end by themselves; one that does not is ended.
_GRACE_SECONDS = 2.0
# A cluster that waits for a free worker is let in after this long at the soonest.
_LOOK_SECONDS = 2.0
# A bookmark comes two seconds before the end of a watch, so that its cursor stays young.
_SHORT_SECONDS = 3.0
# Who only catches up takes a watch that stays silent for so long to have told what there was.
_QUIET_SECONDS = 1.0
# A group that is smaller was all that had arrived: behind a larger one more may be waiting.
_DRAINED_BYTES = 512 * 1024
_WARM_SECONDS = 0.5

_VERSIONED: Mapping[str, type[Any]] = {
    kinds.RESOURCE_SLICES.resource: Slice,
    kinds.RESOURCE_CLAIMS.resource: Claim,
    kinds.PODS.resource: Pod,
}


class Following:
    """One worker's time with a cluster."""

    def __init__(self, writer: Writer, cluster: Cluster, client: Client, served: Served) -> None:
        self._writer, self._cluster, self._client, self._served = writer, cluster, client, served
        self._kinds = {kind.resource: kind for kind in kinds_of(writer.parts, served)}
        self._pending: dict[str, Pending[Any]] = {}
        # Since when the watch of a kind has been open, and up to when all has been told.
        self._opened: dict[str, float] = {}
        self._told: dict[str, datetime] = {}
        self._expired: set[str] = set()
        self._look_at = time.monotonic() + _LOOK_SECONDS
        self._reader = Reader(client, served, writer.tick)
        self._watches = Watches(client, served)

    def close(self) -> None:
        self._watches.close()
        self._reader.close()

    def run(self, seconds: float | None) -> None:
        """For so long, or until it is up to date.

        Raises ClusterError where nothing at all can be read, LeaseLost, Stopped.
        """
        self._read_what_is_missing()
        ends_at = time.monotonic() + self._turn(seconds)
        for resource in self._pending:
            self._open(resource, ends_at)
        if seconds is None:
            self._catch_up(ends_at)
        else:
            self._follow(ends_at)
        self._commit()

    def _turn(self, seconds: float | None) -> float:
        """Short where others wait: an API server sends its bookmarks before the end that a watch asks for."""
        if seconds is not None and how_many_wait(self._cluster.queue, self._cluster.pk, timezone.now()):
            return min(seconds, _SHORT_SECONDS)
        return settings.SLICEBOARD_POLL_SECONDS if seconds is None else seconds

    # Reading in full

    def _read_what_is_missing(self) -> None:
        states = progress.load(self._cluster)
        now = timezone.now()
        due = [
            resource
            for resource in self._kinds
            if (state := states.get(resource)) is None or state.retry_at is None or state.retry_at <= now
        ]
        # Where all of them are to be left alone for a while, the cluster was, and that is over.
        missing = []
        for resource in due or list(self._kinds):
            cursor = progress.cursor(states.get(resource))
            if cursor:
                self._pending[resource] = Pending(cursor)
            else:
                missing.append(resource)
        rewritten = self._from_another_past()
        for resource in rewritten:
            del self._pending[resource]
            states.pop(resource)
        if missing or rewritten:
            self._read([*missing, *rewritten], states)

    def _from_another_past(self) -> list[str]:
        """Kinds whose cursors are ahead of the API server: its etcd was restored from a backup.

        A watch from there would be silent until the server has caught up, and what it holds is another past.
        """
        first = next(iter(self._pending), None)
        if first is None or (newest := self._newest(self._kinds[first])) is None:
            return []
        return [name for name, one in self._pending.items() if older(newest, one.resource_version)]

    def _newest(self, kind: Kind[Any]) -> str | None:
        """Where the API server stands: what the shortest list says. None where it does not say."""
        try:
            return next(pages(self._client, kind, self._served, {"limit": "1"})).resource_version
        except OF_THE_CONNECTION:
            raise
        except ClusterError:
            # The watch of the kind will meet it too.
            return None

    def _read(self, resources: list[str], states: Mapping[str, KindState]) -> None:
        observed_at, started, before = timezone.now(), time.perf_counter(), self._writer.changes
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
        self._writer.write_in_full(changes, dict.fromkeys(changes, observed_at))
        self._reader.close()
        if self._writer.changes - before > _MANY:
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
        self._writer.fail(resource, error)
        self._pending.pop(resource, None)
        self._opened.pop(resource, None)

    def _give_up_if_nothing_is_left(self, read: Mapping[str, Changes[Any]]) -> None:
        """Raises the error that every kind met, or a second time-out: the lease does not last for more.

        Where others follow the other part, it is the fault of the kinds and not of the cluster.
        """
        failures = self._writer.failures
        timeouts = [error for error in failures.values() if isinstance(error, TimedOutError)]
        if len(timeouts) > 1:
            raise timeouts[0]
        if failures and not read and not self._pending and len(self._writer.parts) == len(PARTS):
            error = next(iter(failures.values()))
            # What each kind has met decides how it is read the next time.
            self._writer.write({}, {})
            raise error

    # Following

    def _open(self, resource: str, ends_at: float) -> None:
        left = max(1.0, ends_at - time.monotonic())
        self._watches.open(self._kinds[resource], self._pending[resource].resource_version, left)

    def _follow(self, ends_at: float) -> None:
        while (now := time.monotonic()) < ends_at + _GRACE_SECONDS:
            if now >= ends_at and not self._opened:
                return
            self._take(self._watches.gather(_GATHER_SECONDS, _LINGER_SECONDS), ends_at)
            if self._writer.is_renewal_due() or any(one.anything for one in self._pending.values()):
                self._commit()
            if self._is_to_make_room():
                return

    def _catch_up(self, ends_at: float) -> None:
        """Until every watch has told what had happened by now, or stays silent."""
        asked_at = timezone.now()
        behind = {name: self._newest(self._kinds[name]) for name in self._pending}
        quiet_since = time.monotonic()
        while behind and time.monotonic() < ends_at:
            signals = list(self._watches.gather(0.05, 0.0))
            if signals:
                quiet_since = time.monotonic()
            self._take(signals, ends_at)
            for resource in list(behind):
                pending, target = self._pending.get(resource), behind[resource]
                if pending is None:
                    del behind[resource]
                elif target is not None and reaches(pending.resource_version, target):
                    self._told[resource] = asked_at
                    del behind[resource]
            if self._opened.keys() >= behind.keys() and time.monotonic() - quiet_since > _QUIET_SECONDS:
                return

    def _take(self, signals: Iterable[Signal], ends_at: float) -> None:
        for signal in signals:
            resource = signal.kind.resource
            if resource not in self._pending:
                continue
            if signal.error is not None:
                self._recover(resource, signal.error, ends_at)
            elif signal.events is not None:
                self._opened.setdefault(resource, time.monotonic())
                self._add(resource, signal.events, signal.arrived)
            else:
                self._told[resource] = signal.arrived
                self._opened.pop(resource, None)
                if time.monotonic() < ends_at:
                    self._open(resource, ends_at)

    def _add(self, resource: str, events: Events[Any], arrived: datetime) -> None:
        pending = self._pending[resource]
        if len(pending.objects) >= _MOST:
            self._commit()
        pending.add(events)
        warm = time.monotonic() - self._opened[resource] > _WARM_SECONDS
        if warm and 0 < events.bytes < _DRAINED_BYTES:
            self._told[resource] = arrived

    def _recover(self, resource: str, error: Exception, ends_at: float) -> None:
        was_open = self._opened.pop(resource, None) is not None
        if not isinstance(error, ClusterError):
            raise error
        # Whose new list is of no use for a watch either is left alone for a while.
        if isinstance(error, ExpiredError) and resource not in self._expired:
            self._expired.add(resource)
            self._commit()
            logger.info("watch expired cluster=%s kind=%s", self._cluster.pk, resource)
            self._read([resource], progress.load(self._cluster))
        elif isinstance(error, OF_THE_CONNECTION):
            if not was_open:
                raise error
        else:
            self._fail(resource, error)
            self._give_up_if_nothing_is_left({})
        if resource in self._pending:
            self._open(resource, ends_at)

    def _is_to_make_room(self) -> bool:
        """Whether the worker is to end, the cluster is paused, or another one waits for a worker."""
        self._writer.stop_if_asked()
        if time.monotonic() < self._look_at:
            return False
        self._look_at = time.monotonic() + _LOOK_SECONDS
        return must_make_room(self._cluster.pk, timezone.now())

    def _commit(self) -> None:
        changes = {resource: pending.taken() for resource, pending in self._pending.items()}
        self._writer.write(changes, dict(self._confirmed()))

    def _confirmed(self) -> Iterator[tuple[str, datetime]]:
        """Of kinds that are watched, up to when everything has been told."""
        for resource in self._pending:
            told = self._told.get(resource)
            silent = self._watches.silent_since(resource) if resource in self._opened else None
            if moments := [one for one in (told, silent) if one is not None]:
                yield resource, max(moments)
