"""Several watches of one cluster at once."""

import queue
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Generic, NamedTuple, Self

from inventory.kube.client import Client
from inventory.kube.discovery import Served
from inventory.kube.errors import ClusterError
from inventory.kube.events import Change, Events
from inventory.kube.kinds import Kind, ObjectT
from inventory.kube.objects import Object, ResourceClaim
from inventory.kube.watching import Watch
from inventory.sync.changes import Changes, older
from inventory.sync.controllers import controllers
from inventory.sync.read import concerns_us

# Groups of events that wait to be written; then the watches wait, and the network with them.
_WAITING = 64
_PUT_SECONDS = 0.5
# A kind is not watched anew sooner after the last time: something may end every watch as it begins.
_APART_SECONDS = 1.0
_JOIN_SECONDS = 5.0


class Signal(NamedTuple):
    """What a watch has to say: events (the first ones are empty: it is open), an error, or its end."""

    kind: Kind[Any]
    events: Events[Any] | None = None
    error: ClusterError | None = None


class Follower:
    """Each watch is read by a thread of its own; what they bring comes together here."""

    def __init__(self, client: Client, served: Served) -> None:
        self._client, self._served = client, served
        self._signals: queue.Queue[Signal] = queue.Queue(_WAITING)
        self._watches: dict[str, Watch[Any]] = {}
        self._threads: list[threading.Thread] = []
        self._next: dict[str, float] = {}
        self._closed = threading.Event()

    def open(self, kind: Kind[Any], resource_version: str, seconds: float) -> None:
        """Watch a kind from a resource version on; one that is watched already has ended before."""
        now = time.monotonic()
        delay = max(0.0, self._next.get(kind.resource, now) - now)
        self._next[kind.resource] = now + delay + _APART_SECONDS
        watch = Watch(self._client, kind, self._served, resource_version, seconds - delay)
        self._watches[kind.resource] = watch
        name = f"watch-{kind.resource}"
        thread = threading.Thread(target=self._read, args=(kind, watch, delay), name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def gather(self, seconds: float, linger: float) -> Iterator[Signal]:
        """What comes within some seconds, and after the first what comes while it lingers."""
        until = time.monotonic() + seconds
        lingering = False
        while (left := until - time.monotonic()) > 0 or lingering:
            try:
                signal = self._signals.get(timeout=max(left, 0.001))
            except queue.Empty:
                return
            if not lingering and signal.events is not None and signal.events.changes:
                until, lingering = min(until, time.monotonic() + linger), True
            yield signal
            if lingering and time.monotonic() >= until:
                return

    def close(self) -> None:
        self._closed.set()
        for watch in self._watches.values():
            watch.close()
        for thread in self._threads:
            thread.join(_JOIN_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self, kind: Kind[Any], watch: Watch[Any], delay: float) -> None:
        if self._closed.wait(delay):
            return
        try:
            for events in watch.events():
                self._tell(Signal(kind, events))
            self._tell(Signal(kind))
        except ClusterError as error:
            self._tell(Signal(kind, error=error))

    def _tell(self, signal: Signal) -> None:
        while not self._closed.is_set():
            try:
                self._signals.put(signal, timeout=_PUT_SECONDS)
            except queue.Full:
                continue
            return


@dataclass
class Pending(Generic[ObjectT]):
    """What has happened to one kind since the last commit. Of an object the newest state counts."""

    resource_version: str
    objects: dict[str, ObjectT] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    skipped: list[Any] = field(default_factory=list)
    passed: list[ObjectT] = field(default_factory=list)
    events: int = 0
    bytes: int = 0
    # UIDs never come back: what is told of them later is late.
    ended: set[str] = field(default_factory=set)

    def add(self, change: Change[ObjectT]) -> None:
        metadata = change.object.metadata
        self.events += 1
        self.resource_version = metadata.resource_version or self.resource_version
        if not concerns_us(change.object) or metadata.uid in self.ended:
            return
        before = self.objects.get(metadata.uid)
        if before is not None and _passes(before, change):
            self.passed.append(before)
        if change.deleted:
            self.objects.pop(metadata.uid, None)
            self.gone.add(metadata.uid)
            self.ended.add(metadata.uid)
        elif before is None or not older(metadata.resource_version, before.metadata.resource_version):
            self.objects[metadata.uid] = change.object

    def finish(self, events: Events[ObjectT]) -> None:
        """After its changes: what could not be read, and where the watch stands."""
        self.gone.update(one.uid for one in events.skipped if one.deleted and one.uid)
        self.skipped += (one for one in events.skipped if not one.deleted)
        self.resource_version = events.resource_version or self.resource_version
        self.bytes += events.bytes

    def taken(self) -> Changes[ObjectT]:
        """All of it, to be written; from here on it begins anew."""
        objects = list(self.objects.values())
        taken: Changes[ObjectT] = Changes(
            resource_version=self.resource_version,
            chunks=lambda: [objects] if objects else [],
            skipped=tuple(self.skipped),
            passed=tuple(self.passed),
            nothing=not self.anything,
            gone=frozenset(self.gone),
            controllers=frozenset(controllers(objects)),
            events=self.events,
            bytes=self.bytes,
        )
        self.objects, self.gone, self.skipped, self.passed = {}, set(), [], []
        self.events = self.bytes = 0
        return taken

    @property
    def anything(self) -> bool:
        return bool(self.objects or self.gone or self.skipped or self.passed)


def _passes(before: Object, change: Change[Any]) -> bool:
    """Whether a claim gives back what it was given since the last commit: only history will know of it."""
    given = _allocation(before)
    return given is not None and (change.deleted or _allocation(change.object) != given)


def _allocation(one: Object) -> Any:
    return one.status and one.status.allocation if isinstance(one, ResourceClaim) else None
