"""The devices of the story, with the attributes and capacities that their drivers publish."""

from typing import Any

Device = dict[str, Any]

HAMI = "hami-core-gpu.project-hami.io"
ASCEND = "ascend.project-hami.io"
HYGON = "dra.hygon.com"
NVIDIA = "gpu.nvidia.com"
INTEL = "gpu.intel.com"
AMD = "gpu.amd.com"
CPU = "dra.cpu"
NETWORK = "dra.net"

# The first card is the one of the HAMi lab on Ascend sharing; the story is told about it.
ASCEND_UUIDS = (
    "68496E64-20E05477-92C31323-6E78030A-BD003019",
    "D8496E64-20C101B1-C0D42F23-AED8030A-40003039",
)
_H100_COUNTERS = {
    "copy-engines": "8",
    "decoders": "7",
    "encoders": "0",
    "jpeg-engines": "7",
    "memory": "81559Mi",
    "multiprocessors": "132",
    "ofa-engines": "1",
}
_MEMORY_SLICES = 8


def hami_gpu(minor: int, product: str, architecture: str, compute: str, memory: str, uuid: str) -> Device:
    return {
        "name": f"hami-gpu-{minor}",
        "attributes": {
            "architecture": {"string": architecture},
            "brand": {"string": "Nvidia"},
            "cudaComputeCapability": {"version": compute},
            "cudaDriverVersion": {"version": "12.9.0"},
            "driverVersion": {"version": "575.57.8"},
            "minor": {"int": minor},
            "pcieBusID": {"string": f"0000:{16 + 8 * minor:02x}:00.0"},
            "productName": {"string": product},
            "resource.kubernetes.io/pcieRoot": {"string": f"pci0000:{16 + 8 * (minor // 2):02x}"},
            "type": {"string": "hami-gpu"},
            "uuid": {"string": f"GPU-{uuid}"},
        },
        "capacity": {"cores": _shared("100", "0", "1"), "memory": _shared(memory, "1Mi", "1Mi")},
        "allowMultipleAllocations": True,
    }


def ascend_npu(index: int, physical: int, product: str, memory: str, uuid: str) -> Device:
    return {
        "name": f"npu-{index}-0",
        "attributes": {
            "brand": {"string": "Huawei"},
            "index": {"int": index},
            "model": {"string": product},
            "physicalID": {"int": physical},
            "productName": {"string": product},
            "type": {"string": "HAMivNPUCore"},
            "uuid": {"string": uuid},
        },
        "capacity": {"cores": _shared("100", "0", "1"), "memory": _shared(memory, "1Mi", "1Mi")},
        "allowMultipleAllocations": True,
    }


def hygon_hcu(bus: int, serial: str) -> Device:
    """Cores are absolute compute units here; a share takes one of four slices."""
    return {
        "name": f"hcu-0000-{bus:02x}-00-0",
        "attributes": {
            "architecture": {"string": ""},
            "brand": {"string": "Hygon"},
            "productName": {"string": "K100_AI"},
            "type": {"string": "hcu"},
            "uuid": {"string": serial},
        },
        "capacity": {
            "cores": _shared("120", "0", "1"),
            "memory": _shared("65520Mi", "0", "1Mi"),
            "slices": _shared("4", "1", "1", default="1"),
        },
        "allowMultipleAllocations": True,
    }


def nvidia_gpu(index: int, product: str, architecture: str, compute: str, memory: str, uuid: str) -> Device:
    bus = 16 + 8 * index
    return {
        "name": f"gpu-{index}",
        "attributes": {
            "addressingMode": {"string": "HMM"},
            "architecture": {"string": architecture},
            "brand": {"string": "Nvidia"},
            "cudaComputeCapability": {"version": compute},
            "cudaDriverVersion": {"version": "13.0.0"},
            "driverVersion": {"version": "580.126.20"},
            "productName": {"string": product},
            "resource.kubernetes.io/pciBusID": {"string": f"0000:{bus:02x}:00.0"},
            "resource.kubernetes.io/pcieRoot": {"string": f"pci0000:{bus:02x}"},
            "type": {"string": "gpu"},
            "uuid": {"string": f"GPU-{uuid}"},
        },
        "capacity": {"memory": {"value": memory}},
    }


def mig_card(index: int, uuid: str) -> list[Device]:
    """A whole H100, and the seven partitions that can be cut from it instead."""
    whole = nvidia_gpu(index, "NVIDIA H100 80GB HBM3", "Hopper", "9.0.0", "81559Mi", uuid)
    whole["capacity"] = _engines(_H100_COUNTERS)
    whole["consumesCounters"] = [counter_set(index)]
    return [whole, *(_mig_partition(whole, index, place) for place in range(7))]


def counter_set(index: int) -> dict[str, Any]:
    """Everything that an H100 has, by counter."""
    slices = {f"memory-slice-{place}": "1" for place in range(_MEMORY_SLICES)}
    counters = {name: {"value": value} for name, value in (_H100_COUNTERS | slices).items()}
    return {"counterSet": f"gpu-{index}-counter-set", "counters": counters}


def _mig_partition(whole: Device, index: int, place: int) -> Device:
    taken = {
        "copy-engines": "1",
        "decoders": "1",
        "encoders": "0",
        "jpeg-engines": "1",
        "memory": "9984Mi",
        "multiprocessors": "16",
        "ofa-engines": "0",
    }
    attributes = {key: value for key, value in whole["attributes"].items() if key != "uuid"}
    attributes |= {
        "parentUUID": whole["attributes"]["uuid"],
        "profile": {"string": "1g.10gb"},
        "type": {"string": "mig"},
    }
    counters = {name: {"value": value} for name, value in (taken | {f"memory-slice-{place}": "1"}).items()}
    return {
        "name": f"gpu-{index}-mig-1g10gb-19-{place}",
        "attributes": attributes,
        "capacity": _engines(taken),
        "consumesCounters": [{"counterSet": f"gpu-{index}-counter-set", "counters": counters}],
    }


def intel_gpu(bus: int, memory: str) -> Device:
    return {
        "name": f"0000-{bus:02x}-00-0-0xe211",
        "attributes": {
            "driver": {"string": "xe"},
            "family": {"string": "Arc Pro"},
            "health": {"string": "Healthy"},
            "model": {"string": "B60"},
            "pciAddress": {"string": f"0000:{bus:02x}:00.0"},
            "pciId": {"string": "0xe211"},
            "pciRoot": {"string": "00"},
            "resource.kubernetes.io/pcieRoot": {"string": "pci0000:00"},
            "sriov": {"bool": True},
        },
        "capacity": {"memory": {"value": memory}, "millicores": {"value": "1k"}},
    }


def amd_gpu(card: int) -> Device:
    return {
        "name": f"gpu-{card}-{128 + card}",
        "attributes": {
            "cardIndex": {"int": card},
            "deviceID": {"string": f"{994913940318892495 + card}"},
            "driverVersion": {"version": "6.12.12"},
            "family": {"string": "AI"},
            "partitionProfile": {"string": "spx_nps1"},
            "pciAddr": {"string": f"000{card}:00:02.0"},
            "productName": {"string": "AMD_Instinct_MI300X_OAM"},
            "renderIndex": {"int": 128 + card},
            "type": {"string": "amdgpu"},
        },
        "capacity": {
            "computeUnits": {"value": "304"},
            "memory": {"value": "196592Mi"},
            "simdUnits": {"value": "1216"},
        },
    }


def cpu_group(numa: int) -> Device:
    return {
        "name": f"cpudevnuma{numa:03}",
        "attributes": {
            "dra.cpu/numCPUs": {"int": 64},
            "dra.cpu/numaNodeID": {"int": numa},
            "dra.cpu/smtEnabled": {"bool": True},
            "dra.cpu/socketID": {"int": 0},
        },
        "capacity": {"dra.cpu/cpu": {"value": "64"}},
        "allowMultipleAllocations": True,
    }


def network_card(port: int) -> Device:
    return {
        "name": f"pci-0000-1{port}-00-0",
        "attributes": {
            "dra.net/ifName": {"string": f"ens{100 + port}"},
            "dra.net/mtu": {"int": 9000},
            "dra.net/pciVendor": {"string": "Mellanox Technologies"},
            "dra.net/rdma": {"bool": True},
            "resource.kubernetes.io/pcieRoot": {"string": f"pci0000:{16 + 8 * port:02x}"},
        },
    }


def _shared(value: str, least: str, step: str, *, default: str | None = None) -> dict[str, Any]:
    return {
        "value": value,
        "requestPolicy": {
            "default": default or value,
            "validRange": {"min": least, "max": value, "step": step},
        },
    }


def _engines(counters: dict[str, str]) -> dict[str, Any]:
    """Capacities carry the counters' names in camel case."""
    return {_camel(name): {"value": value} for name, value in counters.items()}


def _camel(name: str) -> str:
    first, *rest = name.split("-")
    return first + "".join(part.capitalize() for part in rest)
