from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory.hami.vendors import VENDORS as NAMES
from inventory.hami.webhook.configuration import OLD_HYGON_NAMES, VENDORS, configured
from inventory.hami.webhook.device_config import ConfigurationError


def refusal(vendors: list[str], config: Any = None) -> str:
    with pytest.raises(ConfigurationError) as caught:
        configured(vendors, config)
    return str(caught.value)


def test_the_default_names_are_those_by_which_pods_ask_hami() -> None:
    known = {vendor.names() for vendor in NAMES if not vendor.others}
    devices = [device for device in configured(VENDORS) if device.vendor != "nvidia"]
    assert {frozenset(device.names()) for device in devices} < known
    assert len(devices) == 8


def test_vendors_come_in_the_order_of_the_flag() -> None:
    order = [device.suffix for device in configured(["ascend", "nvidia"])]
    assert order[-1] == "nvidia"
    assert order[:3] == ["ascend910a", "ascend910b2", "ascend910b3"]


def test_the_flag_overrides_the_file() -> None:
    assert [one.vendor for one in configured(["nvidia"], {"vendors": ["hygon"]})] == ["nvidia"]
    assert [one.vendor for one in configured([], {"vendors": ["hygon", "nvidia"]})] == ["hygon", "nvidia"]


def test_names_class_and_driver_may_be_others() -> None:
    (device,) = configured(
        ["nvidia"],
        {
            "nvidia": {
                "resourceCountName": "gpu.acme.io/cards",
                "deviceClassName": "my-class",
                "draDriverName": "my.driver",
                "requestName": "ignored",
            }
        },
    )
    assert (device.count, device.memory) == ("gpu.acme.io/cards", "nvidia.com/gpumem")
    assert (device.device_class, device.driver, device.request) == ("my-class", "my.driver", "gpu")


def test_hygon_can_be_asked_for_by_its_old_names() -> None:
    (device,) = configured(["hygon"], {"hygon": {**OLD_HYGON_NAMES, "referenceComputeUnits": 120}})
    assert device.names() == ("hygon.com/dcunum", "hygon.com/dcumem", "hygon.com/dcucores")
    assert device.reference_units == 120


def test_a_list_of_chips_replaces_the_known_ones() -> None:
    devices = configured(
        ["ascend"],
        {
            "ascend": {
                "devices": [
                    {"resourceName": "huawei.com/Ascend910B3", "resourceMemoryName": "huawei.com/mem"},
                    {"commonWord": "Skip"},
                    {"commonWord": "Custom", "resourceName": "acme.com/npu"},
                ]
            }
        },
    )
    assert [(one.word, one.suffix) for one in devices] == [
        ("Ascend910B3", "ascend910b3"),
        ("Custom", "custom"),
    ]
    assert devices[0].names() == ("huawei.com/Ascend910B3", "huawei.com/mem", "")
    assert devices[1].annotations.no_use_uuid == "hami.io/no-use-Custom-uuid"


@pytest.mark.parametrize(
    ("count", "word"), [("huawei.com/Ascend910B3", "Ascend910B3"), ("acme.com/npu", "Ascend310P")]
)
def test_the_old_form_knows_one_chip_with_its_own_annotations(count: str, word: str) -> None:
    (device,) = configured(
        ["ascend"], {"ascend": {"resourceCountName": count, "useUUIDAnnotation": "acme.com/use-npu"}}
    )
    assert (device.word, device.memory, device.cores) == (word, f"{count}-memory", f"{count}-core")
    assert device.annotations.use_uuid == "acme.com/use-npu"
    assert device.annotations.no_use_uuid == f"hami.io/no-use-{word}-uuid"


@pytest.mark.parametrize(
    ("vendors", "config", "told"),
    [
        ([], {}, "at least one device vendor must be configured"),
        (["nvidia"], {"vendor": "hygon"}, "config field vendor was removed; use vendors instead"),
        (["metax"], {}, 'unsupported device vendor "metax"'),
        ([" nvidia"], {}, 'unsupported device vendor " nvidia"'),
        (["nvidia", "nvidia"], {}, 'duplicate device vendor "nvidia"'),
        (
            ["nvidia", "hygon"],
            {"hygon": {"resourceMemoryName": "nvidia.com/gpumem"}},
            'resource name "nvidia.com/gpumem" is configured by both "nvidia" and "hygon"',
        ),
        (
            ["ascend"],
            {"ascend": {"devices": [{"commonWord": "A", "resourceName": f"a.io/{n}"} for n in "ab"]}},
            'claim name suffix "a" is configured by both "ascend" and "ascend"',
        ),
        (
            ["ascend"],
            {"ascend": {"devices": [{"commonWord": "A"}, None, {"commonWord": "B"}]}},
            "no ascend devices configured: empty resourceName at indexes [0 1]",
        ),
    ],
)
def test_the_webhook_says_why_it_does_not_start(vendors: list[str], config: Any, told: str) -> None:
    assert refusal(vendors, config) == told


@pytest.mark.parametrize(
    ("config", "complaints"),
    [
        ({"vendors": "nvidia"}, ["!!str `nvidia` into []string"]),
        ({"vendors": "a-long-name"}, ["!!str `a-long-...` into []string"]),
        ({"nvidia": []}, ["!!seq into config.NvidiaConfig"]),
        (
            {"hygon": {"referenceComputeUnits": "x", "requestName": {}}},
            ["!!str `x` into int64", "!!map into string"],
        ),
        ({"hygon": {"referenceComputeUnits": 2**63}}, ["!!int `9223372...` into int64"]),
        ({"nvidia": {"defaultCores": True}}, ["!!bool `true` into int32"]),
        ({"nvidia": {"deviceSplitCount": -1}}, ["!!int `-1` into uint"]),
        ({"nvidia": {"overwriteEnv": 1}}, ["!!int `1` into bool"]),
        ({"nvidia": {"deviceMemoryScaling": "2"}}, ["!!str `2` into float64"]),
        ({"ascend": {"devices": [1.5]}}, ["!!float `1.5` into config.AscendVNPUConfig"]),
        ({"nvidia": {"knownMigGeometries": [{"models": {}}]}}, ["!!map into []string"]),
        ([], ["!!seq into config.Config"]),
    ],
)
def test_a_field_of_the_wrong_type_keeps_it_from_starting(config: Any, complaints: list[str]) -> None:
    lines = [f"  line 1: cannot unmarshal {complaint}" for complaint in complaints]
    assert refusal(["nvidia"], config) == "\n".join(("yaml: unmarshal errors:", *lines))


def test_scalars_are_texts_too_and_a_fraction_is_cut_off() -> None:
    (nvidia, hygon) = configured(
        ["nvidia", "hygon"],
        {
            "foo": 1,
            "nvidia": {
                "resourceCoreName": 5,
                "overwriteEnv": "yes",
                "disableCoreLimit": False,
                "deviceCoreScaling": 1.5,
            },
            "hygon": {"referenceComputeUnits": 7.9},
        },
    )
    assert (nvidia.cores, hygon.reference_units) == ("5", 7)


def test_what_is_null_is_not_set() -> None:
    assert configured(["nvidia"], {"nvidia": None, "vendors": None}) == configured(["nvidia"])
    assert configured([], {"vendors": ["nvidia", None]}) == configured(["nvidia"])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["vendors", "resourceCountName", "devices"]), inner)
    ),
    max_leaves=8,
)


@given(JSON, JSON, JSON)
def test_any_file_configures_devices_or_is_refused(nvidia: Any, hygon: Any, ascend: Any) -> None:
    try:
        devices = configured(VENDORS, {"nvidia": nvidia, "hygon": hygon, "ascend": ascend})
    except ConfigurationError:
        return
    assert len({device.suffix for device in devices}) == len(devices)
