"""Pods that ask HAMi for a card: what is kept of them follows the cluster."""

from typing import Any

from demo.store import Object
from inventory.models import HamiPod, Pod
from tests.inventory.sync.conftest import Follow
from tests.inventory.sync.objects import named, store

GPU, MEMORY = "nvidia.com/gpu", "nvidia.com/gpumem"


def classic(**annotations: str) -> Object:
    limits: dict[str, Any] = {"nvidia.com/gpu": "1", "nvidia.com/gpumem": "4096"}
    container = {"name": "app", "env": [{"name": "A", "value": "b"}], "resources": {"limits": limits}}
    return named(
        "v1",
        "Pod",
        "classic",
        "team-a",
        metadata={"annotations": {f"nvidia.com/{name}": value for name, value in annotations.items()}},
        spec={"nodeName": "node-1", "containers": [container]},
        status={"phase": "Running"},
    )


def test_what_hami_reads_of_a_pod_is_kept_and_follows_its_changes(follow: Follow) -> None:
    followed = follow(store(classic()))
    followed.applied()
    found = Pod.objects.get()
    assert found.hami_resources == {"app": {"nvidia.com/gpu": "1", "nvidia.com/gpumem": "4096"}}
    assert found.hami_manifest["spec"] == {
        "containers": [
            {"name": "app", "resources": {"limits": {"nvidia.com/gpu": "1", "nvidia.com/gpumem": "4096"}}}
        ],
    }
    followed.store.put(classic(gpuuuid="GPU-1"))
    followed.applied()
    assert Pod.objects.get().hami_manifest["metadata"]["annotations"] == {"nvidia.com/gpuuuid": "GPU-1"}


def test_a_pod_with_claims_alone_keeps_no_manifest(follow: Follow) -> None:
    claims = {"resourceClaims": [{"name": "gpu", "resourceClaimName": "c"}]}
    spec = {"containers": [{"name": "app"}], **claims}
    follow(store(named("v1", "Pod", "p", "team-a", spec=spec))).applied()
    assert Pod.objects.get().hami_manifest == {}


def test_a_pod_that_has_a_claim_for_the_resource_asks_nothing_of_hami(follow: Follow) -> None:
    mapping = {"containerName": "app", "resourceName": GPU, "requestName": "container-0-request-0"}
    extended = {"resourceClaimName": "p-extended", "requestMappings": [mapping]}
    status = {"phase": "Running", "extendedResourceClaimStatus": extended}
    asked = {"by-claim": {GPU: "1"}, "both": {GPU: "1", MEMORY: "1024"}}
    pods = [
        named(
            "v1",
            "Pod",
            name,
            "team-a",
            spec={"containers": [{"name": "app", "resources": {"limits": limits}}]},
            status=status,
        )
        for name, limits in asked.items()
    ]
    follow(store(*pods)).applied()
    assert [one.name for one in HamiPod.objects.all()] == ["both"]
    assert HamiPod.objects.get().hami_resources == {"app": {MEMORY: "1024"}}
