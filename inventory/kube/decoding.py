"""From the bytes of a list chunk to typed objects.

A chunk is decoded as a whole, which is fastest. Only when that fails is it taken apart item by item, so
that a malformed object is skipped and told, and the others stand.
Numbers with a fraction or exponent become text, as written: databases give back other floats than they got.
"""

import gc
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Generic, TypeVar

import msgspec

from inventory.kube.identity import Identities
from inventory.kube.kinds import Kind, ObjectT
from inventory.kube.moments import all_usable
from inventory.kube.objects import LONGEST_NAME
from inventory.kube.parts import without_malformed
from inventory.kube.untrusted import NUL, printable, readable
from inventory.kube.versions import Lift

logger = logging.getLogger(__name__)

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
        self._identities = Identities(namespaced=kind.namespaced)
        self._whole = msgspec.json.Decoder(Page[kind.struct], float_hook=str)  # type: ignore[name-defined]
        self._one = msgspec.json.Decoder(kind.struct, float_hook=str)
        self._items = msgspec.json.Decoder(Page[msgspec.Raw])
        self._item = msgspec.json.Decoder(float_hook=_as_written)

    def decode(self, body: bytes) -> Chunk[ObjectT]:
        """Raises msgspec.DecodeError when the body is no list at all."""
        with _collector_at_rest():
            page = self._as_a_whole(body)
            if page is None:
                return self._by_item(readable(body))
            chunk: Chunk[ObjectT] = Chunk(page.kind, page.metadata, [], [])
            self._add(page.items or (), chunk)
            return chunk

    def _as_a_whole(self, body: bytes) -> Page[ObjectT] | None:
        """None where something has to be judged item by item."""
        if self._lift is not None or NUL in body:
            return None
        with suppress(msgspec.DecodeError, RecursionError):
            page: Page[ObjectT] = self._whole.decode(body)
            if all_usable(moment for one in page.items or () for moment in one.moments()):
                return page
        logger.info("a chunk is read item by item kind=%s", self._kind.kind)
        return None

    def _by_item(self, body: bytes) -> Chunk[ObjectT]:
        page = self._items.decode(body)
        chunk: Chunk[ObjectT] = Chunk(page.kind, page.metadata, [], [])
        for raw in page.items or ():
            self._read(raw, chunk)
        return chunk

    def _read(self, raw: msgspec.Raw, chunk: Chunk[ObjectT]) -> None:
        wire = self._item.decode(raw)
        wire = self._lift(wire) if self._lift and isinstance(wire, dict) else wire
        try:
            faults = without_malformed(self._kind.resource, wire)
            one = self._one.decode(msgspec.json.encode(wire))
        except msgspec.ValidationError as error:
            chunk.skipped.append(self._skipped(_metadata(wire), str(error)))
            return
        if self._add((one,), chunk):
            chunk.skipped += [self._skipped(_metadata(wire), fault.reason, fault.part) for fault in faults]

    def _add(self, found: Iterable[ObjectT], chunk: Chunk[ObjectT]) -> bool:
        """Whether every object could be told from all others."""
        skipped = len(chunk.skipped)
        for one in found:
            if fault := self._identities.fault(one.metadata):
                chunk.skipped.append(self._skipped(msgspec.to_builtins(one.metadata), fault))
            else:
                chunk.objects.append(one)
        return len(chunk.skipped) == skipped

    def _skipped(self, metadata: dict[str, Any], reason: str, part: str = "") -> Skipped:
        namespace, name, uid = (_text(metadata.get(key)) for key in ("namespace", "name", "uid"))
        return Skipped(self._kind.kind, namespace, name, uid, reason, part)


def _as_written(number: str) -> msgspec.Raw:
    """So that the number is the same one when the item is put together again."""
    return msgspec.Raw(number.encode())


def _metadata(wire: Any) -> dict[str, Any]:
    metadata = wire.get("metadata") if isinstance(wire, dict) else None
    return metadata if isinstance(metadata, dict) else {}


def _text(value: Any) -> str:
    return printable(value, LONGEST_NAME) if isinstance(value, str) else ""


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
