"""Objects, and parts of them, that are in the cluster but could not be read: their rows stay as they are."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from inventory.kube.decoding import Skipped


@dataclass(frozen=True)
class Unread:
    """What was skipped of one kind. `anything`: not even the name could be read, so it may be any of them.

    `parts` are (name of the object, part) of objects that are there without it.
    """

    names: frozenset[tuple[str, str]] = frozenset()
    uids: frozenset[str] = frozenset()
    parts: frozenset[tuple[str, str]] = frozenset()
    anything: bool = False

    @classmethod
    def of(cls, skipped: Iterable[Skipped]) -> Self:
        skipped = list(skipped)
        whole = [one for one in skipped if not one.part]
        return cls(
            names=frozenset((one.namespace, one.name) for one in whole if one.name),
            uids=frozenset(one.uid for one in whole if one.uid),
            parts=frozenset((one.name, one.part) for one in skipped if one.part),
            anything=any(not one.uid for one in whole),
        )

    def holds_name(self, name: object, namespace: object = "") -> bool:
        return self.anything or (namespace, name) in self.names

    def holds_uid(self, uid: object) -> bool:
        return self.anything or uid in self.uids
