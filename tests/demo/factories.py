"""Small objects for the tests."""

from typing import Any

from demo.store import Store


def pod(name: str, namespace: str = "team-a", **extra: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace, **extra.pop("metadata", {})}
    return {"kind": "Pod", "apiVersion": "v1", "metadata": metadata, "spec": {}, "status": {}, **extra}


def claim(name: str, namespace: str = "team-a", *requests: dict[str, Any]) -> dict[str, Any]:
    return {
        "kind": "ResourceClaim",
        "apiVersion": "resource.k8s.io/v1",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"devices": {"requests": list(requests or [request("gpu")])}},
    }


def request(name: str, **exactly: Any) -> dict[str, Any]:
    return {"name": name, "exactly": {"deviceClassName": "gpu.example.com", **exactly}}


def store_of_pods(count: int, **options: Any) -> Store:
    store = Store(**options)
    for number in range(count):
        store.put(pod(f"pod-{number:03}"))
    return store
