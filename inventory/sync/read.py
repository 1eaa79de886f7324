"""Whole lists of kinds, kept on disk until they are complete."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic

from inventory.hami.vendors import RESOURCE_NAMES
from inventory.kube.client import Client
from inventory.kube.decoding import Skipped
from inventory.kube.discovery import Served
from inventory.kube.errors import ExpiredError, KubeconfigError, TlsError, UnreachableError
from inventory.kube.kinds import Kind, ObjectT
from inventory.kube.listing import list_chunks
from inventory.kube.objects import Object, Pod
from inventory.kube.pods import concerns_devices
from inventory.sync.changes import Changes, Seen
from inventory.sync.controllers import Controller, controllers
from inventory.sync.spool import Spool

logger = logging.getLogger(__name__)

# What ends a whole poll; anything else the API server says of one kind concerns that kind alone.
OF_THE_CONNECTION = (KubeconfigError, UnreachableError, TlsError)
_ATTEMPTS = 3
# Objects that are written together later: more cost memory, fewer cost time.
_TOGETHER = 2000


def concerns_us(one: Object) -> bool:
    """Most Pods of a cluster have nothing to do with devices: they are never written."""
    return not isinstance(one, Pod) or concerns_devices(one, RESOURCE_NAMES)


@dataclass
class _List(Generic[ObjectT]):
    """What has been read of a list so far.

    `again` are objects that changed while the list was streamed: of those in the spool they are newer states.
    """

    spool: Spool[ObjectT]
    uids: set[str] = field(default_factory=set)
    again: dict[str, ObjectT] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    skipped: list[Skipped] = field(default_factory=list)
    controllers: set[Controller] = field(default_factory=set)
    resource_version: str = ""
    bytes: int = 0

    def new(self, objects: Iterable[ObjectT], known: Mapping[str, str]) -> Iterator[ObjectT]:
        """Those that were not met before and are not written already."""
        for one in objects:
            uid = one.metadata.uid
            if uid in self.uids:
                self.again[uid] = one
            elif known.get(uid) != one.metadata.resource_version:
                yield one
            self.uids.add(uid)

    def chunks(self) -> Iterator[Sequence[ObjectT]]:
        """Each object once."""
        elsewhere = self.again.keys() | self.gone
        for chunk in self.spool.chunks():
            yield [one for one in chunk if one.metadata.uid not in elsewhere] if elsewhere else chunk
        if latest := [one for uid, one in self.again.items() if uid not in self.gone]:
            yield latest


class Reader:
    """Reads whole lists; what it has read can be used until it is closed.

    `tick` is called between chunks: it may raise to stop.
    """

    def __init__(self, client: Client, served: Served, tick: Callable[[], None]) -> None:
        self._client, self._served, self._tick = client, served, tick
        self._spools: list[Spool[Any]] = []

    def close(self) -> None:
        for spool in self._spools:
            spool.close()
        self._spools.clear()

    def read(self, kind: Kind[ObjectT], known: Mapping[str, str]) -> Changes[ObjectT]:
        """The list of a kind. Raises ClusterError.

        `known` has the resourceVersion of each object that is already written, by UID: those that are still
        the same are only noted as seen.
        """
        started = time.perf_counter()
        found = self._complete(kind, known)
        seconds = time.perf_counter() - started
        return Changes(
            resource_version=found.resource_version,
            chunks=found.chunks,
            skipped=tuple(found.skipped),
            controllers=found.controllers,
            seen=Seen(found.uids - found.gone, found.bytes, seconds),
            bytes=found.bytes,
        )

    def _complete(self, kind: Kind[ObjectT], known: Mapping[str, str]) -> _List[ObjectT]:
        for _ in range(_ATTEMPTS):
            try:
                return self._once(kind, known)
            except ExpiredError as error:
                last = error
        raise ExpiredError(
            f"The list of {kind.resource} at {self._client.url(kind.path(self._served))} expired "
            f"{_ATTEMPTS} times before it was complete: it is read too slowly for the API server, which "
            "keeps a moment for some minutes. Look at the network between the two and at their load."
        ) from last

    def _once(self, kind: Kind[ObjectT], known: Mapping[str, str]) -> _List[ObjectT]:
        found = _List(Spool(kind))
        self._spools.append(found.spool)
        waiting: list[ObjectT] = []
        for chunk in list_chunks(self._client, kind, self._served):
            self._tick()
            new = list(found.new(filter(concerns_us, chunk.objects), known))
            found.controllers.update(controllers(new))
            waiting += new
            if len(waiting) >= _TOGETHER:
                found.spool.put(waiting)
                waiting = []
            found.gone.update(chunk.gone)
            found.skipped += chunk.skipped
            found.bytes += chunk.bytes
            found.resource_version = chunk.resource_version or found.resource_version
        found.spool.put(waiting)
        found.controllers.update(controllers(found.again.values()))
        return found
