"""The tables: what was read from each cluster, and the balances that the ledger derived from it."""

from inventory.models.claims import (
    Claim,
    ClaimTemplate,
    ConsumedCapacity,
    Consumer,
    DeviceClass,
    Share,
    TaintRule,
)
from inventory.models.clusters import Cluster, KindState, Namespace, Node, Quota, SkippedObject
from inventory.models.devices import Balance, Card, CounterBalance, Device, Pool
from inventory.models.pods import Pod, PodClaim
from inventory.models.teams import Membership, Team, TeamNamespace

__all__ = [
    "Balance",
    "Card",
    "Claim",
    "ClaimTemplate",
    "Cluster",
    "ConsumedCapacity",
    "Consumer",
    "CounterBalance",
    "Device",
    "DeviceClass",
    "KindState",
    "Membership",
    "Namespace",
    "Node",
    "Pod",
    "PodClaim",
    "Pool",
    "Quota",
    "Share",
    "SkippedObject",
    "TaintRule",
    "Team",
    "TeamNamespace",
]
