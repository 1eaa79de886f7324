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


def concerns_us(one: Object) -> bool:
    """Most Pods of a cluster have nothing to do with devices: they are never written."""
    return not isinstance(one, Pod) or concerns_devices(one, RESOURCE_NAMES)


@dataclass
class _List(Generic[ObjectT]):
    """What has been read of a list so far."""

    spool: Spool[ObjectT]
    uids: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    skipped: list[Skipped] = field(default_factory=list)
    controllers: set[Controller] = field(default_factory=set)
    resource_version: str = ""
    bytes: int = 0


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
            chunks=lambda: _without(found.spool.chunks(), found.gone),
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
        for chunk in list_chunks(self._client, kind, self._served):
            self._tick()
            concerned = [one for one in chunk.objects if concerns_us(one)]
            found.uids.update(one.metadata.uid for one in concerned)
            new = [one for one in concerned if known.get(one.metadata.uid) != one.metadata.resource_version]
            found.spool.put(new)
            found.controllers.update(controllers(new))
            found.gone.update(chunk.gone)
            found.skipped += chunk.skipped
            found.bytes += chunk.bytes
            found.resource_version = chunk.resource_version or found.resource_version
        return found


def _without(chunks: Iterable[Sequence[ObjectT]], gone: set[str]) -> Iterator[Sequence[ObjectT]]:
    for chunk in chunks:
        yield [one for one in chunk if one.metadata.uid not in gone] if gone else chunk
