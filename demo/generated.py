"""A cluster of any size, to measure against: made-up, but of realistic shape and with honest sums.

All cards are shared as HAMi shares them. What the claims of a card hold never exceeds it; about one
claim in twenty is pending. Every claim has its Pod, and there are Pods without any claim.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from random import Random
from typing import NamedTuple
from uuid import UUID

from demo import resources
from demo.managedfields import claim_fields, pod_fields
from demo.store import Object, Store, timestamp
from demo.story.devices import HAMI, Device, hami_gpu
from demo.story.manifests import (
    FINALIZER,
    POD_CLAIM_NAME,
    PodClaim,
    claim,
    namespace,
    owner_reference,
    pod,
    request,
    workload,
)
from inventory.kube.quantity import Notation, Quantity

DEVICES_PER_NODE = 8
MOST_SHARES_OF_A_DEVICE = 20
_CORES = 100
_MEMORY_GIB = 80
_MEMORY_STEP = 256 * 2**20
_NAMESPACES = 40
_APPS_PER_NAMESPACE = 20
_PENDING_PER_CENT = 5
_PLAIN_PODS_PER_CENT = 20
# Objects are encoded batch by batch: many of them at once are dear to the garbage collector.
_BATCH = 500
_STARTED = timestamp(datetime(2026, 11, 29, 8, 0, tzinfo=UTC))


class _Share(NamedTuple):
    """A part of a device that one claim is to hold."""

    device: int
    cores: int
    memory: str


class _Consumer(NamedTuple):
    """A Pod and what its claim holds; None while it waits."""

    pod: Object
    share: _Share | None


def cluster(devices: int, claims: int, seed: int = 1, *, managed_fields: bool = True) -> Store:
    """Eight cards to a node. Raises ValueError for more claims than the cards have room for."""
    allocated = claims - claims * _PENDING_PER_CENT // 100
    if allocated > devices * MOST_SHARES_OF_A_DEVICE:
        raise ValueError(f"{claims} claims are too many for {devices} devices")
    generator = _Generator(seed, managed_fields=managed_fields)
    generator.hardware(devices)
    generator.teams()
    generator.consumers(claims, generator.shares(devices, allocated))
    return generator.store


class _Generator:
    def __init__(self, seed: int, *, managed_fields: bool) -> None:
        self.store = Store()
        self._random = Random(seed)
        self._managed_fields = managed_fields
        self._revision = 0
        self._replica_sets: list[Object] = []

    def hardware(self, count: int) -> None:
        nodes = -(-count // DEVICES_PER_NODE)
        self._load(resources.NODES, (_node(number) for number in range(nodes)))
        self._load(resources.RESOURCE_SLICES, (self._slice(number, count) for number in range(nodes)))
        self._load(resources.DEVICE_CLASSES, [_device_class()])

    def teams(self) -> None:
        names = [f"team-{number:02}" for number in range(_NAMESPACES)]
        self._load(resources.NAMESPACES, (namespace(name, name.removeprefix("team-")) for name in names))
        top = [_workload("Deployment", name, app) for name in names for app in range(_APPS_PER_NAMESPACE)]
        self._load(resources.DEPLOYMENTS, top)
        self._replica_sets = [_replica_set(each) for each in top]
        self._load(resources.REPLICA_SETS, self._replica_sets)

    def shares(self, count: int, allocated: int) -> Iterator[_Share]:
        """Deals claims to devices: some stay free, none gets more than it has."""
        left = allocated
        for device in range(count):
            after = count - device - 1
            most = min(left, MOST_SHARES_OF_A_DEVICE)
            # What the devices after this one could not take must be taken here.
            least = max(0, left - after * MOST_SHARES_OF_A_DEVICE)
            dealt = self._random.randint(0, round(2 * left / (after + 1)))
            held = min(max(dealt, least), most)
            left -= held
            for _ in range(held):
                yield self._share(device, held)

    def _share(self, device: int, sharers: int) -> _Share:
        steps = _MEMORY_GIB * 2**30 // _MEMORY_STEP // sharers
        memory = Quantity.of(self._random.randint(1, steps) * _MEMORY_STEP, Notation.BINARY)
        return _Share(device, self._random.randint(1, _CORES // sharers), str(memory))

    def consumers(self, claims: int, shares: Iterator[_Share]) -> None:
        for first in range(0, claims, _BATCH):
            pods = [
                self._pod(self._random.choice(self._replica_sets), number, next(shares, None))
                for number in range(first, min(first + _BATCH, claims))
            ]
            self._load(resources.PODS, (held.pod for held in pods))
            self._load(resources.RESOURCE_CLAIMS, (self._claim(held) for held in pods))
        plain = range(claims * _PLAIN_PODS_PER_CENT // 100)
        self._load(resources.PODS, (self._plain_pod(number) for number in plain))

    def _pod(self, owner: Object, number: int, share: _Share | None) -> _Consumer:
        name = f"{owner['metadata']['name']}-{number:05x}"
        made = pod(
            name,
            owner["metadata"]["namespace"],
            image="registry.example.com/serving:3.2",
            claims=[PodClaim("gpu", template="gpu-share")],
            uid=self._uid(),
            generation=1,
            generateName=f"{owner['metadata']['name']}-",
            labels=owner["metadata"]["labels"],
            ownerReferences=[owner_reference(owner)],
        )
        made["status"]["resourceClaimStatuses"] = [
            {"name": "gpu", "resourceClaimName": f"{name}-gpu-{number % 99991:05}"}
        ]
        if share:
            self._run(made, _node_name(share.device // DEVICES_PER_NODE))
        return _Consumer(made, share)

    def _plain_pod(self, number: int) -> Object:
        team = self._random.randrange(_NAMESPACES)
        name = f"web-{number:05x}"
        made = pod(
            name, f"team-{team:02}", image="registry.example.com/web:2.0", uid=self._uid(), generation=1
        )
        self._run(made, _node_name(0))
        return made

    def _run(self, made: Object, node: str) -> None:
        made["spec"]["nodeName"] = node
        types = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
        conditions = [
            {"type": each, "status": "True", "lastProbeTime": None, "lastTransitionTime": _STARTED}
            for each in types
        ]
        made["status"] |= {"phase": "Running", "conditions": conditions, "startTime": _STARTED}
        if self._managed_fields:
            made["metadata"]["managedFields"] = pod_fields(_STARTED)

    def _claim(self, consumer: _Consumer) -> Object:
        holder, share = consumer
        metadata = holder["metadata"]
        name = holder["status"]["resourceClaimStatuses"][0]["resourceClaimName"]
        wanted = {"cores": str(share.cores), "memory": share.memory} if share else {"cores": "100"}
        made = claim(
            name,
            metadata["namespace"],
            [request("gpu", HAMI, capacity=wanted)],
            uid=self._uid(),
            generateName=f"{metadata['name']}-gpu-",
            labels=metadata["labels"],
            annotations={POD_CLAIM_NAME: "gpu"},
            ownerReferences=[owner_reference(holder)],
        )
        if share:
            made["metadata"]["finalizers"] = [FINALIZER]
            made["status"] = self._allocated(share, wanted, holder)
        if self._managed_fields:
            made["metadata"]["managedFields"] = claim_fields(_STARTED, metadata["uid"], allocated=bool(share))
        return made

    def _allocated(self, share: _Share, consumed: dict[str, str], holder: Object) -> Object:
        node = _node_name(share.device // DEVICES_PER_NODE)
        result = {
            "request": "gpu",
            "driver": HAMI,
            "pool": node,
            "device": f"hami-gpu-{share.device % DEVICES_PER_NODE}",
            "shareID": self._uid(),
            "consumedCapacity": consumed,
        }
        in_node = {"key": "metadata.name", "operator": "In", "values": [node]}
        metadata = holder["metadata"]
        return {
            "allocation": {
                "devices": {"results": [result]},
                "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [in_node]}]},
                "allocationTimestamp": _STARTED,
            },
            "reservedFor": [{"resource": "pods", "name": metadata["name"], "uid": metadata["uid"]}],
        }

    def _slice(self, node: int, count: int) -> Object:
        first = node * DEVICES_PER_NODE
        name = _node_name(node)
        return {
            "metadata": {"name": f"{name}-{HAMI}-sl8c4", "generateName": f"{name}-{HAMI}-", "generation": 1},
            "spec": {
                "driver": HAMI,
                "pool": {"name": name, "generation": 1, "resourceSliceCount": 1},
                "nodeName": name,
                "devices": [self._card(minor) for minor in range(min(DEVICES_PER_NODE, count - first))],
            },
        }

    def _card(self, minor: int) -> Device:
        card = hami_gpu(minor, "NVIDIA A100-SXM4-80GB", "Ampere", "8.0.0", f"{_MEMORY_GIB}Gi", self._uid())
        card["attributes"]["attr.project-hami.io/minor"] = {"int": minor}
        return card

    def _load(self, resource: resources.Resource, objects: Iterable[Object]) -> None:
        """Stamps what a server stamps, and hands the objects to the store."""
        self.store.load(resource, (self._stamped(each) for each in objects))

    def _stamped(self, obj: Object) -> Object:
        self._revision += 1
        metadata = obj["metadata"]
        metadata.setdefault("uid", self._uid())
        metadata |= {"resourceVersion": str(self._revision), "creationTimestamp": _STARTED}
        return obj

    def _uid(self) -> str:
        return str(UUID(int=self._random.getrandbits(128), version=4))


def _node_name(number: int) -> str:
    return f"gpu-node-{number:05}"


def _node(number: int) -> Object:
    name = _node_name(number)
    amounts = {"cpu": "128", "memory": "1Ti", "pods": "250"}
    return {
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/arch": "amd64"}},
        "spec": {},
        "status": {
            "capacity": amounts,
            "allocatable": amounts,
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
        },
    }


def _device_class() -> Object:
    expression = f'device.driver == "{HAMI}" && device.attributes["{HAMI}"].type == "hami-gpu"'
    spec = {"selectors": [{"cel": {"expression": expression}}], "extendedResourceName": "nvidia.com/gpu"}
    return {"metadata": {"name": HAMI, "generation": 1}, "spec": spec}


def _workload(kind: str, namespace: str, app: int) -> Object:
    made = workload(kind, f"serving-{app:02}", namespace, 1, {"app": f"serving-{app:02}"})
    made["metadata"]["generation"] = 1
    return made


def _replica_set(top: Object) -> Object:
    metadata = top["metadata"]
    labels = {**metadata["labels"], "pod-template-hash": "6d4cf56db6"}
    made = workload("ReplicaSet", f"{metadata['name']}-6d4cf56db6", metadata["namespace"], 1, labels)
    made["metadata"] |= {"generation": 1, "ownerReferences": [owner_reference(top)]}
    return made
