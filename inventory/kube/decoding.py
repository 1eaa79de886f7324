"""From the bytes of a list chunk to typed objects.

A chunk is decoded as a whole, which is fastest. Only when that fails is it taken apart item by item, so
that a malformed object is skipped and told, and the others stand.
"""

import gc
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

import msgspec

from inventory.kube.kinds import Kind, ObjectT
from inventory.kube.parts import without_malformed
from inventory.kube.untrusted import NUL, finite, readable
from inventory.kube.versions import Lift

logger = logging.getLogger(__name__)

# Of anything in Kubernetes that is well-formed.
_LONGEST_NAME = 253

ItemT = TypeVar("ItemT")


class Skipped(msgspec.Struct, frozen=True):
    """What could not be read.

    `part` is empty when the whole object is missing from the listing, else it names the part of an object
    that is there without it. `uid` is empty when not even that could be read: any object may be the one.
    """

    kind: str
    namespace: str
    name: str
    uid: str
    reason: str
    part: str = ""


class ListMetadata(msgspec.Struct, frozen=True, rename="camel"):
    resource_version: str = ""
    continue_: str = msgspec.field(default="", name="continue")


class Page(msgspec.Struct, Generic[ItemT], frozen=True):
    """A list object; `items` is null for an empty list of some servers."""

    kind: str
    metadata: ListMetadata
    items: list[ItemT] | None = None


class Chunk(msgspec.Struct, Generic[ObjectT]):
    """One page, decoded."""

    kind: str
    metadata: ListMetadata
    objects: list[ObjectT]
    skipped: list[Skipped]


class ChunkDecoder(Generic[ObjectT]):
    """Decodes the pages of one listing."""

    def __init__(self, kind: Kind[ObjectT], lift: Lift | None) -> None:
        self._kind, self._lift = kind, lift
        self._whole = msgspec.json.Decoder(Page[kind.struct])  # type: ignore[name-defined]
        self._items = msgspec.json.Decoder(Page[msgspec.Raw])
        self._item = msgspec.json.Decoder(float_hook=finite)

    def decode(self, body: bytes) -> Chunk[ObjectT]:
        """Raises msgspec.DecodeError when the body is no list at all."""
        with _collector_at_rest():
            if self._lift is None and NUL not in body:
                try:
                    return self._as_a_whole(body)
                except (msgspec.DecodeError, RecursionError):
                    logger.info("a chunk is read item by item kind=%s", self._kind.kind)
            return self._by_item(readable(body))

    def _as_a_whole(self, body: bytes) -> Chunk[ObjectT]:
        page: Page[ObjectT] = self._whole.decode(body)
        return Chunk(page.kind, page.metadata, page.items or [], [])

    def _by_item(self, body: bytes) -> Chunk[ObjectT]:
        page = self._items.decode(body)
        chunk: Chunk[ObjectT] = Chunk(page.kind, page.metadata, [], [])
        for raw in page.items or ():
            self._add(raw, chunk)
        return chunk

    def _add(self, raw: msgspec.Raw, chunk: Chunk[ObjectT]) -> None:
        wire = self._item.decode(raw)
        wire = self._lift(wire) if self._lift and isinstance(wire, dict) else wire
        try:
            faults = without_malformed(self._kind.resource, wire)
            chunk.objects.append(msgspec.convert(wire, self._kind.struct))
        except msgspec.ValidationError as error:
            chunk.skipped.append(self._skipped(wire, str(error)))
        else:
            chunk.skipped += [self._skipped(wire, fault.reason, fault.part) for fault in faults]

    def _skipped(self, wire: Any, reason: str, part: str = "") -> Skipped:
        metadata = wire.get("metadata") if isinstance(wire, dict) else None
        namespace, name, uid = (_text(metadata, key) for key in ("namespace", "name", "uid"))
        return Skipped(self._kind.kind, namespace, name, uid, reason, part)


def _text(metadata: Any, key: str) -> str:
    value = metadata.get(key) if isinstance(metadata, dict) else None
    return value[:_LONGEST_NAME] if isinstance(value, str) else ""


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Decoding makes many objects and no cycles.

    With the collector on, keeping 50,000 claims took four times as long, because it walked all of them
    again and again. It rests for one chunk, some milliseconds; in between it may run.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
