"""The groups by which hours and days are added up."""

from typing import NamedTuple

from inventory.history.sweep import Device, Share, Workload
from inventory.models import Level, UsageTotal

Scope = UsageTotal.Scope


class Group(NamedTuple):
    """What a row of totals is of; names that its scope does not go by are empty."""

    scope: Scope
    driver: str
    product: str
    team: str = ""
    namespace: str = ""
    node: str = ""


class Grouping:
    """Nodes are added up by days only: of hours they would be more rows than all others."""

    def __init__(self, level: Level) -> None:
        self._nodes = level is Level.DAY

    def of_share(self, share: Share, device: Device, workload: Workload | None) -> tuple[Group, ...]:
        kind = device.key.driver, device.product
        return (
            Group(Scope.NAMESPACE, *kind, share.team, share.namespace),
            Group(Scope.TEAM, *kind, share.team),
            *self.of_card(device),
        )

    def of_card(self, device: Device) -> tuple[Group, ...]:
        kind = device.key.driver, device.product
        whole = Group(Scope.PRODUCT, *kind)
        return (whole, Group(Scope.NODE, *kind, node=device.node)) if self._nodes else (whole,)
