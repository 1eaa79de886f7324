"""What changes in a cluster, as it changes."""

import math
import threading
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Generic

from inventory.kube.client import Client
from inventory.kube.discovery import Served
from inventory.kube.errors import ClusterError
from inventory.kube.events import EventDecoder, Events
from inventory.kube.kinds import Kind, ObjectT
from inventory.kube.streaming import Stream

# How much later than asked for the API server may end a watch.
_GRACE = 15.0


class Watch(Generic[ObjectT]):
    """One watch of a kind from a resource version on, for some seconds.

    One thread goes through its events; any other may close it.
    """

    _stream: Stream | None = None

    def __init__(
        self, client: Client, kind: Kind[ObjectT], served: Served, resource_version: str, seconds: float
    ) -> None:
        self._client, self._path, self._seconds = client, kind.path(served), seconds
        self._decoder = EventDecoder(kind, kind.lift(served), client.url(self._path), self._path)
        self._params = {
            "watch": "1",
            "allowWatchBookmarks": "true",
            "resourceVersion": resource_version,
            "timeoutSeconds": str(max(1, math.ceil(seconds))),
        }
        self._closed = threading.Event()

    def events(self) -> Iterator[Events[ObjectT]]:
        """First empty ones, as soon as the API server has accepted the watch; then what arrives.

        Ends when the API server ends the watch, or when it is closed. Raises ClusterError: ExpiredError when
        the history does not reach back to the resource version, so that only a new list helps.
        """
        try:
            with closing(self._followed()) as followed:
                for events in followed:
                    if self._closed.is_set():
                        return
                    yield events
        except ClusterError:
            if not self._closed.is_set():
                raise

    def close(self) -> None:
        """From any thread; what arrives later is not told."""
        self._closed.set()
        if self._stream is not None:
            self._stream.interrupt()

    def _followed(self) -> Generator[Events[ObjectT]]:
        most = self._seconds + _GRACE
        with self._client.stream(self._path, self._params, seconds=most, read_timeout=most) as stream:
            self._stream = stream
            yield Events([], [])
            for lines in stream.lines():
                yield from self._decoder.decode(lines)
