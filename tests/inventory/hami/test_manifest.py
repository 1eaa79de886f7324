"""What of a Pod's manifest is kept: what HAMi reads, and nothing that may be secret."""

from typing import Any

import msgspec

from inventory.hami.manifest import kept
from inventory.kube.objects import Pod


def pod(**spec: Any) -> Pod:
    metadata = {
        "name": "embed-0",
        "namespace": "team-nlp",
        "uid": "0f0e",
        "labels": {"app": "embed"},
        "annotations": {
            "nvidia.com/use-gputype": "A100",
            "hami.io/vgpu-node": "gpu-node-1",
            "kubectl.kubernetes.io/last-applied-configuration": "{}",
        },
    }
    return msgspec.convert({"metadata": metadata, "spec": spec}, Pod)


def container(name: str, **resources: Any) -> dict[str, Any]:
    return {
        "name": name,
        "image": "registry.example/embed:4",
        "env": [{"name": "TOKEN", "value": "a secret"}],
        "resources": resources,
    }


ASKS = container("app", limits={"cpu": "4", "nvidia.com/gpu": 1}, requests={"cpu": "500m"})


def test_a_pod_that_asks_for_nothing_of_hami_is_not_kept() -> None:
    assert kept(pod(containers=[container("app", limits={"cpu": "4"})])) == {}
    assert kept(pod(containers=[{"name": "app"}])) == {}


def test_what_hami_reads_is_kept_and_nothing_else() -> None:
    asked = pod(
        schedulerName="hami-scheduler",
        runtimeClassName="nvidia",
        nodeName="gpu-node-1",
        nodeSelector={"zone": "a"},
        resourceClaims=[{"name": "net", "resourceClaimTemplateName": "nic"}],
        containers=[ASKS, container("side", claims=[{"name": "net"}])],
    )
    assert kept(asked) == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "namespace": "team-nlp",
            "name": "embed-0",
            "labels": {"app": "embed"},
            "annotations": {"nvidia.com/use-gputype": "A100", "hami.io/vgpu-node": "gpu-node-1"},
        },
        "spec": {
            "schedulerName": "hami-scheduler",
            "runtimeClassName": "nvidia",
            "nodeSelector": {"zone": "a"},
            "resourceClaims": [{"name": "net", "resourceClaimTemplateName": "nic"}],
            "containers": [
                {
                    "name": "app",
                    "image": "registry.example/embed:4",
                    "resources": {
                        "limits": {"cpu": "4", "nvidia.com/gpu": "1"},
                        "requests": {"cpu": "500m"},
                    },
                },
                {
                    "name": "side",
                    "image": "registry.example/embed:4",
                    "resources": {"claims": [{"name": "net"}]},
                },
            ],
        },
    }


def test_init_containers_and_requests_alone_count_as_asking() -> None:
    only_init = kept(pod(containers=[container("app")], initContainers=[ASKS]))
    assert only_init["spec"]["initContainers"][0]["name"] == "app"
    asked = container("app", requests={"huawei.com/Ascend310P-memory": "8192"})
    assert kept(pod(containers=[asked]))["spec"]["containers"][0]["resources"] == {
        "requests": {"huawei.com/Ascend310P-memory": "8192"}
    }


def test_annotations_under_other_domains_of_a_vendor_are_kept() -> None:
    asked = pod(containers=[ASKS])
    metadata = msgspec.structs.replace(
        asked.metadata,
        annotations={"mthreads.ai/use-gpuuuid": "a", "baidu.com/use-gpuuuid": "b", "example.com/x": "c"},
    )
    found = kept(msgspec.structs.replace(asked, metadata=metadata))
    assert found["metadata"]["annotations"] == {
        "mthreads.ai/use-gpuuuid": "a",
        "baidu.com/use-gpuuuid": "b",
    }
