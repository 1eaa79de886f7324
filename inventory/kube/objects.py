"""The API objects as Sliceboard reads them: the fields it uses, typed; everything else is skipped over.

The shape is that of resource.k8s.io/v1; `inventory.kube.versions` lifts older versions into it. Whatever a
cluster may say in ways not known yet (attributes, requests, selectors) stays as it came.
Quantities are still text here: one that cannot be read spoils its own dimension, not the object.
"""

from datetime import datetime
from typing import Annotated, Any

import msgspec

Raw = dict[str, Any]

# No name in Kubernetes is longer.
LONGEST_NAME = 253
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_NAME)]
# The name of something else, empty where there is none.
Reference = Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)]
# An int64, as the API has it, that is never negative.
Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class Wire(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, gc=False):
    """Base of all: camel case on the wire, unknown fields ignored.

    Not tracked by the garbage collector: what is decoded from JSON is a tree and has no cycles.
    """


class OwnerReference(Wire, frozen=True):
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool | None = None


class Metadata(Wire, frozen=True):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    owner_references: list[OwnerReference] | None = None
    creation_timestamp: datetime | None = None
    deletion_timestamp: datetime | None = None

    def controller(self) -> OwnerReference | None:
        return next((owner for owner in self.owner_references or () if owner.controller), None)


class Object(Wire, frozen=True):
    """Any object: what the list decoder needs to name it."""

    metadata: Metadata

    def moments(self) -> tuple[datetime | None, ...]:
        """Every point in time that it holds."""
        return self.metadata.creation_timestamp, self.metadata.deletion_timestamp


# ResourceSlice


class Taint(Wire, frozen=True):
    key: str = ""
    value: str = ""
    effect: str = ""
    # As published: it is only ever shown.
    time_added: str | None = None


class ValidRange(Wire, frozen=True):
    min: str | None = None
    max: str | None = None
    step: str | None = None


class RequestPolicy(Wire, frozen=True):
    default: str | None = None
    valid_values: list[str] | None = None
    valid_range: ValidRange | None = None


class Capacity(Wire, frozen=True):
    value: str
    request_policy: RequestPolicy | None = None


class CounterConsumption(Wire, frozen=True):
    counter_set: Name
    counters: dict[Name, Capacity] = {}


class Device(Wire, frozen=True):
    """`attributes` keeps the one-of as published, e.g. {"string": "310P3"}, and anything else found there."""

    name: Name
    attributes: dict[str, Any] | None = None
    capacity: dict[Name, Capacity] | None = None
    consumes_counters: list[CounterConsumption] | None = None
    allow_multiple_allocations: bool | None = None
    taints: list[Taint] | None = None
    node_name: Reference | None = None
    node_selector: Raw | None = None
    all_nodes: bool | None = None
    binds_to_node: bool | None = None
    binding_conditions: list[str] | None = None
    binding_failure_conditions: list[str] | None = None


class CounterSet(Wire, frozen=True):
    name: Name
    counters: dict[Name, Capacity] = {}


class SlicePool(Wire, frozen=True):
    name: Name
    # The API server leaves out a generation of 0.
    generation: Count = 0
    resource_slice_count: Count = 0


class SliceSpec(Wire, frozen=True):
    driver: Name
    pool: SlicePool
    node_name: Reference | None = None
    node_selector: Raw | None = None
    all_nodes: bool | None = None
    per_device_node_selection: bool | None = None
    devices: list[Device] | None = None
    shared_counters: list[CounterSet] | None = None


class ResourceSlice(Object, frozen=True):
    spec: SliceSpec


class TaintRuleSpec(Wire, frozen=True):
    """`device_selector` None selects every device; its keys are all that must hold."""

    taint: Taint
    device_selector: Raw | None = None


class DeviceTaintRule(Object, frozen=True):
    spec: TaintRuleSpec


# ResourceClaim


class AllocationResult(Wire, frozen=True):
    request: str
    driver: Name
    pool: Name
    device: Name
    # Named by hand: camel case would spell it shareId.
    share_id: str | None = msgspec.field(default=None, name="shareID")
    # None: not on the wire. A value that is no text is a quantity nobody can read.
    consumed_capacity: dict[Name, Any] | None = None
    # Not of the API: set in decoding, where there is a consumedCapacity that is no mapping.
    consumption_unreadable: bool = False
    admin_access: bool | None = None
    tolerations: list[Raw] | None = None


class DeviceAllocation(Wire, frozen=True):
    results: list[AllocationResult] | None = None


class Allocation(Wire, frozen=True):
    devices: DeviceAllocation | None = None
    node_selector: Raw | None = None
    allocation_timestamp: datetime | None = None

    def results(self) -> list[AllocationResult]:
        return (self.devices.results if self.devices else None) or []


class ConsumerReference(Wire, frozen=True):
    resource: str
    name: str
    uid: str = ""
    api_group: str = ""


class ClaimStatus(Wire, frozen=True):
    allocation: Allocation | None = None
    reserved_for: list[ConsumerReference] | None = None
    devices: list[Raw] | None = None


class ResourceClaim(Object, frozen=True):
    spec: Raw
    status: ClaimStatus | None = None

    def moments(self) -> tuple[datetime | None, ...]:
        allocation = self.status.allocation if self.status else None
        created, deleted = self.metadata.creation_timestamp, self.metadata.deletion_timestamp
        return created, deleted, allocation.allocation_timestamp if allocation else None


class ResourceClaimTemplate(Object, frozen=True):
    spec: Raw


class DeviceClass(Object, frozen=True):
    spec: Raw


# Core


class ResourceClaimUse(Wire, frozen=True):
    name: str
    request: str = ""


class ContainerResources(Wire, frozen=True):
    limits: dict[str, Any] | None = None
    requests: dict[str, Any] | None = None
    claims: list[ResourceClaimUse] | None = None


class Container(Wire, frozen=True):
    name: str
    image: str | None = None
    resources: ContainerResources | None = None


class PodResourceClaim(Wire, frozen=True):
    name: Reference
    resource_claim_name: Reference | None = None
    resource_claim_template_name: Reference | None = None


class SchedulingGroup(Wire, frozen=True):
    pod_group_name: str | None = None


class PodSpec(Wire, frozen=True):
    containers: list[Container] | None = None
    init_containers: list[Container] | None = None
    scheduler_name: str | None = None
    runtime_class_name: str | None = None
    node_name: Reference | None = None
    resource_claims: list[PodResourceClaim] | None = None
    scheduling_group: SchedulingGroup | None = None
    # Which nodes will do, as written: read only for a Pod that has none yet.
    node_selector: Any = None
    affinity: Any = None
    tolerations: Any = None
    scheduling_gates: Any = None


class PodCondition(Wire, frozen=True):
    type: str
    status: str = ""
    reason: str | None = None
    message: str | None = None


class PodClaimStatus(Wire, frozen=True):
    name: Reference
    resource_claim_name: Reference | None = None


class ExtendedResourceRequest(Wire, frozen=True):
    """A container's extended resource that a request of the claim stands for."""

    container_name: str = ""
    resource_name: str = ""


class ExtendedResourceClaimStatus(Wire, frozen=True):
    resource_claim_name: Reference
    request_mappings: list[ExtendedResourceRequest] | None = None


class PodStatus(Wire, frozen=True):
    phase: str | None = None
    conditions: list[PodCondition] | None = None
    resource_claim_statuses: list[PodClaimStatus] | None = None
    extended_resource_claim_status: ExtendedResourceClaimStatus | None = None


class Pod(Object, frozen=True):
    spec: PodSpec
    status: PodStatus | None = None

    def by_claim(self) -> frozenset[tuple[str, str]]:
        """Containers with the extended resources that a claim of the scheduler gives them (KEP-5004)."""
        extended = self.status.extended_resource_claim_status if self.status else None
        mappings = (extended.request_mappings if extended else None) or ()
        return frozenset((one.container_name, one.resource_name) for one in mappings)


class NodeTaint(Wire, frozen=True):
    key: str
    value: str = ""
    effect: str = ""


class NodeSpec(Wire, frozen=True):
    unschedulable: bool | None = None
    taints: list[NodeTaint] | None = None


class NodeCondition(Wire, frozen=True):
    type: str
    status: str = ""


class NodeStatus(Wire, frozen=True):
    allocatable: dict[str, Any] | None = None
    conditions: list[NodeCondition] | None = None


class Node(Object, frozen=True):
    spec: NodeSpec | None = None
    status: NodeStatus | None = None


class Namespace(Object, frozen=True):
    pass


class ResourceQuotaStatus(Wire, frozen=True):
    hard: dict[str, Any] | None = None
    used: dict[str, Any] | None = None


class ResourceQuota(Object, frozen=True):
    status: ResourceQuotaStatus | None = None


class Owned(Object, frozen=True):
    """The metadata of a ReplicaSet or Job: enough to climb the owner chain."""
