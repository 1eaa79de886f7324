"""Objects that are in the cluster but could not be read: their rows stay as they are."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from inventory.kube.decoding import Skipped


@dataclass(frozen=True)
class Unread:
    """What was skipped of one kind. `anything`: not even the name could be read, so it may be any of them."""

    names: frozenset[str] = frozenset()
    uids: frozenset[str] = frozenset()
    anything: bool = False

    @classmethod
    def of(cls, skipped: Iterable[Skipped]) -> Self:
        # What was skipped of an object that is there (`part`) hides no object.
        whole = [one for one in skipped if not one.part]
        return cls(
            names=frozenset(one.name for one in whole if one.name),
            uids=frozenset(one.uid for one in whole if one.uid),
            anything=any(not one.uid for one in whole),
        )

    def holds(self, *, name: object = None, uid: object = None) -> bool:
        return self.anything or name in self.names or uid in self.uids
