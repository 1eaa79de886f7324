"""The tables: what was read from each cluster, and the balances that the ledger derived from it.

Text that comes from a cluster has no length limit here: Kubernetes limits neither owners nor annotations,
and PostgreSQL would refuse a whole poll for one of them. What identifies an object was checked at decoding.

The large tables (claims, shares, Pods, balances and what hangs on them) have foreign keys that the database
does not check. It would do so row by row at the end of each poll, which takes PostgreSQL a third of the time
of a first reading. They are written only by `inventory.sync`, in whole transactions.
"""

from inventory.models.claims import (
    Claim,
    ClaimTemplate,
    ConsumedCapacity,
    Consumer,
    DeviceClass,
    Share,
    TaintRule,
)
from inventory.models.clusters import (
    Cluster,
    Difference,
    KindState,
    Lease,
    Namespace,
    Node,
    Quota,
    SkippedObject,
)
from inventory.models.conversions import ConversionPreview, HamiPod, SavedConversion
from inventory.models.devices import Balance, Card, CounterBalance, Device, Pool, Slice
from inventory.models.history import (
    ClaimEvent,
    Coverage,
    DeviceInterval,
    InstantSource,
    PodInterval,
    ShareInterval,
)
from inventory.models.holdings import CardHolding
from inventory.models.pods import Pod, PodClaim
from inventory.models.quotas import TeamQuota
from inventory.models.teams import Membership, Team, TeamNamespace, TeamRule, TeamRuleValue
from inventory.models.usage import Level, RollUp, UsageTotal

__all__ = [
    "Balance",
    "Card",
    "CardHolding",
    "Claim",
    "ClaimEvent",
    "ClaimTemplate",
    "Cluster",
    "ConsumedCapacity",
    "Consumer",
    "ConversionPreview",
    "CounterBalance",
    "Coverage",
    "Device",
    "DeviceClass",
    "DeviceInterval",
    "Difference",
    "HamiPod",
    "InstantSource",
    "KindState",
    "Lease",
    "Level",
    "Membership",
    "Namespace",
    "Node",
    "Pod",
    "PodClaim",
    "PodInterval",
    "Pool",
    "Quota",
    "RollUp",
    "SavedConversion",
    "Share",
    "ShareInterval",
    "SkippedObject",
    "Slice",
    "TaintRule",
    "Team",
    "TeamNamespace",
    "TeamQuota",
    "TeamRule",
    "TeamRuleValue",
    "UsageTotal",
]
