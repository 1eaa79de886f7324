from typing import Any

import pytest

from inventory.hami.warnings.warning import Code, Severity
from inventory.hami.webhook.configuration import configured
from tests.inventory.hami.pods import codes, pod, warned

GPU, MEMORY, CORES = "nvidia.com/gpu", "nvidia.com/gpumem", "nvidia.com/gpucores"


def test_memory_without_cores_takes_all_of_them() -> None:
    warning = warned(pod({GPU: 1, MEMORY: 8192}))[Code.CORES_TAKE_ALL]

    assert warning.severity is Severity.DIFFERS
    assert warning.field == 'spec.containers[0].resources.limits["nvidia.com/gpumem"]'
    assert warning.instead == "nvidia.com/gpucores: 0"


@pytest.mark.parametrize("limits", [{GPU: 1}, {GPU: 1, MEMORY: 8192, CORES: 0}, {GPU: 1, CORES: 30}])
def test_a_whole_card_and_written_cores_are_as_before(limits: dict[str, Any]) -> None:
    assert Code.CORES_TAKE_ALL not in codes(pod(limits))


def test_a_percentage_of_memory_leaves_the_cores_out_too() -> None:
    left = pod({GPU: 1, "nvidia.com/gpumem-percentage": 50})
    whole = pod({GPU: 1, "nvidia.com/gpumem-percentage": 100})

    assert Code.CORES_TAKE_ALL in codes(left)
    assert Code.CORES_TAKE_ALL not in codes(whole)


def test_ascend_takes_all_cores_too_and_hygon_did_before() -> None:
    by_software = {"huawei.com/vnpu-mode": "hami-core"}
    limits = {"huawei.com/Ascend310P": 1, "huawei.com/Ascend310P-memory": 3072}

    assert Code.CORES_TAKE_ALL in codes(pod(limits, by_software))
    assert Code.CORES_TAKE_ALL not in codes(pod(limits))
    assert Code.CORES_TAKE_ALL not in codes(pod({"hygon.com/hcunum": 1, "hygon.com/hcumem": 3072}))


@pytest.mark.parametrize(
    ("given", "code", "instead"),
    [
        (101, Code.CORES_ABOVE_ALL, "nvidia.com/gpucores: 100"),
        ("1k", Code.CORES_ABOVE_ALL, "nvidia.com/gpucores: 100"),
        (-1, Code.CORES_NEGATIVE, "nvidia.com/gpucores: 0"),
        ("33.3", Code.CORES_ROUNDED, "nvidia.com/gpucores: 34"),
        (100, Code.CORES_NOT_EXCLUSIVE, "# no nvidia.com/gpumem at all"),
    ],
)
def test_odd_cores_are_told(given: Any, code: Code, instead: str) -> None:
    assert warned(pod({GPU: 1, MEMORY: 8192, CORES: given}))[code].instead == instead


def test_all_cores_and_all_memory_are_the_whole_card() -> None:
    assert codes(pod({GPU: 1, CORES: 100})) == set()


def test_hygon_counts_compute_units_of_a_reference_card() -> None:
    devices = configured(("hygon",), {"hygon": {"referenceComputeUnits": 120}})
    one = pod({"hygon.com/hcunum": 1, "hygon.com/hcucores": 60})
    warning = warned(one, devices=devices)[Code.UNITS_OF_ONE_REFERENCE]

    assert (warning.values["units"], warning.values["reference"]) == ("72", "120")


def test_hygon_without_a_reference_is_refused() -> None:
    warning = warned(pod({"hygon.com/hcunum": 1, "hygon.com/hcucores": 60}))[Code.UNITS_NOT_CONFIGURED]

    assert warning.severity is Severity.NEVER_FITS
