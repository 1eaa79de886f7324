"""Small API objects, as a client would send them."""

from typing import Any

from demo.store import Object, Store

DRA = "resource.k8s.io/v1"
# A release from before lists were streamed.
IN_PAGES = "v1.33.4"
# When claims were made of which a test says no other time.
MADE = "2026-11-29T07:00:00Z"
SHARE = "11111111-1111-4111-8111-111111111111"
HAMI = "hami-core-gpu.project-hami.io"


def named(api_version: str, kind: str, name: str, namespace: str = "", **rest: Any) -> Object:
    place = {"namespace": namespace} if namespace else {}
    metadata = {"name": name, **place, **rest.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **rest}


def card(name: str = "hami-gpu-0", **fields: Any) -> Object:
    return {
        "name": name,
        "allowMultipleAllocations": True,
        "attributes": {"productName": {"string": "NVIDIA L4"}, "uuid": {"string": f"GPU-{name}"}},
        "capacity": {"memory": {"value": "24Gi"}, "cores": {"value": "100"}},
        **fields,
    }


def resource_slice(
    *devices: Object,
    name: str = "slice-1",
    pool: str = "node-1",
    generation: int = 1,
    count: int = 1,
    **spec: Any,
) -> Object:
    slice_pool = {"name": pool, "generation": generation, "resourceSliceCount": count}
    published = {"driver": HAMI, "nodeName": "node-1", "pool": slice_pool, "devices": list(devices), **spec}
    return named(DRA, "ResourceSlice", name, spec=published)


def result(device: str = "hami-gpu-0", share_id: str | None = SHARE, **fields: Any) -> Object:
    shared = {"shareID": share_id} if share_id else {}
    return {"request": "gpu", "driver": HAMI, "pool": "node-1", "device": device, **shared, **fields}


def claim(name: str = "c", *results: Object, consumers: tuple[Object, ...] = (), **metadata: Any) -> Object:
    allocation = {"allocation": {"devices": {"results": list(results)}}} if results else {}
    request = {
        "name": "gpu",
        "exactly": {"deviceClassName": HAMI, "allocationMode": "ExactCount", "count": 1},
    }
    return named(
        DRA,
        "ResourceClaim",
        name,
        "team-a",
        metadata={"creationTimestamp": MADE, **metadata},
        spec={"devices": {"requests": [request]}},
        status={**allocation, **({"reservedFor": list(consumers)} if consumers else {})},
    )


def pod(name: str = "p", claims: tuple[str, ...] = ("c",), *, node: str = "node-1", **fields: Any) -> Object:
    uses = [{"name": f"claim-{position}", "resourceClaimName": one} for position, one in enumerate(claims)]
    container = {"name": "app", "resources": {"claims": [{"name": one["name"]} for one in uses]}}
    spec = {"nodeName": node, "containers": [container], "resourceClaims": uses}
    return named("v1", "Pod", name, "team-a", **{"spec": spec, "status": {"phase": "Running"}, **fields})


def consumer(of: Object) -> Object:
    return {"resource": "pods", "name": of["metadata"]["name"], "uid": of["metadata"]["uid"]}


def store(*objects: Object) -> Store:
    held = Store()
    for one in objects:
        held.put(one)
    return held
