"""What has happened to a kind and is not written yet."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, Generic

from inventory.kube.decoding import Skipped
from inventory.kube.events import Change, Events
from inventory.kube.kinds import ObjectT
from inventory.kube.objects import Object, ResourceClaim
from inventory.sync.changes import Changes, older
from inventory.sync.controllers import controllers
from inventory.sync.read import concerns_us


@dataclass
class Pending(Generic[ObjectT]):
    """Since the last commit. Of an object the newest state counts, and what of it cannot be read then."""

    resource_version: str
    objects: dict[str, ObjectT] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    skipped: defaultdict[str, list[Skipped]] = field(default_factory=lambda: defaultdict(list))
    passed: list[ObjectT] = field(default_factory=list)
    events: int = 0
    bytes: int = 0
    # UIDs never come back: what is told of them later is late.
    ended: set[str] = field(default_factory=set)

    @property
    def anything(self) -> bool:
        return bool(self.objects or self.gone or self.skipped or self.passed)

    def add(self, events: Events[ObjectT]) -> None:
        """All of a group or nothing: the resource version of its end is that of everything in it."""
        done = 0
        for one, after in zip(events.skipped, events.skipped_after, strict=True):
            for change in events.changes[done:after]:
                self._add(change)
            done = after
            self._skip(one)
        for change in events.changes[done:]:
            self._add(change)
        self.events += len(events.changes)
        self.bytes += events.bytes
        if not older(events.resource_version, self.resource_version):
            self.resource_version = events.resource_version or self.resource_version

    def taken(self) -> Changes[ObjectT]:
        """All of it, to be written; from here on it begins anew."""
        objects = list(self.objects.values())
        taken: Changes[ObjectT] = Changes(
            resource_version=self.resource_version,
            chunks=lambda: [objects] if objects else [],
            skipped=tuple(one for skipped in self.skipped.values() for one in skipped),
            passed=tuple(self.passed),
            nothing=not self.anything,
            gone=frozenset(self.gone),
            controllers=frozenset(controllers(objects)),
            events=self.events,
            bytes=self.bytes,
        )
        self.objects, self.gone, self.passed = {}, set(), []
        self.skipped.clear()
        self.events = self.bytes = 0
        return taken

    def _add(self, change: Change[ObjectT]) -> None:
        metadata = change.object.metadata
        if not concerns_us(change.object) or metadata.uid in self.ended:
            return
        before = self.objects.get(metadata.uid)
        if before is not None and _passes(before, change):
            self.passed.append(before)
        if change.deleted:
            self._end(metadata.uid)
        elif before is None or not older(metadata.resource_version, before.metadata.resource_version):
            self.objects[metadata.uid] = change.object
            self.skipped.pop(metadata.uid, None)

    def _skip(self, one: Skipped) -> None:
        if one.deleted:
            self._end(one.uid)
        elif one.part:
            self.skipped[one.uid].append(one)
        else:
            self.skipped[one.uid] = [one]

    def _end(self, uid: str) -> None:
        if uid:
            self.objects.pop(uid, None)
            self.skipped.pop(uid, None)
            self.gone.add(uid)
            self.ended.add(uid)


def _passes(before: Object, change: Change[Any]) -> bool:
    """Whether a claim is given something, or gives it back, between two commits: only history will know."""
    return isinstance(before, ResourceClaim) and (
        change.deleted
        or _allocation(change.object) != _allocation(before)
        or _reserved_for(change.object) != _reserved_for(before)
    )


def _allocation(one: Object) -> Any:
    return one.status and one.status.allocation if isinstance(one, ResourceClaim) else None


def _reserved_for(one: Object) -> Any:
    """The same where it is empty, and where it is not there."""
    return ((one.status and one.status.reserved_for) or None) if isinstance(one, ResourceClaim) else None
