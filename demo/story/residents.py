"""The workloads that stay: services, notebooks, and the rarer ways to hold a device."""

from collections.abc import Mapping

from demo.store import Object
from demo.story import devices
from demo.story.fleet import CLASSIC_CARD, CLASSIC_NODE, T4_NODE
from demo.story.manifests import (
    PodClaim,
    claim,
    namespace,
    owner_reference,
    pod,
    quota,
    request,
    template,
    workload,
)
from demo.story.quotas import CLAIMS, devices_of_class
from demo.story.selecting import attribute_selector
from demo.story.stage import Stage

_A100 = attribute_selector(devices.HAMI, "productName", "NVIDIA A100-SXM4-80GB")
_T4 = attribute_selector(devices.HAMI, "productName", "Tesla T4")
_SERVING = "registry.example.com/serving:3.2"


def found(stage: Stage) -> None:
    """Namespaces with their teams, and quotas for two of them."""
    for team in ("vision", "nlp", "batch", "rec"):
        stage.store.put(namespace(f"team-{team}", team))
    stage.store.put(namespace("team-infra", "infra", admin_access=True))
    for name, count in (("team-nlp", "24"), ("team-batch", "16")):
        hard = {CLAIMS: "40", devices_of_class(devices.HAMI): count}
        stage.store.put(quota("accelerators", name, hard))


def settle_in(stage: Stage) -> None:
    deployment(
        stage,
        "chat",
        "team-nlp",
        4,
        request("gpu", devices.HAMI, capacity=_share("25", "16Gi"), selectors=[_A100]),
    )
    deployment(
        stage,
        "detector",
        "team-vision",
        3,
        request("gpu", devices.HAMI, capacity=_share("30", "4Gi"), selectors=[_T4]),
    )
    _notebooks(stage)
    _shared_embeddings(stage)
    _monitor(stage)
    _extended(stage)
    _classic(stage)
    stage.settle()


def deployment(stage: Stage, name: str, namespace: str, replicas: int, wanted: Object) -> None:
    """A Deployment with its ReplicaSet and Pods, each Pod with a claim of its own from a template."""
    labels = {"app": name}
    stage.store.put(template(f"{name}-gpu", namespace, [wanted], labels))
    pods = _replicas(stage, name, namespace, replicas, labels)
    for each in pods:
        _enter(stage, each, [PodClaim("gpu", template=f"{name}-gpu")])


def _replicas(
    stage: Stage, name: str, namespace: str, replicas: int, labels: Mapping[str, str]
) -> list[Object]:
    """The Pods of a new Deployment, not yet created."""
    top = stage.store.put(workload("Deployment", name, namespace, replicas, labels))
    hashed = {**labels, "pod-template-hash": stage.control.suffix() + stage.control.suffix()}
    replica_set = workload("ReplicaSet", f"{name}-{hashed['pod-template-hash']}", namespace, replicas, hashed)
    replica_set["metadata"]["ownerReferences"] = [owner_reference(top)]
    owner = stage.store.put(replica_set)
    return [
        _owned(owner, f"{owner['metadata']['name']}-{stage.control.suffix()}", hashed)
        for _ in range(replicas)
    ]


def _owned(owner: Object, name: str, labels: Mapping[str, str]) -> Object:
    return pod(
        name,
        owner["metadata"]["namespace"],
        image=_SERVING,
        labels=dict(labels),
        ownerReferences=[owner_reference(owner)],
    )


def _enter(stage: Stage, submitted: Object, claims: list[PodClaim]) -> Object:
    spec = submitted["spec"]
    container = spec["containers"][0]
    resources = container["resources"] | {"claims": [{"name": each.name} for each in claims]}
    spec = spec | {
        "containers": [container | {"resources": resources}],
        "resourceClaims": [each.entry() for each in claims],
    }
    return stage.enter(submitted | {"spec": spec})


def _notebooks(stage: Stage) -> None:
    wanted = request("gpu", devices.HAMI, capacity=_share("20", "3Gi"), selectors=[_T4])
    labels = {"app": "notebook"}
    stage.store.put(template("notebook-gpu", "team-nlp", [wanted], labels))
    owner = stage.store.put(workload("StatefulSet", "notebook", "team-nlp", 2, labels))
    for index in range(2):
        _enter(stage, _owned(owner, f"notebook-{index}", labels), [PodClaim("gpu", template="notebook-gpu")])


def _shared_embeddings(stage: Stage) -> None:
    """Three Pods share one claim, and so one share of a card."""
    wanted = request("gpu", devices.HAMI, capacity=_share("40", "20Gi"), selectors=[_A100])
    stage.control.create_claim(claim("embeddings-shared", "team-rec", [wanted]))
    for each in _replicas(stage, "embeddings", "team-rec", 3, {"app": "embeddings"}):
        _enter(stage, each, [PodClaim("gpu", claim="embeddings-shared")])


def _monitor(stage: Stage) -> None:
    """Admin access looks at a card without taking any of it."""
    wanted = request("card", devices.NVIDIA, admin_access=True)
    stage.control.create_claim(claim("gpu-monitor", "team-infra", [wanted]))
    watcher = pod(
        "gpu-monitor",
        "team-infra",
        image="registry.example.com/gpu-monitor:1.4",
        claims=[PodClaim("card", claim="gpu-monitor")],
        labels={"app": "gpu-monitor"},
    )
    stage.enter(watcher)


def _extended(stage: Stage) -> None:
    """An old manifest asks for nvidia.com/gpu; a device class answers to that name."""
    old = pod(
        "legacy-train",
        "team-batch",
        image="registry.example.com/train:1.0",
        limits={"nvidia.com/gpu": "1"},
        node_selector={"kubernetes.io/hostname": T4_NODE},
        labels={"app": "legacy-train"},
    )
    stage.control.extended_claim(stage.enter(old), devices.HAMI, "nvidia.com/gpu")


def _classic(stage: Stage) -> None:
    """Pods of classic HAMi: shares of a card of which no resource slice knows."""
    memory, cores = "nvidia.com/gpumem", "nvidia.com/gpucores"
    _enter_classic(stage, "classic-infer", "team-rec", {memory: "4096", cores: "30"}, "4096,30")
    # Classic HAMi gives a card to many such Pods, and takes part of a card's type for its name.
    chosen = {"nvidia.com/use-gputype": "A10"}
    _enter_classic(stage, "classic-embed", "team-nlp", {memory: "8192"}, "8192,0", chosen)
    _enter_classic(
        stage, "classic-rank", "team-rec", {"nvidia.com/gpumem-percentage": "25", cores: "20"}, "5757,20"
    )


def _enter_classic(
    stage: Stage,
    name: str,
    namespace: str,
    limits: Mapping[str, str],
    allocated: str,
    annotations: Mapping[str, str] | None = None,
) -> None:
    classic = pod(
        name,
        namespace,
        image="registry.example.com/infer:2.7",
        limits={"nvidia.com/gpu": "1", **limits},
        node_selector={"kubernetes.io/hostname": CLASSIC_NODE},
        labels={"app": name, "hami.io/vgpu-node": CLASSIC_NODE},
        annotations={
            **(annotations or {}),
            "hami.io/vgpu-node": CLASSIC_NODE,
            "hami.io/bind-phase": "success",
            "hami.io/vgpu-devices-to-allocate": ";",
            "hami.io/vgpu-devices-allocated": f"{CLASSIC_CARD},NVIDIA,{allocated}:;",
        },
    )
    stage.enter(classic)


def _share(cores: str, memory: str) -> dict[str, str]:
    return {"cores": cores, "memory": memory}
