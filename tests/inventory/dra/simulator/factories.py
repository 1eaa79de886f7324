"""Small clusters for tests of the simulator."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from inventory.dra.simulator.allocated import allocated
from inventory.dra.simulator.claims import Claim, claim
from inventory.dra.simulator.classes import class_selectors
from inventory.dra.simulator.explanation import Explanation, explain
from inventory.dra.simulator.node_pools import Slices, published
from inventory.dra.simulator.nodes import Node
from inventory.dra.simulator.pod_rules import PodRules
from inventory.dra.simulator.rules import Rules
from inventory.dra.simulator.selection import Matches
from inventory.dra.simulator.simulate import Cluster
from inventory.kube.objects import AllocationResult, ResourceSlice

Raw = dict[str, Any]
DRIVER = "gpu.example.com"


def device(name: str = "gpu-0", *, shared: bool = True, **fields: Any) -> Raw:
    """A card of 40 GiB and 100 cores, of which any part may be asked for."""
    capacity = {"memory": {"value": "40Gi"}, "cores": {"value": "100"}}
    attributes = {"type": {"string": "gpu"}, "model": {"string": "A100"}}
    return {
        "name": name,
        "attributes": attributes,
        "capacity": capacity,
        "allowMultipleAllocations": shared,
        **fields,
    }


def slice_of(
    *devices: Raw,
    name: str = "slice",
    node: str = "n1",
    pool: str = "",
    driver: str = DRIVER,
    generation: int = 1,
    count: int = 1,
    **spec: Any,
) -> ResourceSlice:
    published = {
        "driver": driver,
        "pool": {"name": pool or node, "generation": generation, "resourceSliceCount": count},
        "devices": list(devices),
        **(
            {"nodeName": node}
            if not spec.keys() & {"allNodes", "nodeSelector", "perDeviceNodeSelection"}
            else {}
        ),
        **spec,
    }
    return msgspec.convert({"metadata": {"name": name}, "spec": published}, ResourceSlice)


def held(device: str = "gpu-0", *, pool: str = "n1", driver: str = DRIVER, **fields: Any) -> AllocationResult:
    """A whole device; with `consumed` a share of it."""
    result: Raw = {"request": "r", "driver": driver, "pool": pool, "device": device}
    if "consumed" in fields:
        result |= {"shareID": f"share-{device}", "consumedCapacity": fields.pop("consumed")}
    return msgspec.convert({**result, **fields}, AllocationResult)


def exactly(name: str = "r", **fields: Any) -> Raw:
    return {"name": name, "exactly": {"deviceClassName": "any", **fields}}


def asking(**capacity: str) -> Raw:
    return {"requests": capacity}


def selecting(*expressions: str) -> list[Raw]:
    return [{"cel": {"expression": expression}} for expression in expressions]


def wanting(*requests: Raw, name: str = "waiting", constraints: Sequence[Raw] = ()) -> Claim:
    spec = {"devices": {"requests": list(requests), "constraints": list(constraints)}}
    return claim("team", name, spec)


def cluster(
    *slices: ResourceSlice,
    results: Sequence[AllocationResult] = (),
    classes: Mapping[str, Sequence[str]] | None = None,
    nodes: Sequence[Node] | None = None,
    rules: Rules | None = None,
) -> Cluster:
    """Its nodes are those that the slices name, without labels, where none are given."""
    rules = rules or Rules()
    found = Slices(map(published, slices))
    known = nodes if nodes is not None else [Node(name, {}) for name in {*found.node_names, "n1"}]
    named = classes if classes is not None else {"any": ()}
    return Cluster(
        slices=found,
        allocated=allocated(results, shares=rules.consumable_capacity),
        classes={
            name: class_selectors(name, {"selectors": selecting(*expressions)})
            for name, expressions in named.items()
        },
        nodes={node.name: node for node in known},
        rules=rules,
        matches=Matches(),
    )


def explained(found: Cluster, *claims: Claim, rules: PodRules | None = None) -> Explanation:
    return explain(found, claims, rules)


def places(found: Explanation) -> dict[str, list[str]]:
    """By node, the devices that the claims would get there."""
    return {fit.node: [one.candidate.id.name for one in fit.placements] for fit in found.fits}


def reasons(found: Explanation) -> list[tuple[str, int, str]]:
    """Of the request that was in the way: check, devices and subject, the nearest first."""
    return [(group.check.value, group.devices, group.subject) for group in found.requests[0].groups]
