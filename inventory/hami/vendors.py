"""The extended resources by which Pods ask HAMi for a card, by vendor.

The names are the defaults of HAMi's chart (charts/hami, device-configmap.yaml) and of the HAMi-DRA webhook
(pkg/config/dra_device.go); a cluster may be configured otherwise.
"""

import msgspec

_ASCEND_CHIPS = (
    "Ascend910A",
    "Ascend910B2",
    "Ascend910B3",
    "Ascend910B4-1",
    "Ascend910B4",
    "Ascend310P",
    "Ascend910C",
)
_ILUVATAR_CHIPS = ("MR-V100", "MR-V50", "BI-V150", "BI-V100")


class VendorResources(msgspec.Struct, frozen=True):
    """What a Pod writes into its limits; empty where the vendor has no such name.

    The amount of `memory` is MiB for most vendors, blocks or GiB for some; `cores` is a percentage for most.
    """

    vendor: str
    count: str
    memory: str = ""
    cores: str = ""
    others: tuple[str, ...] = ()

    def names(self) -> frozenset[str]:
        return frozenset({self.count, self.memory, self.cores, *self.others} - {""})


def _ascend(chip: str) -> VendorResources:
    name = f"huawei.com/{chip}"
    return VendorResources("Ascend", name, f"{name}-memory", f"{name}-core")


def _iluvatar(chip: str) -> VendorResources:
    name = f"iluvatar.ai/{chip}"
    return VendorResources("Iluvatar", f"{name}-vgpu", f"{name}.vMem", f"{name}.vCore")


VENDORS: tuple[VendorResources, ...] = (
    VendorResources(
        "NVIDIA",
        "nvidia.com/gpu",
        "nvidia.com/gpumem",
        "nvidia.com/gpucores",
        ("nvidia.com/gpumem-percentage", "nvidia.com/priority"),
    ),
    *(_ascend(chip) for chip in _ASCEND_CHIPS),
    # The same cards before and after the rename from DCU to HCU.
    VendorResources("Hygon", "hygon.com/hcunum", "hygon.com/hcumem", "hygon.com/hcucores"),
    VendorResources("Hygon", "hygon.com/dcunum", "hygon.com/dcumem", "hygon.com/dcucores"),
    VendorResources(
        "Cambricon",
        "cambricon.com/vmlu",
        "cambricon.com/mlu.smlu.vmemory",
        "cambricon.com/mlu.smlu.vcore",
        ("cambricon.com/mlu",),
    ),
    *(_iluvatar(chip) for chip in _ILUVATAR_CHIPS),
    VendorResources(
        "Moore Threads", "mthreads.com/vgpu", "mthreads.com/sgpu-memory", "mthreads.com/sgpu-core"
    ),
    VendorResources("MetaX", "metax-tech.com/gpu"),
    VendorResources("MetaX", "metax-tech.com/sgpu", "metax-tech.com/vmemory", "metax-tech.com/vcore"),
    VendorResources("Enflame", "enflame.com/gcu"),
    VendorResources(
        "Enflame",
        "enflame.com/drs-gcu",
        "enflame.com/gcu-memory",
        "enflame.com/gcu-core",
        ("enflame.com/vgcu", "enflame.com/vgcu-percentage", "enflame.com/shared-gcu"),
    ),
    VendorResources("Kunlunxin", "kunlunxin.com/xpu"),
    VendorResources("Kunlunxin", "kunlunxin.com/vxpu", "kunlunxin.com/vxpu-memory"),
    VendorResources("AWS Neuron", "aws.amazon.com/neuron", cores="aws.amazon.com/neuroncore"),
    VendorResources("AMD", "amd.com/gpu", "amd.com/gpumem", "amd.com/gpucores"),
    VendorResources("Vastai", "vastaitech.com/va"),
    VendorResources("Biren", "birentech.com/gpu"),
)

RESOURCE_NAMES: frozenset[str] = frozenset().union(*(vendor.names() for vendor in VENDORS))
