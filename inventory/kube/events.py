"""From the lines of a watch to typed changes.

A line is decoded at once, which is fastest. Only one where that fails is looked at part by part, so that a
malformed object is skipped and told, and the other events stand.
"""

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

import msgspec

from inventory.kube.decoding import ItemDecoder, Skipped, collector_at_rest, metadata_of, skipped
from inventory.kube.errors import ClusterError
from inventory.kube.identity import unnamed
from inventory.kube.kinds import Kind, ObjectT
from inventory.kube.moments import all_usable
from inventory.kube.refusals import not_an_api_server, refusal_in_a_watch
from inventory.kube.untrusted import NUL, printable, readable
from inventory.kube.versions import Lift

ItemT = TypeVar("ItemT")

_CHANGES = frozenset({"ADDED", "MODIFIED", "DELETED"})
_INITIAL_EVENTS_END = "k8s.io/initial-events-end"
_LONGEST_TYPE = 50


class Change(msgspec.Struct, Generic[ObjectT], frozen=True, gc=False):
    """One event. Of a deleted object this is its last state."""

    object: ObjectT
    deleted: bool = False


class Events(msgspec.Struct, Generic[ObjectT]):
    """What one read of a watch brought, in the order of the server.

    `skipped_after` says of each that was skipped after how many of the changes it came. `resource_version` is
    where a watch would go on after it, empty if that has not moved. `complete`: the last line closed the
    initial events of a streaming list.
    """

    changes: list[Change[ObjectT]]
    skipped: list[Skipped]
    skipped_after: list[int] = []
    resource_version: str = ""
    bytes: int = 0
    complete: bool = False


class _Event(msgspec.Struct, Generic[ItemT], frozen=True, gc=False):
    type: str
    object: ItemT


class EventDecoder(Generic[ObjectT]):
    """Decodes the lines of one watch at `path`; `url` is for messages."""

    def __init__(self, kind: Kind[ObjectT], lift: Lift | None, url: str, path: str) -> None:
        self._kind, self._lift, self._url, self._path = kind, lift, url, path
        self._typed = msgspec.json.Decoder(_Event[kind.struct], float_hook=str)  # type: ignore[name-defined]
        self._raw = msgspec.json.Decoder(_Event[msgspec.Raw])
        self._items = ItemDecoder(kind, lift)

    def decode(self, lines: bytes) -> Iterator[Events[ObjectT]]:
        """One group, two where initial events end in between. An event that tells of an error is raised
        after the group of those before it.
        """
        with collector_at_rest():
            read = [(line, self._change(line)) for line in lines.split(b"\n") if line]
        events: Events[ObjectT] = Events([], [])
        for line, change in read:
            events.bytes += len(line) + 1
            if change is not None:
                events.changes.append(change)
                events.resource_version = change.object.metadata.resource_version
            elif error := self._look_at(line, events):
                yield _closed(events)
                raise error
            elif events.complete:
                yield _closed(events)
                events = Events([], [])
        if events.bytes:
            yield _closed(events)

    def _change(self, line: bytes) -> Change[ObjectT] | None:
        """None where something has to be looked at part by part."""
        if self._lift is not None or NUL in line:
            return None
        try:
            event: _Event[ObjectT] = self._typed.decode(line)
        except (msgspec.DecodeError, RecursionError):
            return None
        found = event.object
        if event.type not in _CHANGES or unnamed(found.metadata, namespaced=self._kind.namespaced):
            return None
        return Change(found, event.type == "DELETED") if all_usable(found.moments()) else None

    def _look_at(self, line: bytes, events: Events[ObjectT]) -> ClusterError | None:
        try:
            event = self._raw.decode(readable(line))
        except msgspec.DecodeError as error:
            raise not_an_api_server(self._url, f"200 with something that is no event: {error}") from error
        if event.type == "ERROR":
            return refusal_in_a_watch(self._url, self._path, bytes(event.object))
        wire = self._items.wire(event.object)
        metadata = metadata_of(wire)
        if event.type == "BOOKMARK":
            events.complete = _ends_initial_events(metadata)
        elif event.type in _CHANGES:
            self._add(wire, events, deleted=event.type == "DELETED")
        else:
            reason = f"the event type {event.type[:_LONGEST_TYPE]!r} is not known"
            events.skipped.append(skipped(self._kind.kind, metadata, reason))
            events.skipped_after.append(len(events.changes))
        events.resource_version = _version(metadata) or events.resource_version
        return None

    def _add(self, wire: Any, events: Events[ObjectT], *, deleted: bool) -> None:
        found, left_out = self._items.read(wire)
        if found is not None and (fault := unnamed(found.metadata, namespaced=self._kind.namespaced)):
            found, left_out = None, [skipped(self._kind.kind, metadata_of(wire), fault)]
        if found is not None:
            events.changes.append(Change(found, deleted))
        events.skipped += [msgspec.structs.replace(one, deleted=deleted) for one in left_out]
        events.skipped_after += [len(events.changes)] * len(left_out)


def _closed(events: Events[ObjectT]) -> Events[ObjectT]:
    events.resource_version = printable(events.resource_version)
    return events


def _version(metadata: dict[str, Any]) -> str:
    version = metadata.get("resourceVersion")
    return version if isinstance(version, str) else ""


def _ends_initial_events(metadata: dict[str, Any]) -> bool:
    annotations = metadata.get("annotations")
    return isinstance(annotations, dict) and annotations.get(_INITIAL_EVENTS_END) == "true"
