from typing import Any

import pytest

from inventory.dra.cel.selectors import compiled
from inventory.dra.cel.subjects import subject
from inventory.dra.simulator.claims import claim
from inventory.hami.proposals import Lost, Unavailable, WithoutProposal, alternatives, proposals
from inventory.hami.vendors import VENDORS
from inventory.hami.webhook.configuration import configured
from inventory.hami.wording import LOSSES, WITHOUT_PROPOSAL
from inventory.kube.objects import Capacity, Device
from tests.inventory.hami.pods import DEVICES, container, pod, pod_of

MI300X = Device(
    "gpu-0-128",
    {"type": {"string": "amdgpu"}, "productName": {"string": "AMD_Instinct_MI300X_OAM"}},
    {"memory": Capacity("196592Mi"), "computeUnits": Capacity("304")},
)


def exactly(spec: dict[str, Any]) -> dict[str, Any]:
    (request,) = spec["devices"]["requests"]
    return request["exactly"]  # type: ignore[no-any-return]


def test_amd_cards_are_asked_for_whole() -> None:
    one = pod(
        {"amd.com/gpu": 2, "amd.com/gpumem": 65536, "amd.com/gpucores": 50}, {"amd.com/use-gputype": "mi300"}
    )
    (found,) = proposals(one, DEVICES).claims
    asked = exactly(found.need.spec)

    assert (asked["deviceClassName"], asked["count"]) == ("gpu.amd.com", 2)
    assert "capacity" not in asked
    expressions = [selector["cel"]["expression"] for selector in asked["selectors"]]
    assert all(compiled(expression).matches(subject("gpu.amd.com", MI300X)) for expression in expressions)
    assert [(loss.lost, loss.given) for loss in found.losses] == [(Lost.SHARING, "65536"), (Lost.CORES, "50")]


def test_an_amd_card_with_less_memory_will_not_do() -> None:
    (found,) = proposals(pod({"amd.com/gpu": 1, "amd.com/gpumem": 196593}), DEVICES).claims
    of_memory = exactly(found.need.spec)["selectors"][1]["cel"]["expression"]

    assert not compiled(of_memory).matches(subject("gpu.amd.com", MI300X))


def test_amd_has_no_uuids_to_choose_by() -> None:
    (found,) = proposals(pod({"amd.com/gpu": 1}, {"amd.com/use-gpu-uuid": "x"}), DEVICES).claims
    (loss,) = found.losses

    assert (loss.lost, loss.field) == (Lost.UUIDS, 'metadata.annotations["amd.com/use-gpu-uuid"]')


def test_nvidia_s_own_driver_takes_memory_of_shares() -> None:
    limits = {
        "nvidia.com/gpu": 1,
        "nvidia.com/gpumem": 8192,
        "nvidia.com/gpucores": 30,
        "nvidia.com/priority": 0,
    }
    (found,) = alternatives(
        pod(limits, {"nvidia.com/use-gpuuuid": "GPU-a", "nvidia.com/nouse-gputype": "T4"})
    )
    asked = exactly(found.need.spec)

    assert asked["deviceClassName"] == "gpu.nvidia.com"
    assert asked["capacity"] == {"requests": {"memory": "8589934592"}}
    assert [selector["cel"]["expression"] for selector in asked["selectors"]] == [
        'device.attributes["gpu.nvidia.com"].uuid in ["GPU-a"]',
        '!(device.attributes["gpu.nvidia.com"].productName.lowerAscii().contains("t4"))',
    ]
    assert {loss.lost for loss in found.losses} == {Lost.SHARING_UNLESS_CONFIGURED, Lost.CORES, Lost.PRIORITY}
    assert set(found.need.resources) == set(limits)


def test_a_proposal_is_a_claim_that_the_simulator_takes() -> None:
    (found,) = alternatives(pod({"nvidia.com/gpu": 3}))

    assert claim("ml", "c", found.need.spec).requests[0][0].count == 3


def test_each_container_has_its_own() -> None:
    one = pod_of(container({"amd.com/gpu": 1}), container(), container({"amd.com/gpu": 2}, "side"))

    assert [
        (found.need.container, found.need.container_index) for found in proposals(one, DEVICES).claims
    ] == [
        ("app", 0),
        ("side", 2),
    ]


@pytest.mark.parametrize("count", [0, -1, "0.5", "many", None])
def test_no_card_has_no_proposal(count: Any) -> None:
    assert proposals(pod({"amd.com/gpu": count}), DEVICES).claims == ()


@pytest.mark.parametrize(
    ("name", "vendor", "reason"),
    [
        ("cambricon.com/vmlu", "Cambricon", WithoutProposal.NONE_KNOWN),
        ("aws.amazon.com/neuroncore", "AWS Neuron", WithoutProposal.OWN),
        ("enflame.com/gcu", "Enflame", WithoutProposal.ANNOUNCED),
        ("hygon.com/dcunum", "Hygon", WithoutProposal.BY_WEBHOOK),
    ],
)
def test_a_vendor_without_a_proposal_says_why(name: str, vendor: str, reason: WithoutProposal) -> None:
    found = proposals(pod({name: 1}), DEVICES)

    assert (found.claims, found.unavailable) == ((), (Unavailable(vendor, "app", (name,), reason),))


def test_what_the_webhook_converts_needs_no_proposal() -> None:
    one = pod({"nvidia.com/gpu": 1, "hygon.com/hcunum": 1, "huawei.com/Ascend310P": 1})

    assert proposals(one, DEVICES).unavailable == ()
    assert {none.vendor for none in proposals(one, configured(("nvidia",))).unavailable} == {
        "Hygon",
        "Ascend",
    }


def test_every_vendor_has_a_proposal_or_a_reason() -> None:
    for vendor in VENDORS:
        found = proposals(pod({vendor.count: 1}), ())
        assert found.claims or found.unavailable


def test_every_loss_and_reason_has_its_text() -> None:
    assert set(LOSSES) == set(Lost)
    assert set(WITHOUT_PROPOSAL) == set(WithoutProposal)
