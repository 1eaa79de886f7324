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
    `deleted`: a watch told that the object is gone, only its last state could not be read.
    """

    kind: str
    namespace: str
    name: str
    uid: str
    reason: str
    part: str = ""
    deleted: bool = False


class ListMetadata(msgspec.Struct, frozen=True, rename="camel"):
    resource_version: str = ""
    continue_: str = msgspec.field(default="", name="continue")


class Page(msgspec.Struct, Generic[ItemT], frozen=True):
    """A list object; `items` is null for an empty list of some servers."""

    kind: str
    metadata: ListMetadata
    items: list[ItemT] | None = None


class Chunk(msgspec.Struct, Generic[ObjectT]):
    """A part of a list, decoded. `bytes` is the size of its JSON.

    Where a list is streamed while the cluster changes, an object may come in two chunks, and then the later
    one counts; `gone` are the UIDs of objects that are not in the list after all, though an earlier chunk may
    have them.
    """

    kind: str
    metadata: ListMetadata
    objects: list[ObjectT]
    skipped: list[Skipped]
    gone: list[str] = []
    bytes: int = 0

    @property
    def resource_version(self) -> str:
        """That of the list; empty where it is not told yet."""
        return printable(self.metadata.resource_version)


class ItemDecoder(Generic[ObjectT]):
    """Decodes one object with care: it is told what of it cannot be read."""

    def __init__(self, kind: Kind[ObjectT], lift: Lift | None) -> None:
        self._kind, self._lift = kind, lift
        self._wire = msgspec.json.Decoder(float_hook=_as_written)
        self._one = msgspec.json.Decoder(kind.struct, float_hook=str)

    def wire(self, raw: msgspec.Raw) -> Any:
        """The JSON of an object, in the shape of v1. It has to be `readable`."""
        wire = self._wire.decode(raw)
        return self._lift(wire) if self._lift and isinstance(wire, dict) else wire

    def read(self, wire: Any) -> tuple[ObjectT | None, list[Skipped]]:
        """The object, None if it is malformed as a whole, and what had to be left out."""
        try:
            faults = without_malformed(self._kind.resource, wire)
            one = self._one.decode(msgspec.json.encode(wire))
        except msgspec.ValidationError as error:
            return None, [skipped(self._kind.kind, metadata_of(wire), str(error))]
        metadata = metadata_of(wire)
        return one, [skipped(self._kind.kind, metadata, fault.reason, fault.part) for fault in faults]


class ChunkDecoder(Generic[ObjectT]):
    """Decodes the pages of one listing."""

    def __init__(self, kind: Kind[ObjectT], lift: Lift | None) -> None:
        self._kind, self._lift = kind, lift
        self._identities = Identities(namespaced=kind.namespaced)
        self._whole = msgspec.json.Decoder(Page[kind.struct], float_hook=str)  # type: ignore[name-defined]
        self._raw = msgspec.json.Decoder(Page[msgspec.Raw])
        self._items = ItemDecoder(kind, lift)

    def decode(self, body: bytes) -> Chunk[ObjectT]:
        """Raises msgspec.DecodeError when the body is no list at all."""
        with collector_at_rest():
            page = self._as_a_whole(body)
            if page is None:
                return self._by_item(readable(body))
            chunk: Chunk[ObjectT] = Chunk(page.kind, page.metadata, [], [], bytes=len(body))
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
        page = self._raw.decode(body)
        chunk: Chunk[ObjectT] = Chunk(page.kind, page.metadata, [], [], bytes=len(body))
        for raw in page.items or ():
            self._read(raw, chunk)
        return chunk

    def _read(self, raw: msgspec.Raw, chunk: Chunk[ObjectT]) -> None:
        one, left_out = self._items.read(self._items.wire(raw))
        if one is None or self._add((one,), chunk):
            chunk.skipped += left_out

    def _add(self, found: Iterable[ObjectT], chunk: Chunk[ObjectT]) -> bool:
        """Whether every object could be told from all others."""
        before = len(chunk.skipped)
        for one in found:
            if fault := self._identities.fault(one.metadata):
                chunk.skipped.append(skipped(self._kind.kind, msgspec.to_builtins(one.metadata), fault))
            else:
                chunk.objects.append(one)
        return len(chunk.skipped) == before


def _as_written(number: str) -> msgspec.Raw:
    """So that the number is the same one when the item is put together again."""
    return msgspec.Raw(number.encode())


def skipped(kind: str, metadata: dict[str, Any], reason: str, part: str = "") -> Skipped:
    """`metadata` as it came: it may hold anything."""
    namespace, name, uid = (_text(metadata.get(key)) for key in ("namespace", "name", "uid"))
    return Skipped(kind, namespace, name, uid, reason, part)


def metadata_of(wire: Any) -> dict[str, Any]:
    """Of any JSON; empty where it has none."""
    metadata = wire.get("metadata") if isinstance(wire, dict) else None
    return metadata if isinstance(metadata, dict) else {}


def _text(value: Any) -> str:
    return printable(value, LONGEST_NAME) if isinstance(value, str) else ""


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Decoding and writing make many objects and no cycles.

    With the collector on, keeping 50,000 claims took four times as long, because it walked all of them
    again and again. It rests for one chunk or one transaction, in all threads of the process; in between it
    may run. A first reading of 50,000 claims needs no more memory for it.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
