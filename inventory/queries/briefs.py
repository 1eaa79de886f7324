"""The short forms under which rows name each other."""

import msgspec

from inventory.models import Card, Claim, Device, Node, Pod, Pool, Team
from inventory.viewer import Viewer


class Workload(msgspec.Struct, frozen=True):
    """The owner at the top of a Pod's owner chain: Deployment, Job, …"""

    kind: str
    name: str


class PodBrief(msgspec.Struct, frozen=True):
    id: int
    namespace: str
    name: str
    uid: str
    node: str | None
    phase: str | None
    workload: Workload | None


class DeviceBrief(msgspec.Struct, frozen=True):
    id: int
    driver: str
    pool: str
    name: str
    node: str | None
    uuid: str | None
    product: str | None


class CardBrief(msgspec.Struct, frozen=True):
    """The card that a device is, or is a part of."""

    id: int
    key: str
    partitioned: bool
    state: str


class ClaimBrief(msgspec.Struct, frozen=True):
    id: int
    namespace: str
    name: str
    uid: str
    state: str


class PoolBrief(msgspec.Struct, frozen=True):
    id: int
    driver: str
    name: str
    state: str


def workload(pod: Pod) -> Workload | None:
    return Workload(pod.workload_kind, pod.workload_name) if pod.workload_kind else None


def node_name(node: Node | None) -> str | None:
    return node.name if node else None


def team_slug(team: Team | None, viewer: Viewer) -> str | None:
    """None also for a team whose name the viewer may not read."""
    return team.slug if team is not None and viewer.sees(team.pk) else None


def pod_brief(pod: Pod) -> PodBrief:
    return PodBrief(
        pod.pk, pod.namespace.name, pod.name, pod.uid, node_name(pod.node), pod.phase or None, workload(pod)
    )


def device_brief(device: Device) -> DeviceBrief:
    return DeviceBrief(
        id=device.pk,
        driver=device.pool.driver,
        pool=device.pool.name,
        name=device.name,
        node=node_name(device.node),
        uuid=device.uuid or None,
        product=device.product or None,
    )


def card_brief(card: Card | None) -> CardBrief | None:
    return CardBrief(card.pk, card.key, card.partitioned, card.state) if card else None


def claim_brief(claim: Claim) -> ClaimBrief:
    return ClaimBrief(claim.pk, claim.namespace.name, claim.name, claim.uid, claim.state)


def pool_brief(pool: Pool) -> PoolBrief:
    return PoolBrief(pool.pk, pool.driver, pool.name, pool.state)
