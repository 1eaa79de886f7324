"""What differs between releases of the scheduler, as named switches.

The simulator follows Kubernetes 1.36. A gate that is off changes what may be asked and given; a fault that a
release has is followed too, since it decides where Pods really go. Each switch names its source.
"""

from collections.abc import Collection

import msgspec

from inventory.dra.features import (
    BINDING_CONDITIONS,
    CONSUMABLE_CAPACITY,
    DEVICE_TAINTS,
    PARTITIONABLE_DEVICES,
    FeatureState,
    Gate,
    Release,
    state,
)


class Rules(msgspec.Struct, frozen=True):
    """The rules of one scheduler; as they stand here, those of 1.36."""

    consumable_capacity: bool = True
    partitionable_devices: bool = True
    device_taints: bool = True
    binding_conditions: bool = True
    # Pools, slices and devices are tried in order (1.36); before, in the random order of a map.
    in_order: bool = True
    # Counters are kept by the name of the pool alone, so that pools of two drivers with one name collide
    # (kubernetes/kubernetes#140434, mended after 1.36).
    counters_by_pool_name: bool = True
    # A candidate that is given up after its counters were taken keeps them until the attempt ends
    # (kubernetes/kubernetes#140431, mended after 1.36).
    given_up_keep_counters: bool = True
    # Of the devices of one request only the last is compared for distinctAttribute
    # (kubernetes/kubernetes#140727 tells of it, mended after 1.36).
    distinct_from_last_of_request: bool = True


_MENDED = (1, 37)
_IN_ORDER = (1, 36)


def rules_of(release: Release | None, seen: Collection[Gate] = ()) -> Rules:
    """The rules of a server's release (None, not known: those of 1.36); `seen` gates are known to be on."""
    if release is None:
        return Rules()

    def on(gate: Gate) -> bool:
        return state(gate, release, seen) in (FeatureState.SEEN, FeatureState.ON_BY_DEFAULT)

    faulty = release < _MENDED
    return Rules(
        consumable_capacity=on(CONSUMABLE_CAPACITY),
        partitionable_devices=on(PARTITIONABLE_DEVICES),
        device_taints=on(DEVICE_TAINTS),
        binding_conditions=on(BINDING_CONDITIONS),
        in_order=release >= _IN_ORDER,
        counters_by_pool_name=faulty,
        given_up_keep_counters=faulty,
        distinct_from_last_of_request=faulty,
    )
