import copy
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory.hami.converted import Mutation, Origin, Rule
from inventory.hami.webhook.configuration import VENDORS, configured
from inventory.hami.webhook.mutate import mutate
from inventory.hami.webhook.profiles import Profile
from inventory.hami.webhook.reading import PodError
from tests.inventory.hami.webhook.pods import DEVICES, container, converted, exactly, pod, selectors

GPU, MEMORY, CORES = "nvidia.com/gpu", "nvidia.com/gpumem", "nvidia.com/gpucores"
UUID = "68496E64-20E05477-92C31323-6E78030A-BD003019"
ASCEND = {
    "huawei.com/Ascend310P": "1",
    "huawei.com/Ascend310P-memory": "8192",
    "huawei.com/Ascend310P-core": "50",
}


def ascend() -> Mutation:
    return converted(
        pod(container(ASCEND), name="ascend-share-a", annotations={"hami.io/use-Ascend310P-uuid": UUID})
    )


def origin(mutation: Mutation, field: str) -> Origin:
    of_claims = [one for claim in mutation.claims for one in claim.origins]
    (found,) = [one for one in (*of_claims, *mutation.origins) if one.field == field]
    return found


def test_an_ascend_pod_gets_the_claim_that_was_seen_in_the_lab() -> None:
    mutation = ascend()
    (claim,) = mutation.claims
    assert claim.raw == {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "ml-ascend-share-a-app-ascend310p", "namespace": "ml"},
        "spec": {
            "devices": {
                "requests": [
                    {
                        "name": "npu",
                        "exactly": {
                            "deviceClassName": "hami-vnpu-core.project-hami.io",
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
                                        f'["{UUID}"]'
                                    }
                                },
                            ],
                            "allocationMode": "ExactCount",
                            "count": 1,
                            "capacity": {"requests": {"cores": "50", "memory": "8589934592"}},
                        },
                    }
                ]
            }
        },
    }
    assert (claim.vendor, claim.container, claim.label) == (
        "ascend",
        "app",
        "ResourceClaim ml/ml-ascend-share-a-app-ascend310p",
    )


def test_the_pod_names_its_claims_instead_of_its_limits() -> None:
    mutation = converted(pod(container({GPU: "1", MEMORY: "1", "cpu": "1"}, requests={GPU: "1", "cpu": "1"})))
    assert mutation.patched
    assert mutation.pod["metadata"]["labels"] == {"hami.io/dra": "true"}
    assert mutation.pod["spec"] == {
        "containers": [
            {
                "name": "app",
                "image": "app:1",
                "resources": {
                    "limits": {"cpu": "1"},
                    "requests": {"cpu": "1"},
                    "claims": [{"name": "ml-p-app-nvidia"}],
                },
            }
        ],
        "resourceClaims": [{"name": "ml-p-app-nvidia", "resourceClaimName": "ml-p-app-nvidia"}],
    }


def test_the_given_pod_stays_as_it_is() -> None:
    given_pod = pod(container({GPU: "1"}, requests={GPU: "1"}), tolerations=[{"key": "a"}])
    before = copy.deepcopy(given_pod)
    mutation = converted(given_pod)
    assert given_pod == before
    assert mutation.pod["spec"]["tolerations"] == [{"key": "a"}]


def test_what_the_pod_claims_already_stays_in_front() -> None:
    given_pod = pod(
        container({GPU: "1"}, claims=[{"name": "nic"}]),
        resourceClaims=[{"name": "nic", "resourceClaimTemplateName": "nic"}],
    )
    mutation = converted(given_pod)
    (changed,) = mutation.pod["spec"]["containers"]
    assert [one["name"] for one in changed["resources"]["claims"]] == ["nic", "ml-p-app-nvidia"]
    assert [one["name"] for one in mutation.pod["spec"]["resourceClaims"]] == ["nic", "ml-p-app-nvidia"]


@pytest.mark.parametrize(
    "given_pod",
    [
        pod(container({MEMORY: "1", CORES: "1"})),
        pod(container(requests={GPU: "1"})),
        pod(container({"cpu": 0.5}), initContainers=[container({GPU: "1"}, name="init")]),
        pod(container({"cpu": "0.5"}), resources={"limits": {GPU: "1"}}),
        pod({"name": "bare", "image": "app:1"}),
        {"metadata": None, "spec": {"containers": None}},
        {},
    ],
)
def test_without_a_count_in_the_limits_of_a_container_nothing_changes(given_pod: Any) -> None:
    mutation = converted(given_pod)
    assert (mutation.claims, mutation.patched, mutation.failure) == ((), False, None)
    assert mutation.pod is given_pod


def test_a_count_of_nothing_is_left_out() -> None:
    """The API server then makes it one."""
    assert "count" not in exactly(converted(pod(container({GPU: "0"}))))
    assert "count" not in exactly(converted(pod(container({GPU: None}))))
    assert exactly(converted(pod(container({GPU: "1500m"}))))["count"] == 2


@pytest.mark.parametrize(
    ("mib", "size"),
    [
        ("8192", "8589934592"),
        ("5k", "5242880k"),
        ("1500m", "2097152"),
        ("16Gi", "18014398509481984"),
        ("8796093022207", "9223372036853727232"),
        ("8796093022208", "-9223372036854775808"),
        ("1Ei", "0"),
        ("8Ei", "-1048576"),
        ("1e18", "7726618127957491712"),
    ],
)
def test_memory_is_mebibytes_with_the_overflow_of_an_int64(mib: str, size: str) -> None:
    mutation = converted(pod(container({GPU: "1", MEMORY: mib})))
    assert exactly(mutation)["capacity"]["requests"]["memory"] == size


@pytest.mark.parametrize(
    ("percent", "reference", "cores"),
    [
        ("60", 120, "72"),
        ("1", 120, "2"),
        ("33.3", 120, "41"),
        ("0", 120, "1"),
        ("-5", 64, "1"),
        ("100", 1000, "1k"),
        ("9223372036854775807", 104, "1"),
    ],
)
def test_cores_of_hygon_are_a_part_of_the_reference(percent: str, reference: int, cores: str) -> None:
    devices = configured(["hygon"], {"hygon": {"referenceComputeUnits": reference}})
    given_pod = pod(container({"hygon.com/hcunum": "1", "hygon.com/hcucores": percent}))
    assert exactly(mutate(given_pod, devices, Profile.V0_2_3))["capacity"]["requests"]["cores"] == cores


def test_without_a_reference_a_pod_that_asks_for_cores_of_hygon_is_denied() -> None:
    mutation = converted(pod(container({"hygon.com/hcunum": "1", "hygon.com/hcucores": "60"})))
    assert mutation.failure is not None
    assert mutation.failure.code == 500
    assert mutation.failure.message == (
        "referenceComputeUnits must be configured to convert hygon.com/hcucores requests"
    )


def test_an_annotation_counts_for_all_containers_and_only_for_its_cards() -> None:
    mutation = converted(
        pod(
            container({GPU: "1"}, name="a"),
            container({GPU: "1", "hygon.com/hcunum": "1"}, name="b"),
            annotations={"nvidia.com/use-gpuuuid": "x"},
        )
    )
    assert [claim.name for claim in mutation.claims] == ["ml-p-a-nvidia", "ml-p-b-nvidia", "ml-p-b-hygon"]
    assert [len(selectors(mutation, index)) for index in range(3)] == [2, 2, 1]


def test_vendors_come_in_the_configured_order_within_a_container() -> None:
    given_pod = pod(container({GPU: "1", "huawei.com/Ascend310P": "1"}))
    mutation = mutate(given_pod, configured(["ascend", "nvidia"]), Profile.V0_2_3)
    assert [claim.device.suffix for claim in mutation.claims] == ["ascend310p", "nvidia"]


def test_a_quantity_that_is_none_is_told_before_anything_else() -> None:
    given_pod = pod(
        container({GPU: "1", MEMORY: "5K"}), initContainers=[container({"cpu": "x"}, name="init")]
    )
    mutation = converted(given_pod)
    assert mutation.failure is not None
    assert (mutation.failure.code, mutation.failure.message) == (400, "unable to parse quantity's suffix")
    assert mutation.pod is given_pod
    assert mutation.calls == ()


def test_a_name_that_is_taken_denies_the_pod_and_takes_back_what_was_made() -> None:
    given_pod = pod(container({GPU: "1"}, name="a"), container({GPU: "1"}, name="b"))
    mutation = converted(given_pod, existing={("ml", "ml-p-b-nvidia")})
    assert mutation.failure is not None
    assert mutation.failure.message == (
        "failed to create ResourceClaim ml/ml-p-b-nvidia: "
        'resourceclaims.resource.k8s.io "ml-p-b-nvidia" already exists'
    )
    assert mutation.claims == ()
    assert mutation.calls == (
        "create ResourceClaim ml/ml-p-a-nvidia",
        "create ResourceClaim ml/ml-p-b-nvidia -> AlreadyExists",
        "delete ResourceClaim ml/ml-p-a-nvidia",
        "delete ResourceClaim ml/ml-p-a-nvidia -> NotFound",
    )


def test_two_containers_of_one_name_take_each_other_s() -> None:
    mutation = converted(pod(container({GPU: "1"}), container({GPU: "1"})))
    assert mutation.failure is not None
    assert "already exists" in mutation.failure.message


def test_a_random_name_is_taken_by_nobody() -> None:
    given_pod = pod(container({GPU: "1"}), container({GPU: "1"}))
    given_pod["metadata"] = {"namespace": "ml", "generateName": "p-"}
    mutation = converted(given_pod, existing={("ml", "ml-<rand5>-app-nvidia")})
    assert [claim.name for claim in mutation.claims] == ["ml-<rand5>-app-nvidia"] * 2


def test_every_field_of_a_claim_says_where_it_comes_from() -> None:
    mutation = ascend()
    request = "spec.devices.requests[0]"
    limits = "spec.containers[0].resources.limits"
    name = mutation.claims[0].name
    assert origin(mutation, f"{request}.exactly.capacity.requests.memory") == Origin(
        name,
        f"{request}.exactly.capacity.requests.memory",
        "8589934592",
        Rule.MIB_TO_BYTES,
        f'{limits}["huawei.com/Ascend310P-memory"]',
        "8192",
    )
    assert origin(mutation, f"{request}.exactly.count").rule is Rule.COUNT
    assert origin(mutation, f"{request}.exactly.capacity.requests.cores").rule is Rule.AS_IS
    chosen = origin(mutation, f"{request}.exactly.selectors[1].cel.expression")
    assert (chosen.rule, chosen.source, chosen.given) == (
        Rule.LIST_OF_UUIDS,
        'metadata.annotations["hami.io/use-Ascend310P-uuid"]',
        UUID,
    )
    assert origin(mutation, "metadata.name").rule is Rule.NAMED
    assert origin(mutation, f"{request}.exactly.deviceClassName").rule is Rule.CONFIGURED


def fields(value: Any, path: str = "") -> dict[str, str]:
    """Every value with its path."""
    if isinstance(value, dict):
        pairs = [(f"{path}.{key}".removeprefix("."), one) for key, one in value.items()]
    elif isinstance(value, list):
        pairs = [(f"{path}[{index}]", one) for index, one in enumerate(value)]
    else:
        return {path: str(value)}
    return {found: one for inner, child in pairs for found, one in fields(child, inner).items()}


@pytest.mark.parametrize("profile", Profile)
def test_no_field_of_a_claim_is_without_an_origin(profile: Profile) -> None:
    given_pod = pod(container({GPU: 2, MEMORY: 8, CORES: 5}), annotations={"nvidia.com/use-gputype": "A"})
    mutation = converted(given_pod, profile)
    (claim,) = mutation.claims
    produced = fields({field: claim.raw[field] for field in ("metadata", "spec")})
    told = {one.field.replace('["hami.io/dra"]', ".hami.io/dra"): one.value for one in claim.origins}
    assert told == produced


def test_so_says_every_change_of_the_pod() -> None:
    mutation = converted(
        pod(container({GPU: "1", "cpu": "0.5"}, requests={GPU: "1"}), container({"memory": 1024}, name="b"))
    )
    resources = "spec.containers[0].resources"
    told = {one.field: (one.rule, one.given, one.value) for one in mutation.origins}
    assert told == {
        f'{resources}.limits["{GPU}"]': (Rule.REMOVED, "1", ""),
        f'{resources}.requests["{GPU}"]': (Rule.REMOVED, "1", ""),
        f"{resources}.claims[0].name": (Rule.NAMED, "", "ml-p-app-nvidia"),
        "spec.resourceClaims[0].name": (Rule.NAMED, "", "ml-p-app-nvidia"),
        "spec.resourceClaims[0].resourceClaimName": (Rule.NAMED, "", "ml-p-app-nvidia"),
        'metadata.labels["hami.io/dra"]': (Rule.CONFIGURED, "", "true"),
        f'{resources}.limits["cpu"]': (Rule.REPRINTED, "0.5", "500m"),
    }


def test_a_request_without_a_limit_of_its_own_stays() -> None:
    mutation = converted(pod(container({GPU: "1"}, requests={GPU: "1", MEMORY: "1"})))
    assert mutation.pod["spec"]["containers"][0]["resources"]["requests"] == {MEMORY: "1"}


def test_quantities_all_over_a_changed_pod_are_printed_anew() -> None:
    mutation = converted(
        pod(
            container({GPU: "1"}),
            initContainers=[container({"cpu": "0.5"}, name="init")],
            overhead={"memory": "1024Ki"},
            volumes=[{"name": "v", "emptyDir": {"sizeLimit": "1000"}}, {"name": "w", "emptyDir": {}}],
        )
    )
    spec = mutation.pod["spec"]
    assert spec["initContainers"][0]["resources"]["limits"] == {"cpu": "500m"}
    assert spec["overhead"] == {"memory": "1Mi"}
    assert spec["volumes"][0]["emptyDir"] == {"sizeLimit": "1k"}


# Versions


def test_the_first_version_knows_nvidia_alone_and_bounds_no_name() -> None:
    devices = configured(VENDORS, {"nvidia": {"deviceClassName": "my-class", "draDriverName": "my.driver"}})
    given_pod = pod(
        container({GPU: "1", "hygon.com/hcunum": "1"}, claims=[{"name": "nic"}]),
        name="p" * 70,
        annotations={"nvidia.com/use-gpuuuid": 'a"b', "nvidia.com/nouse-gputype": ""},
    )
    mutation = mutate(given_pod, devices, Profile.V0_0_1)
    (claim,) = mutation.claims
    assert claim.name == f"ml-{'p' * 70}-app"
    assert exactly(mutation)["deviceClassName"] == "hami-core-gpu.project-hami.io"
    assert selectors(mutation)[1] == 'device.attributes["hami-core-gpu.project-hami.io"].uuid == "a"b"'
    resources = mutation.pod["spec"]["containers"][0]["resources"]
    assert resources == {"limits": {"hygon.com/hcunum": "1"}, "claims": [{"name": claim.name}]}


def test_the_first_version_has_no_random_part_and_leaves_claims_behind() -> None:
    given_pod = pod(container({GPU: "1"}, name="a"), container({GPU: "1"}, name="b"))
    given_pod["metadata"] = {"namespace": "ml", "generateName": "p-"}
    mutation = converted(given_pod, Profile.V0_0_1, existing={("ml", "ml--b")})
    assert mutation.failure is not None
    assert [claim.name for claim in mutation.claims] == ["ml--a"]
    assert mutation.calls[-1] == "create ResourceClaim ml/ml--b -> AlreadyExists"


def test_templates_are_labelled_and_named_in_the_pod() -> None:
    mutation = converted(pod(container({GPU: "1"})), Profile.TEMPLATE)
    (claim,) = mutation.claims
    assert claim.kind == claim.raw["kind"] == "ResourceClaimTemplate"
    assert claim.raw["metadata"]["labels"] == {"hami.io/dra": "true"}
    assert list(claim.raw["spec"]) == ["metadata", "spec"]
    assert mutation.pod["spec"]["resourceClaims"] == [
        {"name": "ml-p-app-nvidia", "resourceClaimTemplateName": "ml-p-app-nvidia"}
    ]


def test_a_dry_run_asks_for_nothing_where_the_version_knows_of_it() -> None:
    given_pod = pod(container({GPU: "1"}))
    taken = {("ml", "ml-p-app-nvidia")}
    later = converted(given_pod, Profile.LATER, existing=taken, dry_run=True)
    assert (later.calls, later.patched, len(later.claims)) == ((), True, 1)
    before = converted(given_pod, Profile.V0_2_3, dry_run=True)
    assert before.calls == ("create ResourceClaim ml/ml-p-app-nvidia",)


# Bad input


@pytest.mark.parametrize(
    ("given_pod", "told"),
    [
        ({"spec": []}, "spec: expected a mapping"),
        ({"spec": {"containers": {}}}, "spec.containers: expected a list"),
        ({"spec": {"containers": ["app"]}}, "spec.containers[0]: expected a mapping"),
        (
            {"spec": {"containers": [{"resources": {"limits": []}}]}},
            "spec.containers[0].resources.limits: expected a mapping",
        ),
        ({"metadata": []}, "metadata: expected a mapping"),
        (
            pod(container({GPU: "1"}), annotations={"a": 1}),
            'metadata.annotations["a"]: expected a text',
        ),
        (pod(container({GPU: "1"}, claims={})), "spec.containers[0].resources.claims: expected a list"),
        (pod(container({GPU: "1"}), resourceClaims=["a"]), "spec.resourceClaims[0]: expected a mapping"),
        (pod({"name": 1}), "spec.containers[0].name: expected a text"),
        ({"spec": {1: "a"}}, "spec: expected texts as keys"),
        ([], "the Pod: expected a mapping"),
    ],
)
def test_what_is_no_pod_is_refused_with_the_place(given_pod: Any, told: str) -> None:
    with pytest.raises(PodError) as caught:
        converted(given_pod)
    assert str(caught.value) == told


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [1, "spec", "containers", "resources", "limits", "requests", "claims", "name", GPU]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["spec", "metadata"]), JSON), st.sampled_from(Profile))
def test_anything_is_converted_or_refused(given_pod: Any, profile: Profile) -> None:
    before = copy.deepcopy(given_pod)
    with suppress(PodError):
        mutate(given_pod, DEVICES, profile)
    assert given_pod == before


RESOURCES = [name for device in DEVICES for name in device.names()]


@given(
    st.lists(st.dictionaries(st.sampled_from(RESOURCES), st.integers(0, 10**6)), min_size=1, max_size=4),
    st.sampled_from(Profile),
)
def test_a_pod_loses_what_it_gets_claims_for_and_nothing_else(
    limits: list[dict[str, int]], profile: Profile
) -> None:
    devices = configured(VENDORS, {"hygon": {"referenceComputeUnits": 120}})
    given_pod = pod(*(container(dict(one), name=f"c{index}") for index, one in enumerate(limits)))
    mutation = mutate(given_pod, devices, profile)
    for index, one in enumerate(limits):
        of_one = [claim.device for claim in mutation.claims if claim.container_index == index]
        gone = {name for device in of_one for name in device.names()}
        left = mutation.pod["spec"]["containers"][index]["resources"].get("limits", {})
        assert set(left) == set(one) - gone
        assert all(device.count in one for device in of_one)
