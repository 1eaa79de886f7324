"""What is to be written of one kind: a whole list, or what has happened since the last commit."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic

from inventory.kube.decoding import Skipped
from inventory.kube.discovery import Served
from inventory.kube.errors import ClusterError
from inventory.kube.kinds import Kind, ObjectT
from inventory.kube.objects import Metadata, OwnerReference
from inventory.sync.controllers import Controller
from inventory.sync.unread import Unread


@dataclass(frozen=True)
class Seen:
    """The UIDs of a whole list, those of unchanged objects too: any other row of the kind is gone."""

    uids: Set[str]
    bytes: int
    seconds: float


@dataclass(frozen=True)
class Changes(Generic[ObjectT]):
    """Objects that came or changed, in chunks, and the UIDs of those that went.

    `resource_version` is where a watch goes on from here. `seen` is None unless it was a whole list.
    `nothing`: only the resource version has moved.
    `passed` are states of claims, in order, after which they held something else, were reserved
    otherwise, or went.
    `controllers` are the owners of Pods that may have owners themselves.
    """

    resource_version: str
    chunks: Callable[[], Iterable[Sequence[ObjectT]]]
    skipped: Sequence[Skipped] = ()
    gone: Set[str] = frozenset()
    seen: Seen | None = None
    passed: Sequence[ObjectT] = ()
    controllers: Set[Controller] = frozenset()
    nothing: bool = False
    events: int = 0
    bytes: int = 0

    @property
    def unread(self) -> Unread:
        return Unread.of(self.skipped)


@dataclass(frozen=True)
class Owners:
    """The controllers that Pods name, by UID, with their own controllers; None for one that has none.

    `unread` are those that could not be asked for.
    """

    known: Mapping[str, OwnerReference | None] = field(default_factory=dict)
    unread: Set[str] = frozenset()


@dataclass(frozen=True)
class Batch:
    """What one transaction writes.

    A kind that is not in `changes` keeps its rows. `confirmed` says of kinds up to when everything that has
    happened to them is in this batch or in an earlier one.
    """

    served: Served
    changes: Mapping[str, Changes[Any]] = field(default_factory=dict)
    failures: Mapping[str, ClusterError] = field(default_factory=dict)
    confirmed: Mapping[str, datetime] = field(default_factory=dict)
    owners: Owners = Owners()

    def of(self, kind: Kind[ObjectT]) -> Changes[ObjectT] | None:
        """None where there is nothing to write."""
        found = self.changes.get(kind.resource)
        return None if found is None or found.nothing else found


def older(version: str, than: str) -> bool:
    """Whether one resourceVersion is before another; never where one is no number.

    Kubernetes promises their order since 1.35 (KEP-5504), and etcd has kept it before.
    """
    if not (_is_number(version) and _is_number(than)):
        return False
    one, other = version.lstrip("0"), than.lstrip("0")
    return (len(one), one) < (len(other), other)


def reaches(version: str, target: str) -> bool:
    """Whether one resourceVersion is another or after it; never where that cannot be said."""
    return version == target or (_is_number(version) and _is_number(target) and not older(version, target))


def _is_number(version: str) -> bool:
    return version.isascii() and version.isdecimal()


def newest(objects: Iterable[ObjectT]) -> Iterator[ObjectT]:
    """Of each object the newest state, where it comes twice."""
    found: dict[str, ObjectT] = {}
    for one in objects:
        before = found.get(one.metadata.uid)
        if before is None or not older(one.metadata.resource_version, before.metadata.resource_version):
            found[one.metadata.uid] = one
    yield from found.values()


def not_older(objects: Iterable[ObjectT], stored: Mapping[str, str]) -> list[ObjectT]:
    """Without those of which a newer state is stored already: events may come twice and out of order."""
    return [one for one in objects if not _is_older(one.metadata, stored)]


def _is_older(metadata: Metadata, stored: Mapping[str, str]) -> bool:
    return older(metadata.resource_version, stored.get(metadata.uid, ""))
