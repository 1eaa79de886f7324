"""By what usage is added up, and what of it a viewer may read."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import msgspec

from inventory.history.measures import Sums, add
from inventory.history.sweep import Device, Share, Workload
from inventory.models import Team
from inventory.queries.usage.filters import Wanted
from inventory.queries.usage.rows import UsageGroup
from inventory.viewer import Viewer

# What says who held something.
HOLDERS = frozenset({UsageGroup.TEAM, UsageGroup.NAMESPACE, UsageGroup.WORKLOAD})
# A namespace, and a workload in it, is one of its cluster and its team of then; a node is one of its cluster.
_IMPLIED: Mapping[UsageGroup, Collection[UsageGroup]] = {
    UsageGroup.NAMESPACE: (UsageGroup.CLUSTER, UsageGroup.TEAM),
    UsageGroup.WORKLOAD: (UsageGroup.CLUSTER, UsageGroup.TEAM, UsageGroup.NAMESPACE),
    UsageGroup.NODE: (UsageGroup.CLUSTER,),
}


class Key(NamedTuple):
    """One group. A name that was not asked for is None, one that is nobody's is empty."""

    driver: str
    product: str
    cluster: int | None = None
    node: str | None = None
    team: str | None = None
    namespace: str | None = None
    workload: Workload | None = None
    withheld: bool = False


class Groups(msgspec.Struct, frozen=True):
    """What was asked for, and what that implies."""

    asked: frozenset[UsageGroup]
    all: frozenset[UsageGroup]

    @classmethod
    def of(cls, asked: Collection[UsageGroup]) -> "Groups":
        implied = (one for group in asked for one in _IMPLIED.get(group, ()))
        return cls(frozenset(asked), frozenset((*asked, *implied)))

    @property
    def are_of_holders(self) -> bool:
        return not self.asked.isdisjoint(HOLDERS)

    def has(self, group: UsageGroup) -> bool:
        return group in self.all


class Grouping:
    """The groups of shares and cards, for a sweep."""

    def __init__(self, groups: Groups, wanted: Wanted) -> None:
        self._wanted = wanted
        self._of_holders = groups.are_of_holders
        self._cluster, self._node, self._team, self._namespace, self._workload = map(
            groups.has,
            (
                UsageGroup.CLUSTER,
                UsageGroup.NODE,
                UsageGroup.TEAM,
                UsageGroup.NAMESPACE,
                UsageGroup.WORKLOAD,
            ),
        )

    def of_share(self, share: Share, device: Device, workload: Workload | None) -> tuple[Key, ...]:
        if not (self._wanted.has_device(device) and self._wanted.has_workload(workload)):
            return ()
        return (
            Key(
                device.key.driver,
                device.product,
                device.key.cluster if self._cluster else None,
                device.node if self._node else None,
                share.team if self._team else None,
                share.namespace if self._namespace else None,
                (workload or NO_WORKLOAD) if self._workload else None,
            ),
        )

    def of_card(self, device: Device) -> tuple[Key, ...]:
        """Those who hold something have no cards of their own."""
        if self._of_holders or not self._wanted.has_device(device):
            return ()
        return (
            Key(
                device.key.driver,
                device.product,
                device.key.cluster if self._cluster else None,
                device.node if self._node else None,
            ),
        )


NO_WORKLOAD = Workload("", "")


def slugs(viewer: Viewer) -> frozenset[str] | None:
    """Of the teams whose names the viewer may read; None: of all, and of nobody's, too."""
    if viewer.teams is None:
        return None
    return frozenset(Team.objects.filter(pk__in=viewer.teams).values_list("slug", flat=True))


def withheld(found: Mapping[Key, Sums], groups: Groups, own: frozenset[str] | None) -> dict[Key, Sums]:
    """What may not be named is added up in one group of its driver and product, and of its place."""
    if own is None or not groups.are_of_holders:
        return dict(found)
    named: dict[Key, Sums] = {}
    for key, sums in found.items():
        add(named.setdefault(key if key.team in own else _nameless(key, groups), {}), sums)
    return named


def _nameless(key: Key, groups: Groups) -> Key:
    return key._replace(
        cluster=key.cluster if not groups.asked.isdisjoint(_PLACES) else None,
        team=None,
        namespace=None,
        workload=None,
        withheld=True,
    )


_PLACES = (UsageGroup.CLUSTER, UsageGroup.NODE)


def names(key: Key, clusters: Mapping[int, str]) -> dict[str, Any]:
    """The fields of a row; what is nobody's is None there."""
    workload = key.workload or NO_WORKLOAD
    return {
        "cluster": None if key.cluster is None else clusters[key.cluster],
        "team": key.team or None,
        "namespace": key.namespace or None,
        "workload_kind": workload.kind or None,
        "workload_name": workload.name or None,
        "node": key.node or None,
        "withheld": key.withheld,
        "driver": key.driver,
        "product": key.product or None,
    }
