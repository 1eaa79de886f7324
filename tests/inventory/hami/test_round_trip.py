"""What is converted, as an API server takes it and as the scheduler places it.

The slices and the outcome are those of a lab with two Ascend 310P3 on one node and HAMi-DRA 0.2.3.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from demo.server import ApiServer
from demo.store import Store
from inventory.dra.simulator.claims import Claim, claim
from inventory.dra.simulator.explanation import Explanation
from inventory.hami.converted import ConvertedClaim
from inventory.hami.proposals import alternatives, proposals
from inventory.hami.webhook.mutate import mutate
from inventory.hami.webhook.profiles import Profile
from inventory.hami.workloads import workload
from inventory.kube.objects import AllocationResult, Raw, ResourceSlice
from tests.demo.asking import Answered, send
from tests.inventory.dra.simulator.factories import cluster, explained, held
from tests.inventory.hami.pods import ASCEND_DRIVER, DEVICES, pod, pod_of

NODE = "aio-node74-arm"
UUIDS = ("68496E64-20E05477-92C31323-6E78030A-BD003019", "D8496E64-20C101B1-C0D42F23-AED8030A-40003039")
CLASS = "hami-vnpu-core.project-hami.io"
CHIP = "huawei.com/Ascend310P"
NAMESPACE = "dra-ascend-e2e"


@pytest.fixture
def url() -> Iterator[str]:
    with ApiServer(Store()) as server:
        yield server.url


def created(url: str, body: Raw) -> Answered:
    namespace = body["metadata"]["namespace"]
    path = f"/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims"
    return send("POST", url, path, body, dryRun="All")


def as_claim(spec: Raw) -> Raw:
    """A claim as the cluster makes it from a template."""
    metadata = {"name": "made", "namespace": "ml"}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": metadata, "spec": spec}


def card(index: int) -> Raw:
    attributes = {"type": "HAMivNPUCore", "uuid": UUIDS[index], "productName": "310P3"}
    memory = {"default": "21525Mi", "validRange": {"min": "1Mi", "max": "21525Mi", "step": "1Mi"}}
    cores = {"default": "100", "validRange": {"min": "0", "max": "100", "step": "1"}}
    return {
        "name": f"npu-{index}-0",
        "allowMultipleAllocations": True,
        "attributes": {name: {"string": value} for name, value in attributes.items()},
        "capacity": {
            "cores": {"value": "100", "requestPolicy": cores},
            "memory": {"value": "21525Mi", "requestPolicy": memory},
        },
    }


def slices() -> ResourceSlice:
    spec = {
        "driver": ASCEND_DRIVER,
        "nodeName": NODE,
        "pool": {"name": NODE, "generation": 1, "resourceSliceCount": 1},
        "devices": [card(0), card(1)],
    }
    return msgspec.convert({"metadata": {"name": "slice"}, "spec": spec}, ResourceSlice)


def converted(name: str, memory: str = "8192", cores: str = "50", uuid: str = UUIDS[0]) -> ConvertedClaim:
    limits = {CHIP: 1, f"{CHIP}-memory": memory, f"{CHIP}-core": cores}
    one = pod(limits, {"hami.io/use-Ascend310P-uuid": uuid}, runtimeClassName="ascend")
    one["metadata"] |= {"namespace": NAMESPACE, "name": name}
    (found,) = mutate(one, DEVICES, Profile.V0_2_3).claims
    return found


def wanted(found: ConvertedClaim) -> Claim:
    return claim(found.namespace, found.name, found.raw["spec"])


def placed(found: ConvertedClaim, *taken: AllocationResult) -> Explanation:
    return explained(cluster(slices(), results=taken, classes={CLASS: ()}), wanted(found))


def share(memory: str, cores: str) -> AllocationResult:
    consumed = {"memory": memory, "cores": cores}
    return held("npu-0-0", pool=NODE, driver=ASCEND_DRIVER, consumed=consumed)


def test_the_claim_of_the_lab_is_made_and_taken(url: str) -> None:
    found = converted("ascend-share-a")
    answered = created(url, found.raw)

    assert answered.status == 201
    assert found.name == "dra-ascend-e2e-ascend-share-a-app-ascend310p"
    assert answered.json["spec"] == {
        "devices": {
            "requests": [
                {
                    "name": "npu",
                    "exactly": {
                        "allocationMode": "ExactCount",
                        "count": 1,
                        "deviceClassName": CLASS,
                        "capacity": {"requests": {"cores": "50", "memory": "8589934592"}},
                        "selectors": [
                            {
                                "cel": {
                                    "expression": 'device.driver == "ascend.project-hami.io" && '
                                    'device.attributes["ascend.project-hami.io"].type == "HAMivNPUCore"'
                                }
                            },
                            {
                                "cel": {
                                    "expression": 'device.attributes["ascend.project-hami.io"].uuid in '
                                    f'["{UUIDS[0]}"]'
                                }
                            },
                        ],
                    },
                }
            ]
        }
    }


def test_two_shares_are_placed_on_the_card_as_in_the_lab() -> None:
    for taken in ((), (share("8Gi", "50"),)):
        (fit,) = placed(converted("ascend-share"), *taken).fits
        (placement,) = fit.placements
        assert str(placement.candidate.id) == f"{ASCEND_DRIVER}/{NODE}/npu-0-0"
        assert {name: str(amount) for name, amount in (placement.consumed or {}).items()} == {
            "cores": "50",
            "memory": "8Gi",
        }


def test_a_third_share_waits_while_the_other_card_is_idle() -> None:
    both = (share("8Gi", "50"), share("8Gi", "50"))

    assert placed(converted("ascend-share-c"), *both).fits == ()
    (fit,) = placed(converted("ascend-share-c", uuid=UUIDS[1]), *both).fits
    assert fit.placements[0].candidate.id.name == "npu-1-0"


def test_a_share_that_lacks_memory_alone_waits_too() -> None:
    one = share("8Gi", "50")

    assert placed(converted("ascend-ctrl-b", memory="14000", cores="40"), one).fits == ()
    assert len(placed(converted("ascend-ctrl-b", memory="13333", cores="40"), one).fits) == 1


def test_a_share_without_cores_has_the_card_for_itself() -> None:
    limits = {CHIP: 1, f"{CHIP}-memory": 1024}
    (found,) = mutate(pod(limits), DEVICES, Profile.V0_2_3).claims
    (fit,) = placed(found, share("1Gi", "1")).fits

    assert fit.placements[0].candidate.id.name == "npu-1-0"


def test_no_card_becomes_one_on_the_api_server(url: str) -> None:
    (found,) = mutate(pod({"nvidia.com/gpu": 0}), DEVICES, Profile.V0_2_3).claims

    (request,) = created(url, found.raw).json["spec"]["devices"]["requests"]
    assert request["exactly"]["count"] == 1


@pytest.mark.parametrize(
    "spec",
    [
        *(one.need.spec for one in alternatives(pod({"nvidia.com/gpu": 2, "nvidia.com/gpumem": 1024}))),
        *(
            one.need.spec
            for one in proposals(
                pod({"amd.com/gpu": 1, "amd.com/gpumem": 1}, {"amd.com/use-gputype": "x"}), ()
            ).claims
        ),
    ],
)
def test_a_proposal_is_taken(url: str, spec: Any) -> None:
    assert created(url, as_claim(spec)).status == 201


def test_the_templates_of_a_workload_make_claims_that_are_taken(url: str) -> None:
    one = pod_of({"name": "app", "resources": {"limits": {CHIP: 1, "nvidia.com/gpu": 1, "amd.com/gpu": 1}}})
    found = workload(one, DEVICES, propose=True)

    assert len(found.templates) == 3
    for template in found.templates:
        assert created(url, as_claim(template["spec"]["spec"])).status == 201
