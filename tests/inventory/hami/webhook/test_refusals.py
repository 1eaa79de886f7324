import pytest

from inventory.hami.converted import Mutation, Refusal
from inventory.hami.webhook.configuration import configured
from inventory.hami.webhook.mutate import mutate
from inventory.hami.webhook.profiles import Profile
from tests.inventory.hami.webhook.pods import container, converted, pod

GPU, MEMORY = "nvidia.com/gpu", "nvidia.com/gpumem"
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start "
    "and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


def refused(mutation: Mutation, kind: str) -> list[str]:
    return [
        reason
        for refusal in mutation.refusals
        if refusal.object.startswith(f"{kind} ")
        for reason in refusal.reasons
    ]


def test_a_count_below_one_is_refused_and_none_is_not() -> None:
    count = "spec.devices.requests[0].exactly.count"
    mutation = converted(pod(container({GPU: "-1"})))
    assert mutation.refusals == (
        Refusal(
            "ResourceClaim ml/ml-p-app-nvidia", (f"{count}: Invalid value: -1: must be greater than zero",)
        ),
    )
    assert refused(converted(pod(container({GPU: "9223372036854775808"}))), "ResourceClaim") == [
        f"{count}: Invalid value: -9223372036854775808: must be greater than zero"
    ]
    assert converted(pod(container({GPU: "0"}))).refusals == ()


def test_what_nobody_here_can_compile_is_not_called_refused() -> None:
    devices = configured(
        ["nvidia"], {"nvidia": {"draDriverName": 'x"].y == ip("10.0.0.1") && device.attributes["x'}}
    )
    assert not mutate(pod(container({GPU: "1"})), devices, Profile.V0_2_3).refusals


def test_negative_amounts_are_not_refused() -> None:
    limits = {GPU: "1", MEMORY: "8796093022208", "nvidia.com/gpucores": "-5"}
    assert converted(pod(container(limits))).refusals == ()


def test_an_expression_may_have_10_kibibytes() -> None:
    annotations = {"nvidia.com/use-gpuuuid": ",".join(f"GPU-{index:036}" for index in range(300))}
    assert refused(converted(pod(container({GPU: "1"}), annotations=annotations)), "ResourceClaim") == [
        "spec.devices.requests[0].exactly.selectors[1].cel.expression: "
        "Too long: may not be more than 10240 bytes"
    ]


def test_a_driver_with_a_quote_gives_no_expression() -> None:
    devices = configured(["nvidia"], {"nvidia": {"draDriverName": 'drv"quote'}})
    mutation = mutate(pod(container({GPU: "1"})), devices, Profile.V0_2_3)
    assert refused(mutation, "ResourceClaim") == [
        "spec.devices.requests[0].exactly.selectors[0].cel.expression: Invalid value: "
        r'"device.attributes[\"drv\"quote\"].type == \"hami-gpu\"": compilation failed: '
        "ERROR: <input>:1:24: Syntax error: mismatched input 'quote' expecting ']'\n"
        ' | device.attributes["drv"quote"].type == "hami-gpu"\n'
        " | .......................^\n"
        "ERROR: <input>:1:49: Syntax error: token recognition error at: '\"'\n"
        ' | device.attributes["drv"quote"].type == "hami-gpu"\n'
        " | ................................................^"
    ]


def test_names_from_the_configuration_are_checked() -> None:
    devices = configured(
        ["ascend"],
        {
            "ascend": {
                "requestName": "My-NPU",
                "deviceClassName": "a_b",
                "devices": [{"commonWord": "Custom_Chip", "resourceName": "acme.com/npu"}],
            }
        },
    )
    mutation = mutate(pod(container({"acme.com/npu": "1"})), devices, Profile.TEMPLATE)
    request = "spec.spec.devices.requests[0]"
    assert refused(mutation, "ResourceClaimTemplate") == [
        f'metadata.name: Invalid value: "ml-p-app-custom_chip": {SUBDOMAIN}',
        f'{request}.name: Invalid value: "My-NPU": {LABEL}',
        f'{request}.exactly.deviceClassName: Invalid value: "a_b": {SUBDOMAIN}',
    ]


def test_a_pod_whose_claim_is_refused_never_gets_there() -> None:
    mutation = converted(pod(container({GPU: "-1"}), name="job.v2"))
    assert refused(mutation, "ResourceClaim")
    assert not refused(mutation, "Pod")


def test_a_dot_in_the_name_of_the_pod_is_for_a_claim_but_not_for_its_name_in_the_pod() -> None:
    mutation = converted(pod(container({GPU: "1"}), name="job.v2"))
    assert mutation.refusals == (
        Refusal(
            "Pod ml/job.v2",
            ('spec.resourceClaims[0].name: Invalid value: "ml-job.v2-app-nvidia": must not contain dots',),
        ),
    )


def test_a_dot_at_the_cut_spoils_the_name_of_the_claim_too() -> None:
    mutation = converted(pod(container({GPU: "1"}), name="a" * 50 + "." + "b" * 20))
    (name,) = [claim.name for claim in mutation.claims]
    assert refused(mutation, "ResourceClaim") == [f'metadata.name: Invalid value: "{name}": {SUBDOMAIN}']


def test_a_placeholder_is_a_valid_part_of_a_name() -> None:
    given_pod = pod(container({GPU: "1"}, name="c" * 60))
    given_pod["metadata"] = {"namespace": "ml", "generateName": "p-"}
    assert converted(given_pod).refusals == ()


def test_a_pod_without_a_namespace_gets_a_claim_that_nobody_takes() -> None:
    given_pod = pod(container({GPU: "1"}))
    del given_pod["metadata"]["namespace"]
    assert refused(converted(given_pod), "ResourceClaim") == [
        f'metadata.name: Invalid value: "-p-app-nvidia": {SUBDOMAIN}',
        "metadata.namespace: Required value",
    ]


@pytest.mark.parametrize(
    ("limits", "requests", "reasons"),
    [
        ({}, {GPU: "1"}, ["limits: Required value: Limit must be set for non overcommitable resources"]),
        (
            {MEMORY: "2"},
            {MEMORY: "1"},
            [f'requests: Invalid value: "1": must be equal to {MEMORY} limit of 2'],
        ),
        ({MEMORY: "1k"}, {MEMORY: "1000"}, []),
        (
            {"cpu": "0.5"},
            {"cpu": "1"},
            ['requests: Invalid value: "1": must be less than or equal to cpu limit of 500m'],
        ),
        ({"cpu": "2"}, {"cpu": "1"}, []),
        (
            {MEMORY: "1.23456789"},
            {},
            [
                f'limits[{MEMORY}]: Invalid value: "1235m": must be an integer',
                f'requests[{MEMORY}]: Invalid value: "1235m": must be an integer',
            ],
        ),
        (
            {"cpu": "-1500m"},
            {},
            [
                'limits[cpu]: Invalid value: "-1500m": must be greater than or equal to 0',
                'requests[cpu]: Invalid value: "-1500m": must be greater than or equal to 0',
            ],
        ),
        # A whole number that does not fit into an int64 as thousandths.
        (
            {},
            {"example.com/a": "92233720368547758"},
            [
                'requests[example.com/a]: Invalid value: "92233720368547758": must be an integer',
                "limits: Required value: Limit must be set for non overcommitable resources",
            ],
        ),
        (
            {},
            {"gpus": "1"},
            [
                'requests[gpus]: Invalid value: "gpus": must be a standard resource type or fully qualified',
                'requests[gpus]: Invalid value: "gpus": must be a standard resource for containers',
            ],
        ),
        (
            {},
            {"storage": "1"},
            ['requests[storage]: Invalid value: "storage": must be a standard resource for containers'],
        ),
        (
            {},
            {"hugepages-2Mi": "2Mi"},
            ["limits: Required value: Limit must be set for non overcommitable resources"],
        ),
        (
            {},
            {f"{'a' * 250}/x": "1"},
            [
                f'requests[{"a" * 250}/x]: Invalid value: "{"a" * 250}/x": '
                "doesn't follow extended resource name standard",
                "limits: Required value: Limit must be set for non overcommitable resources",
            ],
        ),
    ],
)
def test_resources_are_checked_as_they_are_left(
    limits: dict[str, str], requests: dict[str, str], reasons: list[str]
) -> None:
    mutation = converted(pod(container(limits, requests=requests)))
    assert refused(mutation, "Pod") == [f"spec.containers[0].resources.{reason}" for reason in reasons]


def test_all_kinds_of_containers_are_checked() -> None:
    half = {GPU: "500m"}
    mutation = converted(
        pod(
            container({MEMORY: "500m"}),
            initContainers=[container(half, name="init")],
            ephemeralContainers=[container(half, name="debug")],
        )
    )
    invalid = 'Invalid value: "500m": must be an integer'
    assert refused(mutation, "Pod") == [
        f"spec.containers[0].resources.limits[{MEMORY}]: {invalid}",
        f"spec.containers[0].resources.requests[{MEMORY}]: {invalid}",
        f"spec.initContainers[0].resources.limits[{GPU}]: {invalid}",
        f"spec.initContainers[0].resources.requests[{GPU}]: {invalid}",
        f"spec.ephemeralContainers[0].resources.limits[{GPU}]: {invalid}",
        "spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container",
        "spec.ephemeralContainers: Forbidden: cannot be set on create",
    ]


def test_a_pod_as_a_whole_asks_for_no_cards() -> None:
    mutation = converted(pod(container({"cpu": "1"}), resources={"limits": {GPU: "1"}}))
    assert refused(mutation, "Pod") == [
        'spec.resources.limits[nvidia.com/gpu]: Unsupported value: "nvidia.com/gpu": '
        'supported values: "cpu", "hugepages-", "memory"'
    ]


def test_it_may_ask_for_memory_and_processors() -> None:
    resources = {"limits": {"cpu": "1", "memory": "1Gi", "hugepages-2Mi": "2Mi"}}
    mutation = converted(
        pod(container({"cpu": "1"}), resources={**resources, "requests": {"hugepages-2Mi": "2Mi"}})
    )
    assert not mutation.refusals
    assert refused(converted(pod(container(), resources={"limits": {"a b": "1"}})), "Pod")


def test_a_claim_is_named_once_and_is_there() -> None:
    mutation = converted(
        pod(
            container({GPU: "1"}, claims=[{"name": "ml-p-app-nvidia"}, {"name": "nic"}, {}]),
            resourceClaims=[
                {"name": "ml-p-app-nvidia", "resourceClaimName": "x"},
                {"resourceClaimName": "y", "resourceClaimTemplateName": "z"},
                {"name": "none"},
            ],
        )
    )
    claims = "spec.containers[0].resources.claims"
    assert refused(mutation, "Pod") == [
        "spec.resourceClaims[1].name: Required value",
        "spec.resourceClaims[1]: Invalid value: "
        '{"Name":"","ResourceClaimName":"y","ResourceClaimTemplateName":"z"}: '
        "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
        "spec.resourceClaims[2]: Invalid value: "
        '{"Name":"none","ResourceClaimName":null,"ResourceClaimTemplateName":null}: '
        "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
        'spec.resourceClaims[3].name: Duplicate value: "ml-p-app-nvidia"',
        f'{claims}[1]: Not found: "nic": must be one of the names in pod.spec.resourceClaims: '
        "ml-p-app-nvidia, none",
        f"{claims}[2]: Required value",
        f'{claims}[3]: Duplicate value: "ml-p-app-nvidia"',
    ]


def test_requests_of_one_claim_may_be_named_each_once() -> None:
    uses = [{"name": "nic", "request": request} for request in ("a", "b", "a", "B")]
    mutation = converted(
        pod(
            container(claims=[*uses, {"name": "nic"}]),
            resourceClaims=[{"name": "nic", "resourceClaimName": "nic"}],
        )
    )
    claims = "spec.containers[0].resources.claims"
    assert refused(mutation, "Pod") == [
        f'{claims}[2]: Duplicate value: "nic/a"',
        f'{claims}[3].request: Invalid value: "B": {LABEL}',
        *[f'{claims}[4]: Duplicate value: "nic"'] * 3,
    ]


def test_a_pod_has_a_name_and_containers_with_names_and_images() -> None:
    assert refused(converted({"metadata": {}, "spec": {}}), "Pod") == [
        "metadata.name: Required value: name or generateName is required",
        "spec.containers: Required value",
    ]
    mutation = converted(pod({"image": "a:1"}, {"name": "b"}, container(name="b"), name="P"))
    assert refused(mutation, "Pod") == [
        f'metadata.name: Invalid value: "P": {SUBDOMAIN}',
        "spec.containers[0].name: Required value",
        "spec.containers[1].image: Required value",
        'spec.containers[2].name: Duplicate value: "b"',
    ]


def test_several_reasons_are_told_as_kubernetes_tells_them() -> None:
    assert Refusal("Pod ml/p", ("a",)).message == "a"
    assert Refusal("Pod ml/p", ("a", "b", "a")).message == "[a, b]"
