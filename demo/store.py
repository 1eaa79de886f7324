"""Objects with their history, as etcd keeps them for an API server.

Every write gets the next revision of one counter. The last writes are remembered, so that a list
can be read as it was at an earlier revision and a watch can start from there, until the history
before it is compacted.
"""

import threading
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from random import Random
from typing import Any
from uuid import UUID

import msgspec

from demo.resources import Resource, by_kind

Object = dict[str, Any]
Key = tuple[str, str]
_REMEMBERED_SNAPSHOTS = 16


class Record(msgspec.Struct, frozen=True, gc=False):
    """An object as stored: JSON without kind and apiVersion, which is how lists carry it."""

    namespace: str
    name: str
    revision: int
    body: bytes

    @property
    def key(self) -> Key:
        return self.namespace, self.name

    def object(self) -> Object:
        decoded: Object = msgspec.json.decode(self.body)
        return decoded


class Change(msgspec.Struct, frozen=True):
    """One write. A deletion carries the object's last state under the revision of the deletion."""

    resource: Resource
    record: Record
    before: Record | None
    deleted: bool = False


class Snapshot(msgspec.Struct, frozen=True):
    """All objects of a kind at one revision, by namespace and name."""

    revision: int
    records: tuple[Record, ...]

    def position(self, key: Key) -> int:
        return bisect_left(self.records, key, key=_key)


class Compacted(Exception):
    """The history does not reach back to the revision asked for."""


class FutureRevision(Exception):
    """The revision asked for has not been written yet."""


class Store:
    """Thread-safe. Objects handed in are copied; objects handed out belong to the caller."""

    def __init__(
        self,
        *,
        history_limit: int = 10_000,
        clock: Callable[[], datetime] | None = None,
        random: Random | None = None,
    ) -> None:
        self.revision = 0
        self.compacted = 0
        self.clock = clock or (lambda: datetime.now(UTC))
        self._history_limit = history_limit
        self._random = random or Random()
        self._tables: dict[Resource, dict[Key, Record]] = {}
        self._history: list[Change] = []
        self._snapshots: OrderedDict[tuple[Resource, int], Snapshot] = OrderedDict()
        self._written = threading.Condition(threading.RLock())

    # Reading

    def get(self, resource: Resource, namespace: str, name: str) -> Record | None:
        with self._written:
            return self._tables.get(resource, {}).get((namespace, name))

    def find(self, resource: Resource, namespace: str, name: str) -> Object | None:
        """The object with its kind and apiVersion."""
        record = self.get(resource, namespace, name)
        return _identified(resource, record.object()) if record else None

    def objects(self, resource: Resource) -> list[Object]:
        return [_identified(resource, record.object()) for record in self.snapshot(resource).records]

    def snapshot(self, resource: Resource, revision: int | None = None) -> Snapshot:
        """The kind as it is, or was at a revision. Raises Compacted or FutureRevision."""
        with self._written:
            wanted = self.revision if revision is None else revision
            self._check_reach(wanted)
            snapshot = self._snapshots.get((resource, wanted)) or self._reconstruct(resource, wanted)
            self._snapshots[resource, wanted] = snapshot
            self._snapshots.move_to_end((resource, wanted))
            while len(self._snapshots) > _REMEMBERED_SNAPSHOTS:
                self._snapshots.popitem(last=False)
            return snapshot

    def changes_after(self, revision: int) -> list[Change]:
        """What was written after a revision, in order; nothing for one in the future. Raises Compacted."""
        with self._written:
            if revision < self.compacted:
                raise Compacted
            return self._history[revision - self.compacted :]

    def wait_for_change(self, revision: int, seconds: float) -> None:
        """Return once something newer than the revision is there, at the latest after the given time."""
        with self._written:
            self._written.wait_for(lambda: self.revision > revision, timeout=seconds)

    # Writing

    def put(self, obj: Object) -> Object:
        """Create or replace; uid, creation time and generation are kept or made.

        An object under deletion goes away with its last finalizer.
        """
        resource = by_kind(obj["apiVersion"], obj["kind"])
        with self._written:
            kept = self.find(resource, obj["metadata"].get("namespace", ""), obj["metadata"]["name"])
            stamped = self._stamped(resource, obj, kept)
            if kept is not None and _is_finally_deleted(stamped["metadata"]):
                self._remove(resource, stamped)
            else:
                self._write(resource, stamped)
            stamped["metadata"]["resourceVersion"] = str(self.revision)
            return stamped

    def preview(self, obj: Object) -> Object:
        """What `put` would store of a new object; nothing is written."""
        return self._stamped(by_kind(obj["apiVersion"], obj["kind"]), obj, None)

    def delete(self, resource: Resource, namespace: str, name: str) -> None:
        """Remove an object, or only mark it as being deleted while it has finalizers. Raises KeyError."""
        with self._written:
            obj = self.find(resource, namespace, name)
            if obj is None:
                raise KeyError(f"{resource.qualified} {namespace}/{name}")
            metadata = obj["metadata"]
            if not metadata.get("finalizers"):
                self._remove(resource, obj)
            elif "deletionTimestamp" not in metadata:
                metadata |= {"deletionTimestamp": timestamp(self.clock()), "deletionGracePeriodSeconds": 0}
                self._write(resource, obj)

    def load(self, resource: Resource, items: Iterable[Object], revision: int = 0) -> None:
        """Take objects over as they are, with their resource versions; no history comes with them."""
        with self._written:
            table = self._tables.setdefault(resource, {})
            newest = revision
            for item in items:
                record = _record(item, int(item["metadata"]["resourceVersion"]))
                table[record.key] = record
                newest = max(newest, record.revision)
            self.revision = self.compacted = max(self.revision, newest)
            self._history.clear()
            self._snapshots.clear()

    def compact(self, revision: int | None = None) -> None:
        """Forget how things were before a revision, by default before now."""
        with self._written:
            reached = min(self.revision if revision is None else revision, self.revision)
            if reached > self.compacted:
                del self._history[: reached - self.compacted]
                self.compacted = reached

    def _check_reach(self, revision: int) -> None:
        if revision > self.revision:
            raise FutureRevision
        if revision < self.compacted:
            raise Compacted

    def _reconstruct(self, resource: Resource, revision: int) -> Snapshot:
        table = dict(self._tables.get(resource, {}))
        for change in reversed(self.changes_after(revision)):
            if change.resource is resource:
                _undo(table, change)
        return Snapshot(revision, tuple(sorted(table.values(), key=_key)))

    def _stamped(self, resource: Resource, obj: Object, kept: Object | None) -> Object:
        metadata = dict(obj["metadata"])
        before = kept["metadata"] if kept else {}
        metadata["uid"] = before.get("uid") or metadata.get("uid") or self.new_uid()
        metadata["creationTimestamp"] = (
            before.get("creationTimestamp") or metadata.get("creationTimestamp") or timestamp(self.clock())
        )
        if resource.generation:
            generation = before.get("generation", 0)
            changed = kept is None or kept.get("spec") != obj.get("spec")
            metadata["generation"] = generation + 1 if changed else generation
        return {**obj, "metadata": metadata}

    def new_uid(self) -> str:
        return str(UUID(int=self._random.getrandbits(128), version=4))

    def _write(self, resource: Resource, obj: Object) -> None:
        record = _record(obj, self.revision + 1)
        table = self._tables.setdefault(resource, {})
        self._remember(Change(resource, record, table.get(record.key)))
        table[record.key] = record

    def _remove(self, resource: Resource, obj: Object) -> None:
        record = _record(obj, self.revision + 1)
        before = self._tables[resource].pop(record.key)
        self._remember(Change(resource, record, before, deleted=True))

    def _remember(self, change: Change) -> None:
        self.revision = change.record.revision
        self._history.append(change)
        # In batches, because dropping the front of a long list is not free.
        if len(self._history) > self._history_limit * 5 // 4:
            self.compact(self.revision - self._history_limit)
        self._written.notify_all()


def timestamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def restamped(record: Record, revision: int) -> Record:
    """The same object as of another revision."""
    return _record(record.object(), revision)


def _record(obj: Object, revision: int) -> Record:
    metadata = {**obj["metadata"], "resourceVersion": str(revision)}
    stored = {"metadata": metadata, **{key: value for key, value in obj.items() if key not in _IMPLIED}}
    body = msgspec.json.encode(stored)
    return Record(metadata.get("namespace", ""), metadata["name"], revision, body)


_IMPLIED = {"metadata", "kind", "apiVersion"}


def _identified(resource: Resource, obj: Object) -> Object:
    return {"kind": resource.kind, "apiVersion": resource.api_version, **obj}


def _is_finally_deleted(metadata: Object) -> bool:
    in_grace = metadata.get("deletionGracePeriodSeconds", 0) > 0
    return "deletionTimestamp" in metadata and not in_grace and not metadata.get("finalizers")


def _undo(table: dict[Key, Record], change: Change) -> None:
    if change.before is None:
        table.pop(change.record.key, None)
    else:
        table[change.record.key] = change.before


def _key(record: Record) -> Key:
    return record.key
