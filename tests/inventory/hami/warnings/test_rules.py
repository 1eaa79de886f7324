from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inventory.hami.surroundings import Surroundings, by_driver
from inventory.hami.warnings.corrections import corrected
from inventory.hami.warnings.rules import warnings
from inventory.hami.warnings.warning import Severity
from inventory.hami.webhook.mutate import mutate
from inventory.hami.webhook.profiles import Profile
from inventory.hami.webhook.reading import PodError
from inventory.hami.workloads import workload
from tests.inventory.hami.pods import A100, DEVICES, pod, warned

KEYS = st.sampled_from(
    [
        *(
            "metadata",
            "spec",
            "template",
            "tasks",
            "containers",
            "initContainers",
            "resources",
            "limits",
            "requests",
        ),
        *(
            "claims",
            "resourceClaims",
            "annotations",
            "labels",
            "name",
            "namespace",
            "nodeName",
            "ownerReferences",
        ),
        *("nvidia.com/gpu", "nvidia.com/gpumem", "nvidia.com/gpumem-percentage", "huawei.com/Ascend310P"),
        *("amd.com/gpu", "nvidia.com/use-gputype", "uid", "volumes", "status"),
    ]
)
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from(["1", "16Gi", "-1"])
)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=15,
)
KINDS = st.sampled_from(
    [
        ("v1", "Pod"),
        ("v1", "Service"),
        ("apps/v1", "Deployment"),
        ("batch/v1", "CronJob"),
        ("batch.volcano.sh/v1alpha1", "Job"),
    ]
)


def shaped(anything: Any) -> Any:
    """Where a Pod has limits, whatever else it has."""
    return {"metadata": anything, "spec": {"containers": [{"name": "app", "resources": anything}, anything]}}


def test_the_gravest_comes_first() -> None:
    one = pod({"nvidia.com/gpu": 40, "nvidia.com/gpumem": 1}, nodeName="n1", schedulerName="other")

    assert [warning.severity for warning in warned(one).values()] == [
        Severity.NEVER_FITS,
        Severity.NEVER_FITS,
        Severity.DIFFERS,
        Severity.NOTE,
    ]


@given(ANYTHING, st.sampled_from(Profile))
def test_a_pod_of_any_shape_is_refused_or_told(anything: Any, profile: Profile) -> None:
    for one in (shaped(anything), {"metadata": {}, "spec": anything}):
        try:
            mutation = mutate(one, DEVICES, profile)
        except PodError:
            continue
        found = warnings(one, mutation, DEVICES, profile, Surroundings(cards=by_driver((A100,)), classes={}))
        corrected(one, found)


@given(ANYTHING, KINDS)
def test_a_workload_of_any_shape_is_refused_or_converted(anything: Any, kind: tuple[str, str]) -> None:
    head = {"apiVersion": kind[0], "kind": kind[1]}
    for body in (
        {"metadata": anything, "spec": anything},
        shaped(anything),
        {"spec": {"template": shaped(anything), "tasks": [{"template": shaped(anything)}, anything]}},
    ):
        try:
            found = workload({**head, **body}, DEVICES, propose=True)
        except PodError:
            continue
        assert len(found.manifests()) == len(found.templates) + 1
