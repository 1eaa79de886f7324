import pytest

from inventory.hami.vendors import RESOURCE_NAMES, VENDORS


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
def test_the_resources_of_hami_s_language_are_known(name: str) -> None:
    assert name in RESOURCE_NAMES


@pytest.mark.parametrize("name", ["cpu", "memory"])
def test_what_every_pod_asks_for_is_not_among_them(name: str) -> None:
    assert name not in RESOURCE_NAMES


def test_no_name_stands_for_two_things() -> None:
    names = [name for vendor in VENDORS for name in vendor.names()]

    assert len(names) == len(set(names)) == len(RESOURCE_NAMES)
    assert "" not in RESOURCE_NAMES
