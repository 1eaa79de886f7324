"""Several watches of one cluster at once."""

import queue
import threading
import time
from collections import deque
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.utils import timezone

from inventory.kube.client import Client
from inventory.kube.discovery import Served
from inventory.kube.events import Events
from inventory.kube.kinds import Kind
from inventory.kube.watching import Watch

# Groups of events that wait to be written; then the watches wait, and the network with them.
_WAITING = 16
_PUT_SECONDS = 0.5
# A kind is not watched anew sooner after the last time, and ever later while its watches bring nothing:
# something may end every one of them as it begins.
_APART_SECONDS = 1.0
_MOST_APART_SECONDS = 30.0
_JOIN_SECONDS = 5.0
# An open watch that has been silent for so long, while it was listened to, has told everything before that.
_CALM_SECONDS = 0.5


class Signal(NamedTuple):
    """What a watch has to say: events (the first ones are empty: it is open), an error, or its end."""

    kind: Kind[Any]
    arrived: datetime
    events: Events[Any] | None = None
    error: Exception | None = None


class Watches:
    """Each watch is read by a thread of its own; what they bring comes together here."""

    def __init__(self, client: Client, served: Served) -> None:
        self._client, self._served = client, served
        self._signals: queue.Queue[Signal] = queue.Queue(_WAITING)
        self._watches: dict[str, Watch[Any]] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._spacing: dict[str, float] = {}
        self._next: dict[str, float] = {}
        self._calm = Calm()
        self._closed = threading.Event()

    def open(self, kind: Kind[Any], resource_version: str, seconds: float) -> None:
        """Watch a kind from a resource version on; one that is watched already has ended before."""
        name, now = kind.resource, time.monotonic()
        delay = max(0.0, self._next.get(name, now) - now)
        spacing = self._spacing.get(name, _APART_SECONDS)
        self._spacing[name] = min(2 * spacing, _MOST_APART_SECONDS)
        self._next[name] = now + delay + spacing
        watch = Watch(self._client, kind, self._served, resource_version, seconds - delay)
        thread = threading.Thread(
            target=self._read, args=(kind, watch, delay), name=f"watch-{name}", daemon=True
        )
        self._watches[name], self._threads[name] = watch, thread
        thread.start()

    def gather(self, seconds: float, linger: float) -> Iterator[Signal]:
        """What comes within some seconds, and after the first events what comes while it lingers."""
        began_at, until = timezone.now(), time.monotonic() + seconds
        heard, waited, lingering = set[str](), 0.0, False
        while (left := until - time.monotonic()) > 0:
            asked = time.monotonic()
            try:
                signal = self._signals.get(timeout=left)
            except queue.Empty:
                waited += time.monotonic() - asked
                break
            waited += time.monotonic() - asked
            heard.add(signal.kind.resource)
            if signal.events is not None and signal.events.bytes:
                self._spacing[signal.kind.resource] = _APART_SECONDS
                if not lingering:
                    until, lingering = min(until, time.monotonic() + linger), True
            yield signal
        self._calm.note(began_at, waited, heard)

    def silent_since(self, kind: str) -> datetime | None:
        """Of a watch that is open: everything before has been told. None: that cannot be said yet."""
        return self._calm.since(kind)

    def close(self) -> None:
        self._closed.set()
        for watch in self._watches.values():
            watch.close()
        until = time.monotonic() + _JOIN_SECONDS
        for thread in self._threads.values():
            thread.join(max(0.0, until - time.monotonic()))

    def _read(self, kind: Kind[Any], watch: Watch[Any], delay: float) -> None:
        if self._closed.wait(delay):
            return
        try:
            for events in watch.events():
                self._tell(Signal(kind, timezone.now(), events))
            self._tell(Signal(kind, timezone.now()))
        # A fault of ours too: a thread that ended in silence would look like a watch with nothing to tell.
        except Exception as error:
            self._tell(Signal(kind, timezone.now(), error=error))

    def _tell(self, signal: Signal) -> None:
        while not self._closed.is_set():
            try:
                self._signals.put(signal, timeout=_PUT_SECONDS)
            except queue.Full:
                continue
            return


class _Listening(NamedTuple):
    """A time in which all watches were waited for, and the kinds that said something."""

    began_at: datetime
    seconds: float
    heard: set[str]


class Calm:
    """How long each kind has been silent, counted in time that was spent listening.

    A process that was stopped for an hour has not listened to anybody in that hour.
    """

    def __init__(self) -> None:
        self._past: deque[_Listening] = deque(maxlen=50)

    def note(self, began_at: datetime, seconds: float, heard: set[str]) -> None:
        self._past.append(_Listening(began_at, min(seconds, _CALM_SECONDS), heard))

    def since(self, kind: str) -> datetime | None:
        """The latest moment after which it was silent for long enough."""
        silent = 0.0
        for listening in reversed(self._past):
            if kind in listening.heard:
                return None
            silent += listening.seconds
            if silent >= _CALM_SECONDS:
                return listening.began_at
        return None
