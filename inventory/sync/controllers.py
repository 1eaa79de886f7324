"""The owners that manage Pods, where these may be managed themselves."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from inventory.kube.objects import Object, Pod

# A Deployment owns by way of the one, a CronJob or JobSet by way of the other.
BETWEEN = ("ReplicaSet", "Job")


class Controller(NamedTuple):
    """The owner that manages a Pod."""

    kind: str
    uid: str
    namespace: str
    name: str


def controllers(objects: Iterable[Object]) -> Iterator[Controller]:
    for one in objects:
        owner = one.metadata.controller() if isinstance(one, Pod) else None
        if owner is not None and owner.kind in BETWEEN:
            yield Controller(owner.kind, owner.uid, one.metadata.namespace, owner.name)
