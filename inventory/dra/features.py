"""Which parts of DRA a cluster has switched on.

An API server drops the fields of a feature gate that is off, so a field that is seen proves its gate; else
the defaults of the release tell (pkg/features/kube_features.go). Clusters can differ from the defaults.
"""

from collections.abc import Collection
from enum import StrEnum

import msgspec

Release = tuple[int, int]


class FeatureState(StrEnum):
    SEEN = "seen"
    ON_BY_DEFAULT = "on_by_default"
    OFF_BY_DEFAULT = "off_by_default"
    # The release does not know the gate.
    ABSENT = "absent"
    UNKNOWN = "unknown"


class Gate(msgspec.Struct, frozen=True):
    """`known` is the first release with the gate, `default` the first that switches it on (None: none)."""

    name: str
    known: Release
    default: Release | None


CONSUMABLE_CAPACITY = Gate("DRAConsumableCapacity", (1, 34), (1, 36))
PARTITIONABLE_DEVICES = Gate("DRAPartitionableDevices", (1, 33), (1, 36))
DEVICE_TAINTS = Gate("DRADeviceTaints", (1, 33), (1, 36))
DEVICE_TAINT_RULES = Gate("DRADeviceTaintRules", (1, 35), None)
BINDING_CONDITIONS = Gate("DRADeviceBindingConditions", (1, 34), (1, 36))
EXTENDED_RESOURCE = Gate("DRAExtendedResource", (1, 34), (1, 36))

GATES = (
    CONSUMABLE_CAPACITY,
    PARTITIONABLE_DEVICES,
    DEVICE_TAINTS,
    DEVICE_TAINT_RULES,
    BINDING_CONDITIONS,
    EXTENDED_RESOURCE,
)


def state(gate: Gate, release: Release | None, seen: Collection[Gate]) -> FeatureState:
    """What is known of a gate, given the server's release (None: not known) and the gates that were seen."""
    if gate in seen:
        return FeatureState.SEEN
    if release is None:
        return FeatureState.UNKNOWN
    if release < gate.known:
        return FeatureState.ABSENT
    if gate.default is not None and release >= gate.default:
        return FeatureState.ON_BY_DEFAULT
    return FeatureState.OFF_BY_DEFAULT
