from inventory.hami.surroundings import Surroundings
from inventory.hami.warnings.warning import Code, Severity
from inventory.hami.webhook.configuration import NVIDIA_DRIVER
from tests.inventory.hami.pods import codes, container, pod, pod_of, warned

GPU = {"nvidia.com/gpu": 1}


def test_nothing_is_said_of_what_nobody_has_looked_up() -> None:
    assert codes(pod(GPU)) == codes(pod(GPU), Surroundings()) == set()


def test_a_class_that_is_missing_never_fits() -> None:
    warning = warned(pod(GPU), Surroundings(classes={"other": ""}))[Code.CLASS_MISSING]

    assert (warning.severity, warning.values["class"]) == (Severity.NEVER_FITS, NVIDIA_DRIVER)


def test_a_class_may_answer_to_the_resource_as_well() -> None:
    assert codes(pod(GPU), Surroundings(classes={NVIDIA_DRIVER: ""})) == set()
    known = Surroundings(classes={NVIDIA_DRIVER: "nvidia.com/gpu"})
    assert warned(pod(GPU), known)[Code.CLASS_ANSWERS_TO_RESOURCE].severity is Severity.NOTE


def test_a_card_may_be_counted_by_hami_and_by_the_driver() -> None:
    known = Surroundings(resources=frozenset({"nvidia.com/gpu"}))
    labelled = pod(GPU)
    labelled["metadata"]["labels"] = {"hami.io/webhook": "ignore"}

    assert warned(pod(GPU), known)[Code.BOTH_WAYS].instead == "labels:\n  hami.io/webhook: ignore"
    assert codes(labelled, known) == set()


def test_without_the_gate_every_card_is_given_whole() -> None:
    assert Code.SHARING_OFF in codes(pod(GPU), Surroundings(consumable_capacity=False))
    assert codes(pod(GPU), Surroundings(consumable_capacity=True)) == set()


def test_a_quota_on_hami_s_names_counts_no_claim() -> None:
    known = Surroundings(quotas=frozenset({"limits.nvidia.com/gpumem", "requests.nvidia.com/gpu", "pods"}))
    warning = warned(pod(GPU), known)[Code.QUOTA_NOT_COUNTED]

    assert warning.values["quotas"] == "limits.nvidia.com/gpumem, requests.nvidia.com/gpu"
    assert warning.instead == (
        "hard:\n  hami-core-gpu.project-hami.io.deviceclass.resource.k8s.io/devices: <how many>"
    )


def test_what_is_true_of_a_class_is_told_once() -> None:
    one = pod_of(container(GPU), container(GPU, "side"))
    warning = warned(one, Surroundings(classes={}))[Code.CLASS_MISSING]

    assert warning.container == "app"
