from typing import Any

import pytest

from inventory.hami.surroundings import Surroundings
from inventory.hami.warnings.warning import Code, Severity
from inventory.hami.webhook.profiles import Profile
from tests.inventory.hami.pods import A100, T4, codes, container, pod, pod_of, warned, with_cards

GPU, MEMORY, CORES = "nvidia.com/gpu", "nvidia.com/gpumem", "nvidia.com/gpucores"
PERCENTAGE = "nvidia.com/gpumem-percentage"


def requesting(limits: dict[str, Any], requests: dict[str, Any]) -> Any:
    return pod_of({"name": "app", "resources": {"limits": limits, "requests": requests}})


def test_a_percentage_stays_where_it_is() -> None:
    warning = warned(pod({GPU: 1, PERCENTAGE: 50}))[Code.PERCENTAGE_LEFT]

    assert warning.severity is Severity.NEVER_FITS
    assert warning.field == 'spec.containers[0].resources.limits["nvidia.com/gpumem-percentage"]'
    assert warning.instead == ""


def test_a_percentage_is_an_amount_on_each_model_of_card() -> None:
    warning = warned(pod({GPU: 1, PERCENTAGE: 50}), with_cards(A100, T4))[Code.PERCENTAGE_LEFT]

    assert warning.instead.splitlines() == [
        "nvidia.com/gpumem: 40960 # NVIDIA A100-SXM4-80GB, as hami-core-gpu.project-hami.io/n1/hami-gpu-0",
        "nvidia.com/gpumem: 7680 # Tesla T4, as hami-core-gpu.project-hami.io/n3/hami-gpu-0",
    ]


def test_a_percentage_that_is_none_has_no_amount() -> None:
    one = pod({GPU: 1, PERCENTAGE: 101})

    assert warned(one, with_cards(A100))[Code.PERCENTAGE_LEFT].instead == ""


def test_a_priority_is_a_variable() -> None:
    warning = warned(pod({GPU: 1, "nvidia.com/priority": 0}))[Code.PRIORITY_LEFT]

    assert warning.instead == 'env:\n- name: CUDA_TASK_PRIORITY\n  value: "0"'


def test_nothing_is_converted_without_a_count() -> None:
    warning = warned(pod({MEMORY: 4096, CORES: 30}))[Code.WITHOUT_COUNT]

    assert warning.values["names"] == "nvidia.com/gpumem, nvidia.com/gpucores"
    assert warning.instead == "nvidia.com/gpu: 1"


@pytest.mark.parametrize(
    ("limits", "requests", "instead"),
    [
        ({}, {GPU: 1, MEMORY: 4096}, "limits:\n  nvidia.com/gpu: 1\n  nvidia.com/gpumem: 4096"),
        ({MEMORY: 4096}, {GPU: 1}, "limits:\n  nvidia.com/gpu: 1"),
        ({GPU: 1}, {MEMORY: "4096"}, 'limits:\n  nvidia.com/gpumem: "4096"'),
    ],
)
def test_the_webhook_looks_at_limits_alone(
    limits: dict[str, Any], requests: dict[str, Any], instead: str
) -> None:
    found = warned(requesting(limits, requests))

    assert found[Code.ONLY_REQUESTED].instead == instead
    assert Code.WITHOUT_COUNT not in found


def test_init_containers_are_left_as_they_are() -> None:
    one = pod_of(container({GPU: 1}), initContainers=[container({GPU: 1, MEMORY: 1024}, "init")])
    warning = warned(one)[Code.INIT_CONTAINER]

    assert (warning.container, warning.values["names"]) == ("init", "nvidia.com/gpu, nvidia.com/gpumem")
    assert warning.field == 'spec.initContainers[0].resources.limits["nvidia.com/gpu"]'


def test_the_names_of_another_vendor_are_told_as_that_vendor_s() -> None:
    warning = warned(pod({GPU: 1, "cambricon.com/vmlu": 1, "cambricon.com/mlu.smlu.vmemory": 4}))[
        Code.OTHER_VENDOR
    ]

    assert warning.values["vendor"] == "Cambricon"
    assert warning.values["names"] == "cambricon.com/vmlu, cambricon.com/mlu.smlu.vmemory"


def test_the_first_version_knows_one_vendor() -> None:
    one = pod({"hygon.com/hcunum": 1})

    assert codes(one, profile=Profile.V0_0_1) == {Code.OTHER_VENDOR}
    assert codes(one) == set()


def test_what_nodes_have_to_give_is_given_as_before() -> None:
    known = Surroundings(resources=frozenset({"cambricon.com/vmlu"}))

    assert warned(pod({"cambricon.com/vmlu": 1}), known)[Code.OTHER_VENDOR].severity is Severity.DIFFERS


def test_what_a_refused_pod_would_have_had_converted_is_not_left() -> None:
    one = pod({GPU: 1, MEMORY: 4096, CORES: 10, PERCENTAGE: 50}, {"nvidia.com/use-gpuuuid": ""})

    assert codes(one) == {Code.UUID_EMPTY, Code.PERCENTAGE_LEFT}


def test_resources_of_the_pod_as_a_whole_are_not_looked_at() -> None:
    one = pod({"cpu": 1}, resources={"limits": {"nvidia.com/gpu": 1}})

    assert warned(one)[Code.POD_AS_A_WHOLE].field == "spec.resources.limits"
