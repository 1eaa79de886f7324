"""What the teams of the demo ran before it began: the workloads that its story still runs."""

from collections.abc import Mapping
from typing import NamedTuple

from dashboard.demo_people import A100

T4 = "Tesla T4"
H100 = "NVIDIA H100 80GB HBM3"
_HAMI = "hami-core-gpu.project-hami.io"


class Rhythm(NamedTuple):
    """How much begins in each hour of a day, UTC, in relation to the others, and of that at weekends."""

    hours: tuple[int, ...]
    weekend_percent: int


OFFICE = Rhythm((0, 0, 0, 0, 0, 1, 3, 6, 9, 10, 10, 8, 7, 9, 10, 10, 8, 6, 3, 2, 1, 1, 0, 0), 12)
NIGHT = Rhythm((9, 9, 8, 7, 5, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 6, 8, 10, 10, 10, 10), 60)
SERVICE = Rhythm((3, 2, 2, 2, 2, 3, 4, 6, 8, 9, 9, 9, 8, 9, 9, 9, 8, 7, 6, 5, 5, 4, 4, 3), 80)


class Workload(NamedTuple):
    """What is asked for, and how often: `a_day` of them begin on a weekday, with `pods` Pods each.

    Each Pod has a claim for `devices` of the product: of shareable ones what is `consumed` of each, of others
    all of it. `most` Pods run or wait at once, each for `hours` on average.
    """

    team: str
    name: str
    kind: str
    product: str
    device_class: str
    request: str
    rhythm: Rhythm
    a_day: int
    hours: float
    most: int
    pods: int = 1
    consumed: Mapping[str, str] = {}
    devices: int = 1
    partitions: bool = False

    @property
    def namespace(self) -> str:
        return f"team-{self.team}"


WORKLOADS = (
    Workload(
        "nlp",
        "chat",
        "Deployment",
        A100,
        _HAMI,
        "gpu",
        SERVICE,
        a_day=14,
        hours=14,
        most=12,
        consumed={"cores": "25", "memory": "16Gi"},
    ),
    Workload(
        "vision",
        "train-resnet",
        "Job",
        A100,
        _HAMI,
        "gpu",
        OFFICE,
        a_day=7,
        hours=4,
        most=12,
        pods=2,
        consumed={"cores": "30", "memory": "20Gi"},
    ),
    Workload(
        "rec",
        "rank",
        "Job",
        A100,
        _HAMI,
        "gpu",
        SERVICE,
        a_day=9,
        hours=2.5,
        most=4,
        pods=2,
        consumed={"cores": "50", "memory": "30Gi"},
    ),
    Workload(
        "vision",
        "detector",
        "Deployment",
        T4,
        _HAMI,
        "gpu",
        SERVICE,
        a_day=8,
        hours=16,
        most=5,
        consumed={"cores": "30", "memory": "4Gi"},
    ),
    Workload(
        "nlp",
        "notebook",
        "StatefulSet",
        T4,
        _HAMI,
        "gpu",
        OFFICE,
        a_day=7,
        hours=5,
        most=6,
        consumed={"cores": "20", "memory": "3Gi"},
    ),
    Workload(
        "batch",
        "render",
        "Job",
        T4,
        _HAMI,
        "gpu",
        NIGHT,
        a_day=9,
        hours=3,
        most=15,
        pods=3,
        consumed={"cores": "50", "memory": "6Gi"},
    ),
    Workload(
        "batch",
        "simulate",
        "Job",
        "K100_AI",
        "dra.hygon.com",
        "hcu",
        NIGHT,
        a_day=9,
        hours=4,
        most=6,
        consumed={"cores": "60", "memory": "20Gi", "slices": "1"},
    ),
    Workload(
        "batch",
        "score",
        "Job",
        H100,
        "mig.nvidia.com",
        "mig",
        OFFICE,
        a_day=10,
        hours=1.5,
        most=14,
        pods=2,
        partitions=True,
    ),
    Workload(
        "vision",
        "augment",
        "Job",
        "310P3",
        "hami-vnpu-core.project-hami.io",
        "npu",
        OFFICE,
        a_day=12,
        hours=2,
        most=7,
        consumed={"cores": "30", "memory": "6Gi"},
    ),
    Workload("nlp", "finetune", "Job", H100, "gpu.nvidia.com", "gpu", OFFICE, 7, 6, 6, devices=2),
    Workload("rec", "embed", "Job", "AMD_Instinct_MI300X_OAM", "gpu.amd.com", "gpu", SERVICE, 5, 5, 2),
    Workload("infra", "smoke", "Job", "B60", "gpu.intel.com", "gpu", OFFICE, 6, 0.5, 3),
)
