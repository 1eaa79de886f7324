from typing import Any

import msgspec
import pytest

from inventory.hami.vendors import RESOURCE_NAMES, VENDORS, carries_hami_resources
from inventory.kube.objects import Pod


def pod_asking_for(**limits: str) -> Pod:
    container: dict[str, Any] = {"name": "main", "resources": {"limits": limits}}
    return msgspec.convert({"metadata": {"name": "train"}, "spec": {"containers": [container]}}, Pod)


@pytest.mark.parametrize(
    "name",
    [
        "nvidia.com/gpu",
        "nvidia.com/gpumem-percentage",
        "huawei.com/Ascend310P",
        "huawei.com/Ascend910B4-1-memory",
        "hygon.com/hcucores",
        "hygon.com/dcunum",
        "cambricon.com/mlu.smlu.vcore",
        "iluvatar.ai/MR-V100.vMem",
        "metax-tech.com/vmemory",
        "aws.amazon.com/neuroncore",
    ],
)
def test_a_pod_in_hami_s_language_is_known_by_any_of_its_resources(name: str) -> None:
    assert carries_hami_resources(pod_asking_for(**{name: "1"}))


def test_a_pod_that_asks_for_none_of_them_is_not() -> None:
    assert not carries_hami_resources(pod_asking_for(cpu="1", memory="1Gi"))


def test_an_installation_may_use_names_of_its_own() -> None:
    pod = pod_asking_for(**{"example.com/vgpu": "1"})

    assert not carries_hami_resources(pod)
    assert carries_hami_resources(pod, further=["example.com/vgpu"])


def test_no_name_stands_for_two_things() -> None:
    names = [name for vendor in VENDORS for name in vendor.names()]

    assert len(names) == len(set(names)) == len(RESOURCE_NAMES)
    assert "" not in RESOURCE_NAMES
