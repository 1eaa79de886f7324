"""The kinds that Sliceboard reads, in the order it reads them.

Slices come before claims and claims before Pods: lists of different kinds have no common moment, and in this
order a claim can only name a device or consumer that is newer than the lists before it.
"""

from typing import Any, Generic, TypeVar

import msgspec

from inventory.kube import objects
from inventory.kube.discovery import Served
from inventory.kube.versions import Lift, lift_for

DRA = "resource.k8s.io"

ObjectT = TypeVar("ObjectT", bound=objects.Object)


class Kind(msgspec.Struct, Generic[ObjectT], frozen=True):
    """`resource` is the plural in the path, `kind` the word in the object.

    `version` is empty for the kinds of DRA: theirs is found by discovery. `metadata_only`: the server is
    asked for the metadata alone.
    """

    resource: str
    kind: str
    struct: type[ObjectT]
    group: str = ""
    version: str = ""
    namespaced: bool = False
    metadata_only: bool = False

    def path(self, served: Served, namespace: str = "") -> str:
        """Of all namespaces, or of one."""
        root = f"/apis/{self.group}" if self.group else "/api"
        within = f"namespaces/{namespace}/" if namespace else ""
        return f"{root}/{self.version or served.version_of(self.resource)}/{within}{self.resource}"

    def lift(self, served: Served) -> Lift | None:
        return lift_for(self.resource, served.dra_version) if self.group == DRA else None


RESOURCE_SLICES = Kind("resourceslices", "ResourceSlice", objects.ResourceSlice, DRA)
DEVICE_CLASSES = Kind("deviceclasses", "DeviceClass", objects.DeviceClass, DRA)
# Its version is found by discovery, apart from the other kinds of the group; without one it is not read.
DEVICE_TAINT_RULES = Kind("devicetaintrules", "DeviceTaintRule", objects.DeviceTaintRule, DRA)
RESOURCE_CLAIM_TEMPLATES = Kind(
    "resourceclaimtemplates", "ResourceClaimTemplate", objects.ResourceClaimTemplate, DRA, namespaced=True
)
RESOURCE_CLAIMS = Kind("resourceclaims", "ResourceClaim", objects.ResourceClaim, DRA, namespaced=True)
PODS = Kind("pods", "Pod", objects.Pod, "", "v1", namespaced=True)
NODES = Kind("nodes", "Node", objects.Node, "", "v1")
NAMESPACES = Kind("namespaces", "Namespace", objects.Namespace, "", "v1")
RESOURCE_QUOTAS = Kind("resourcequotas", "ResourceQuota", objects.ResourceQuota, "", "v1", namespaced=True)
REPLICA_SETS = Kind(
    "replicasets", "ReplicaSet", objects.Owned, "apps", "v1", namespaced=True, metadata_only=True
)
JOBS = Kind("jobs", "Job", objects.Owned, "batch", "v1", namespaced=True, metadata_only=True)

KINDS: tuple[Kind[Any], ...] = (
    RESOURCE_SLICES,
    DEVICE_CLASSES,
    DEVICE_TAINT_RULES,
    RESOURCE_CLAIM_TEMPLATES,
    RESOURCE_CLAIMS,
    PODS,
    NODES,
    NAMESPACES,
    RESOURCE_QUOTAS,
    REPLICA_SETS,
    JOBS,
)
