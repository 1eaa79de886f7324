"""Lists as an API server sends them, decoded."""

from typing import Any

import msgspec

from inventory.kube.decoding import Chunk, ChunkDecoder
from inventory.kube.kinds import Kind


def metadata(name: str = "one", **more: Any) -> dict[str, Any]:
    return {"name": name, "namespace": "team-vision", "uid": f"uid-{name}", **more}


def decoded(kind: Kind[Any], *items: Any) -> Chunk[Any]:
    page = {"kind": f"{kind.kind}List", "metadata": {"resourceVersion": "7"}, "items": list(items)}
    return ChunkDecoder(kind, None).decode(msgspec.json.encode(page))


def slice_of(*devices: Any, name: str = "one") -> dict[str, Any]:
    pool = {"name": "node-1", "generation": 1, "resourceSliceCount": 1}
    return {
        "metadata": metadata(name, namespace=""),
        "spec": {"driver": "gpu.example.com", "pool": pool, "devices": list(devices)},
    }


def claim_with(*results: Any, name: str = "one", **status: Any) -> dict[str, Any]:
    return {
        "metadata": metadata(name),
        "spec": {},
        "status": {"allocation": {"devices": {"results": list(results)}}, **status},
    }


def result(device: str, **more: Any) -> dict[str, Any]:
    return {"request": "gpu", "driver": "gpu.example.com", "pool": "node-1", "device": device, **more}
