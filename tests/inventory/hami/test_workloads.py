from collections.abc import Mapping
from typing import Any

import pytest

from inventory.dra.simulator.claims import claim
from inventory.hami.differences import Mark, difference
from inventory.hami.webhook.reading import PodError
from inventory.hami.wording import REMARKS
from inventory.hami.workloads import Note, Workload, workload
from inventory.kube.objects import Raw
from tests.inventory.hami.pods import DEVICES, container, pod, pod_of

GPU = {"nvidia.com/gpu": 1, "nvidia.com/gpumem": 8192, "nvidia.com/gpucores": 30}
USE = {"metadata": {"annotations": {"nvidia.com/use-gputype": "Tesla T4"}}}


def of_kind(kind: str, api_version: str, *containers: Raw, name: str = "web", **fields: Any) -> Raw:
    template = {**USE, "spec": {"containers": [*(containers or (container(GPU),))]}}
    spec = {"replicas": 2, "template": template}
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "spec": spec, **fields}


def cron_job() -> Raw:
    job = of_kind("Job", "batch/v1")["spec"]
    spec = {"schedule": "@daily", "jobTemplate": {"spec": job}}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "web"}, "spec": spec}


def volcano(*tasks: Mapping[str, Any], name: str = "train") -> Raw:
    spec = {"minAvailable": 1, "tasks": [*tasks]}
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": spec,
    }


def task(name: str, annotations: Mapping[str, str] | None = None) -> Raw:
    template: Raw = {"spec": {"containers": [container(GPU)]}}
    return {
        "name": name,
        "replicas": 2,
        "template": {"metadata": {"annotations": dict(annotations or {})}, **template},
    }


def converted(document: Raw, **options: Any) -> Workload:
    return workload(document, DEVICES, **options)


def notes(found: Workload) -> list[Note]:
    return [remark.note for remark in found.remarks]


@pytest.mark.parametrize(
    ("document", "path"),
    [
        (of_kind("Deployment", "apps/v1"), "spec.template"),
        (of_kind("StatefulSet", "apps/v1"), "spec.template"),
        (of_kind("DaemonSet", "apps/v1"), "spec.template"),
        (of_kind("ReplicaSet", "apps/v1"), "spec.template"),
        (of_kind("ReplicationController", "v1"), "spec.template"),
        (of_kind("Job", "batch/v1"), "spec.template"),
        (cron_job(), "spec.jobTemplate.spec.template"),
    ],
)
def test_a_workload_s_pods_use_a_template(document: Raw, path: str) -> None:
    found = converted(document)
    (template,) = found.templates
    (part,) = found.parts

    assert template["metadata"] == {"name": "web-app-nvidia"}
    assert claim("ml", "c", template["spec"]["spec"]).requests[0][0].name == "gpu"
    assert part.path == path
    inner: Any = found.raw
    for key in path.split("."):
        inner = inner[key]
    assert inner["metadata"] == USE["metadata"]
    assert inner["spec"]["resourceClaims"] == [
        {"name": "app-nvidia", "resourceClaimTemplateName": "web-app-nvidia"}
    ]
    assert inner["spec"]["containers"][0]["resources"] == {"claims": [{"name": "app-nvidia"}]}


def test_the_annotations_of_the_template_choose_the_cards() -> None:
    (template,) = converted(of_kind("Deployment", "apps/v1")).templates
    (request,) = template["spec"]["spec"]["devices"]["requests"]

    assert request["exactly"]["selectors"][1]["cel"]["expression"].endswith('.productName in ["Tesla T4"]')


def test_a_bare_pod_is_its_own_workload() -> None:
    found = converted(pod(GPU))
    (template,) = found.templates

    assert template["metadata"] == {"name": "p-app-nvidia", "namespace": "ml"}
    assert found.raw["spec"]["resourceClaims"][0]["resourceClaimTemplateName"] == "p-app-nvidia"
    assert notes(found) == [Note.MADE_ANEW]
    assert found.manifests() == (template, found.raw)


def test_what_is_written_stays_as_it_is_written() -> None:
    one = of_kind("Deployment", "apps/v1", container({**GPU, "cpu": "0.5", "memory": "1024Mi"}))
    (hunk, *_) = difference("Deployment web", one, converted(one).raw).hunks

    assert {line.text.strip() for line in hunk.lines if line.mark is Mark.REMOVED} == {
        "nvidia.com/gpu: 1",
        "nvidia.com/gpumem: 8192",
        "nvidia.com/gpucores: 30",
    }


def test_the_label_of_the_webhook_is_left_out() -> None:
    found = converted(of_kind("Deployment", "apps/v1"))

    assert "hami.io/dra" not in str(found.raw)
    assert "hami.io/dra" not in str(found.templates)


@pytest.mark.parametrize("name", ["web.v1", "w" * 200, "web-" + "x" * 70])
def test_names_hold_whatever_the_workload_is_called(name: str) -> None:
    found = converted(of_kind("Deployment", "apps/v1", name=name))
    (template,) = found.templates

    assert len(template["metadata"]["name"]) <= 63
    assert "." not in template["metadata"]["name"]
    assert found.parts[0].mutation.refusals == ()


def test_names_taken_in_the_namespace_are_not_used() -> None:
    (template,) = converted(of_kind("Deployment", "apps/v1"), taken={"web-app-nvidia"}).templates

    assert template["metadata"]["name"] != "web-app-nvidia"


def test_each_container_and_each_kind_of_card_has_its_template() -> None:
    one = of_kind("Deployment", "apps/v1", container({**GPU, "hygon.com/hcunum": 1}), container(GPU, "side"))

    assert [template["metadata"]["name"] for template in converted(one).templates] == [
        "web-app-nvidia",
        "web-app-hygon",
        "web-side-nvidia",
    ]


def test_a_volcano_job_has_a_template_for_each_task() -> None:
    found = converted(volcano(task("ps"), {"name": "odd", "template": 1}, task("worker")))

    assert [template["metadata"]["name"] for template in found.templates] == [
        "train-ps-app-nvidia",
        "train-worker-app-nvidia",
    ]
    assert [(part.path, part.task) for part in found.parts] == [
        ("spec.tasks[0].template", "ps"),
        ("spec.tasks[2].template", "worker"),
    ]
    assert found.raw["spec"]["tasks"][1] == {"name": "odd", "template": 1}
    assert [remark.text for remark in found.remarks if remark.note is Note.VOLCANO_NAME] == [
        "ml-ps-app-nvidia",
        "ml-worker-app-nvidia",
    ]
    assert [remark.field for remark in found.remarks if remark.note is Note.NO_POD] == [
        "spec.tasks[1].template"
    ]


def test_two_volcano_jobs_do_not_collide() -> None:
    first, second = (converted(volcano(task("ps"), name=name)) for name in ("train", "tune"))

    assert first.templates[0]["metadata"]["name"] != second.templates[0]["metadata"]["name"]


def test_the_annotations_of_a_volcano_task_are_converted_here() -> None:
    found = converted(volcano(task("ps", {"nvidia.com/use-gputype": "Tesla T4", "other": "x"})))

    assert [remark.text for remark in found.remarks if remark.note is Note.VOLCANO_ANNOTATIONS] == [
        "nvidia.com/use-gputype"
    ]
    assert "Tesla T4" in str(found.templates)


def test_a_kind_that_is_not_known_is_passed_on_with_a_note() -> None:
    train = {"kind": "PyTorchJob", "apiVersion": "kubeflow.org/v1", "spec": {"replicas": [{"limits": GPU}]}}
    found = converted(train)

    assert found.raw == train
    assert (found.remarks[0].note, found.remarks[0].field) == (Note.UNKNOWN_KIND, "spec.replicas[0].limits")


def test_what_asks_for_no_card_is_passed_on() -> None:
    service = {"apiVersion": "v1", "kind": "Service", "spec": {"ports": []}}
    without = of_kind("Deployment", "apps/v1", container({"cpu": 1}))

    assert notes(converted(service)) == notes(converted(without)) == [Note.NOTHING_TO_CONVERT]
    assert converted(without).raw == without


@pytest.mark.parametrize("spec", [None, [], {}, {"template": 1}, {"template": {"spec": []}}])
def test_a_workload_without_a_pod_is_passed_on(spec: Any) -> None:
    one = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}

    assert notes(converted(one)) == [Note.NO_POD]


@pytest.mark.parametrize("tasks", [None, {}, "x"])
def test_a_volcano_job_without_tasks_is_passed_on(tasks: Any) -> None:
    one = {**volcano(), "spec": {"tasks": tasks}}
    found = converted(one)

    assert notes(found) == [Note.NO_POD]
    assert found.raw == one


def test_a_pod_that_the_webhook_denies_stays_as_it_is() -> None:
    one = of_kind("Deployment", "apps/v1")
    one["spec"]["template"]["metadata"] = {"annotations": {"nvidia.com/use-gputype": ""}}
    found = converted(one)

    assert found.raw == one
    assert found.remarks == ()
    assert found.parts[0].mutation.failure is not None


def test_a_malformed_pod_is_an_error_with_its_place() -> None:
    one = of_kind("Deployment", "apps/v1")
    one["spec"]["template"]["spec"]["containers"] = {}

    with pytest.raises(PodError, match=r"spec\.template\.spec\.containers: expected a list"):
        converted(one)


def test_a_job_of_a_cluster_is_made_anew_and_its_owner_told() -> None:
    one = of_kind("Job", "batch/v1", status={"active": 1})
    owner = {"kind": "CronJob", "name": "nightly", "controller": True}
    one["metadata"] |= {"uid": "1", "ownerReferences": [owner]}
    found = converted(one)

    assert notes(found) == [Note.OWNED, Note.MADE_ANEW]
    assert found.remarks[0].text == "CronJob nightly"
    assert "status" not in found.raw
    assert found.raw["metadata"] == {"name": "web"}


def test_requests_go_with_their_limits() -> None:
    resources = {"limits": dict(GPU), "requests": {"nvidia.com/gpu": 1, "cpu": 1}}
    found = converted(pod_of({"name": "app", "resources": resources}))

    assert found.raw["spec"]["containers"][0]["resources"] == {
        "requests": {"cpu": 1},
        "claims": [{"name": "app-nvidia"}],
    }


def test_proposals_are_put_in_when_they_are_wanted() -> None:
    one = of_kind("Deployment", "apps/v1", container({**GPU, "amd.com/gpu": 1}))

    assert len(converted(one).templates) == 1
    assert converted(one).parts[0].proposals.claims
    found = converted(one, propose=True)
    assert [template["metadata"]["name"] for template in found.templates] == ["web-app-nvidia", "web-app-amd"]
    assert "limits" not in found.raw["spec"]["template"]["spec"]["containers"][0]["resources"]


def test_every_note_has_its_text() -> None:
    assert set(REMARKS) == set(Note)
