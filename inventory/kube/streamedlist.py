"""A list read as a watch that begins with everything there is.

The API server reads from its cache and sends object by object, so neither side holds the list. It first sends
what its cache holds, then what changed until the cache was known to be current, and then a bookmark.
"""

from collections.abc import Iterator
from typing import Generic

import msgspec

from inventory.kube.client import JSON, Client
from inventory.kube.decoding import Chunk, ListMetadata, Skipped, skipped
from inventory.kube.discovery import Served
from inventory.kube.errors import TimedOutError
from inventory.kube.events import EventDecoder, Events
from inventory.kube.identity import Identities
from inventory.kube.kinds import Kind, ObjectT
from inventory.kube.streaming import Stream

_SECONDS = 300
_GRACE = 15
_PARAMS = {
    "watch": "1",
    "sendInitialEvents": "true",
    "resourceVersionMatch": "NotOlderThan",
    "allowWatchBookmarks": "true",
    "timeoutSeconds": str(_SECONDS),
}
_METADATA_ONLY = f"{JSON};as=PartialObjectMetadata;g=meta.k8s.io;v=v1, {JSON}"
_MOST_BYTES = 4 * 1024 * 1024


def open_list(client: Client, kind: Kind[ObjectT], served: Served) -> Stream:
    """Raises ClusterError; RejectedError and ForbiddenError where only pages can be had."""
    accept = _METADATA_ONLY if kind.metadata_only else JSON
    return client.stream(kind.path(served), _PARAMS, accept, seconds=_SECONDS + _GRACE)


def chunks(
    stream: Stream, client: Client, kind: Kind[ObjectT], served: Served, limit: int
) -> Iterator[Chunk[ObjectT]]:
    """The last one, and only that, has the resource version of the list."""
    path = kind.path(served)
    decoder = EventDecoder(kind, kind.lift(served), client.url(path), path)
    gathered = _Gathered(kind, limit)
    with stream:
        for lines in stream.lines():
            for events in decoder.decode(lines):
                gathered.add(events)
                if events.complete:
                    yield gathered.taken(events.resource_version)
                    return
                if gathered.is_full():
                    yield gathered.taken()
    raise TimedOutError(
        f"{client.url(path)} ended its streaming list after at most {_SECONDS} seconds without the bookmark "
        "that closes it, so objects may be missing. Look at the load of the API server and of its etcd."
    )


class _Gathered(Generic[ObjectT]):
    """What is read of a list and not handed on yet."""

    def __init__(self, kind: Kind[ObjectT], limit: int) -> None:
        self._kind, self._limit = kind, limit
        self._identities = Identities(namespaced=kind.namespaced)
        self._begin()

    def add(self, events: Events[ObjectT]) -> None:
        self._bytes += events.bytes
        self._skipped += (one for one in events.skipped if not one.deleted)
        self._gone += [one.uid for one in events.skipped if one.deleted and one.uid]
        for change in events.changes:
            metadata = change.object.metadata
            if change.deleted:
                self._objects.pop(metadata.uid, None)
                self._gone.append(metadata.uid)
            elif fault := self._identities.fault(metadata, again=True):
                self._skipped.append(skipped(self._kind.kind, msgspec.to_builtins(metadata), fault))
            else:
                self._objects[metadata.uid] = change.object

    def is_full(self) -> bool:
        return len(self._objects) >= self._limit or self._bytes >= _MOST_BYTES

    def taken(self, resource_version: str = "") -> Chunk[ObjectT]:
        """What was gathered, which is forgotten here."""
        metadata, objects = ListMetadata(resource_version), list(self._objects.values())
        chunk = Chunk(f"{self._kind.kind}List", metadata, objects, self._skipped, self._gone, self._bytes)
        self._begin()
        return chunk

    def _begin(self) -> None:
        self._objects: dict[str, ObjectT] = {}
        self._skipped: list[Skipped] = []
        self._gone: list[str] = []
        self._bytes = 0
