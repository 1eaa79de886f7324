"""The hardware of the story: nodes, their resource slices, and the device classes."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import NAMESPACE_DNS, uuid5

from demo import resources
from demo.store import Object, Store
from demo.story import devices

LAB_NODE = "aio-node74-arm"
A100_NODE = "gpu-a100-01"
T4_NODE = "gpu-t4-01"
H100_NODE = "nv-h100-01"
L40S_NODE = "nv-l40s-01"
MIG_NODE = "mig-h100-01"
HYGON_NODE = "dcu-k100-01"
INTEL_NODE = "xpu-b60-01"
AMD_NODE = "amd-mi300x-01"
CLASSIC_NODE = "classic-a10-01"
NODES = (
    LAB_NODE,
    A100_NODE,
    T4_NODE,
    H100_NODE,
    L40S_NODE,
    MIG_NODE,
    HYGON_NODE,
    INTEL_NODE,
    AMD_NODE,
    CLASSIC_NODE,
)
CLASSIC_CARD = "GPU-ae833152-60ad-7e72-33e8-cba2c02d7414"
TAINTED_CARD = "gpu-5"
_XID_TAINT = {"key": "gpu.nvidia.com/xid", "value": "48", "effect": "NoSchedule"}
_CLASSIC_REGISTER = (
    f'[{{"id":"{CLASSIC_CARD}","index":0,"count":10,"devmem":23028,"devcore":100,"type":"NVIDIA A10",'
    '"mode":"hami-core","health":true,"devicepairscore":{}}]'
)

Uuid = Callable[[], str]


def install(store: Store, uuid: Uuid) -> None:
    for name in NODES:
        store.put(_node(name))
    for device_class in _device_classes():
        store.put(device_class)
    for resource_slice in _slices(uuid):
        publish(store, resource_slice)


def publish(store: Store, resource_slice: Object) -> None:
    """Write a slice as a driver does: owned by its node."""
    node = store.find(resources.NODES, "", resource_slice["spec"]["nodeName"])
    if node is None:
        raise LookupError(f"no node {resource_slice['spec']['nodeName']}")
    owner = {"apiVersion": "v1", "kind": "Node", "name": node["metadata"]["name"], "controller": True}
    owner["uid"] = node["metadata"]["uid"]
    metadata = resource_slice["metadata"] | {"ownerReferences": [owner]}
    store.put(resource_slice | {"metadata": metadata})


def _node(name: str) -> Object:
    architecture = "arm64" if name == LAB_NODE else "amd64"
    annotations = {"hami.io/node-nvidia-register": _CLASSIC_REGISTER} if name == CLASSIC_NODE else {}
    counted = {"nvidia.com/gpu": "10"} if name == CLASSIC_NODE else {}
    resources = {"cpu": "128", "ephemeral-storage": "1Ti", "memory": "1Ti", "pods": "110", **counted}
    return {
        "kind": "Node",
        "apiVersion": "v1",
        "metadata": {
            "name": name,
            "annotations": annotations,
            "labels": {
                "kubernetes.io/arch": architecture,
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "topology.kubernetes.io/zone": f"zone-{'abc'[NODES.index(name) % 3]}",
            },
        },
        "spec": {},
        "status": {
            "capacity": resources,
            "allocatable": resources,
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
            "addresses": [
                {"type": "InternalIP", "address": f"192.0.2.{10 + NODES.index(name)}"},
                {"type": "Hostname", "address": name},
            ],
            "nodeInfo": _node_info(name, architecture),
        },
    }


def _node_info(name: str, architecture: str) -> Object:
    machine = uuid5(NAMESPACE_DNS, name)
    return {
        "machineID": machine.hex,
        "systemUUID": str(machine),
        "bootID": str(machine),
        "kernelVersion": "6.8.0",
        "osImage": "Ubuntu 24.04.2 LTS",
        "containerRuntimeVersion": "containerd://2.1.4",
        "kubeletVersion": "v1.36.2",
        "kubeProxyVersion": "",
        "operatingSystem": "linux",
        "architecture": architecture,
    }


def _slices(uuid: Uuid) -> Iterator[Object]:
    yield _slice(LAB_NODE, devices.ASCEND, _lab_cards())
    yield _slice(A100_NODE, devices.HAMI, [_a100(minor, uuid()) for minor in range(8)])
    yield _slice(T4_NODE, devices.HAMI, [_t4(minor, uuid()) for minor in range(8)])
    yield _slice(H100_NODE, devices.NVIDIA, [_h100(index, uuid()) for index in range(8)])
    yield _slice(HYGON_NODE, devices.HYGON, [_hcu(place) for place in range(4)])
    yield _slice(INTEL_NODE, devices.INTEL, [devices.intel_gpu(bus, "24480Mi") for bus in (3, 4)])
    yield _slice(AMD_NODE, devices.AMD, [devices.amd_gpu(card) for card in range(4)])
    yield _slice(A100_NODE, devices.CPU, [devices.cpu_group(numa) for numa in range(2)])
    yield _slice(H100_NODE, devices.NETWORK, [devices.network_card(port) for port in range(2)])
    yield from _mig_pool(uuid)
    # The second slice of this pool never comes, so nothing of it can be used.
    yield _slice(L40S_NODE, devices.NVIDIA, [_l40s(index, uuid()) for index in range(2)], slices=2)


def _slice(
    node: str,
    driver: str,
    published: Sequence[devices.Device],
    *,
    slices: int = 1,
    counters: Sequence[dict[str, Any]] = (),
    suffix: str = "",
) -> Object:
    spec: Object = {
        "driver": driver,
        "pool": {"name": node, "generation": 1, "resourceSliceCount": slices},
        "nodeName": node,
    }
    if published:
        spec["devices"] = list(published)
    if counters:
        spec["sharedCounters"] = list(counters)
    return {
        "kind": "ResourceSlice",
        "apiVersion": "resource.k8s.io/v1",
        "metadata": {
            "name": f"{node}-{driver}-{suffix or 'sl8c4'}",
            "generateName": f"{node}-{driver}-",
        },
        "spec": spec,
    }


def _mig_pool(uuid: Uuid) -> Iterator[Object]:
    """Counters may not share a slice with devices, so the pool has three."""
    counters = [
        {"name": each["counterSet"], "counters": each["counters"]}
        for each in (devices.counter_set(0), devices.counter_set(1))
    ]
    yield _slice(MIG_NODE, devices.NVIDIA, [], slices=3, counters=counters, suffix="c7n2p")
    for card in range(2):
        partitions = devices.mig_card(card, uuid())
        yield _slice(MIG_NODE, devices.NVIDIA, partitions, slices=3, suffix=f"d{card}k5w")


def _lab_cards() -> list[devices.Device]:
    physical = (0, 2)
    return [
        devices.ascend_npu(index, physical[index], "310P3", "21525Mi", uuid)
        for index, uuid in enumerate(devices.ASCEND_UUIDS)
    ]


def _a100(minor: int, uuid: str) -> devices.Device:
    return devices.hami_gpu(minor, "NVIDIA A100-SXM4-80GB", "Ampere", "8.0.0", "80Gi", uuid)


def _t4(minor: int, uuid: str) -> devices.Device:
    return devices.hami_gpu(minor, "Tesla T4", "Turing", "7.5.0", "15Gi", uuid)


def _h100(index: int, uuid: str) -> devices.Device:
    card = devices.nvidia_gpu(index, "NVIDIA H100 80GB HBM3", "Hopper", "9.0.0", "81559Mi", uuid)
    if card["name"] == TAINTED_CARD:
        card["taints"] = [_XID_TAINT]
    return card


def _l40s(index: int, uuid: str) -> devices.Device:
    return devices.nvidia_gpu(index, "NVIDIA L40S", "Ada Lovelace", "8.9.0", "46068Mi", uuid)


def _hcu(place: int) -> devices.Device:
    return devices.hygon_hcu(0x9F + place, f"T6T829001902040{place + 1}")


def _device_classes() -> Iterator[Object]:
    yield _device_class(devices.HAMI, devices.HAMI, "hami-gpu", extended_resource_name="nvidia.com/gpu")
    yield _device_class("hami-vnpu-core.project-hami.io", devices.ASCEND, "HAMivNPUCore")
    yield _device_class(devices.HYGON, devices.HYGON, "hcu")
    yield _device_class(devices.NVIDIA, devices.NVIDIA, "gpu")
    yield _device_class("mig.nvidia.com", devices.NVIDIA, "mig")
    yield _device_class(devices.AMD, devices.AMD, "amdgpu")
    for driver in (devices.INTEL, devices.CPU, devices.NETWORK):
        yield _device_class(driver, driver, "")


def _device_class(name: str, driver: str, device_type: str, *, extended_resource_name: str = "") -> Object:
    expression = f'device.driver == "{driver}"'
    if device_type:
        expression += f' && device.attributes["{driver}"].type == "{device_type}"'
    spec: Object = {"selectors": [{"cel": {"expression": expression}}]}
    if extended_resource_name:
        spec["extendedResourceName"] = extended_resource_name
    return {
        "kind": "DeviceClass",
        "apiVersion": "resource.k8s.io/v1",
        "metadata": {"name": name},
        "spec": spec,
    }
