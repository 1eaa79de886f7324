import json
from io import BytesIO

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from dashboard.api.throttles import OfUser
from inventory.models import Claim, Cluster, KindState, Pod
from tests.dashboard.api.asking import PATH, Asking, claim, request
from tests.dashboard.api.conftest import decoded


@pytest.fixture
def ask(api: Client, recorded_cluster: Cluster) -> Asking:
    return Asking(api)


# What is answered


def test_a_claim_that_fits_is_told_with_its_devices_and_exact_amounts(ask: Asking) -> None:
    found = ask.answer(claim=claim())
    assert (found["verdict"], found["fits_on"]) == ("fits", 2)
    first = found["fits"][0]
    (placed,) = first["placements"]
    assert (first["node"], placed["device"], placed["product"]) == (
        "gpu-node-1",
        "hami-gpu-0",
        "NVIDIA A100-SXM4-80GB",
    )
    assert placed["consumed"]["memory"] == {"quantity": "8Gi", "value": 8589934592}
    assert placed["consumed"]["cores"] == {"quantity": "10", "value": 10}


def test_the_answer_says_how_old_it_is_and_is_never_kept(ask: Asking) -> None:
    response = ask.response(claim=claim())
    body = decoded(response)
    assert response["Cache-Control"] == "no-store"
    assert response["Sliceboard-As-Of"] == body["as_of"]
    assert (body["cluster"], body["stale"]) == ("recorded", False)
    assert body["text"].startswith("ResourceClaim team-vision/asked: It fits now on 2 nodes.")


def test_a_cluster_whose_slices_were_never_read_makes_the_answer_stale(ask: Asking) -> None:
    KindState.objects.filter(kind="resourceslices").update(succeeded_at=None)
    body = decoded(ask.response(claim=claim()))
    assert (body["as_of"], body["stale"]) == (None, True)
    assert body["answers"][0]["verdict"] == "cannot_simulate"
    assert body["answers"][0]["message"] == "never read from cluster recorded: resourceslices"


def test_nothing_is_written(ask: Asking) -> None:
    before = set(Claim.objects.values_list("uid", "resource_version"))
    ask.answer(claim=claim())
    assert set(Claim.objects.values_list("uid", "resource_version")) == before


def test_a_claim_of_the_cluster_is_found_by_its_name(ask: Asking) -> None:
    found = ask.answer(namespace="team-batch", name="too-big")
    assert (found["verdict"], found["claims"]) == ("no_room", ["too-big"])
    by_check = {group["check"]: group for group in found["requests"][0]["groups"]}
    assert by_check["policy"]["need"] == {"quantity": "90Gi", "value": 96636764160}
    assert (by_check["capacity"]["subject"], by_check["capacity"]["unit"]) == ("cores", "percent")


def test_a_manifest_answers_for_each_pod_and_for_each_claim_that_no_pod_names(ask: Asking) -> None:
    response = ask.response(manifest=MANIFEST, namespace="team-vision")
    found = [(one["kind"], one["name"], one["verdict"]) for one in decoded(response)["answers"]]
    assert found == [("Deployment", "serve", "pod_rules"), ("ResourceClaim", "alone", "fits")]


def test_the_kind_says_what_has_the_name(ask: Asking) -> None:
    assert ask.answer(namespace="team-vision", name="share-c", kind="Pod")["kind"] == "Pod"
    response = ask.response(namespace="team-vision", name="share-c", kind="ResourceClaim")
    assert response.status_code == 404
    assert decoded(response)["detail"].startswith("no ResourceClaim team-vision/share-c is in cluster")


def test_a_claim_is_answered_for_the_pods_that_wait_for_it(ask: Asking) -> None:
    found = ask.answer(namespace="team-batch", name="too-big")
    assert (found["kind"], found["pods_waiting"]) == ("Pod", 1)
    assert found["pods"] == [{"name": found["name"], "verdict": "no_room", "fits_on": 0, "waiting": None}]


def test_the_words_of_an_answer_have_no_control_characters(ask: Asking) -> None:
    """Who shows them in a terminal need not look."""
    body = decoded(ask.response(claim=claim(metadata={"name": "a\x1b[2Jb"})))
    assert body["answers"][0]["name"] == "a\x1b[2Jb"
    assert body["text"].startswith("ResourceClaim default/a\ufffd[2Jb: ")


def test_the_words_are_in_the_language_that_the_request_accepts(ask: Asking) -> None:
    question = {"claim": claim()}
    headers = {"Accept-Language": "zh-Hans"}
    response = ask.client.post(PATH, question, content_type="application/json", headers=headers)
    assert response["Content-Language"] == "zh-hans"
    assert "It fits" not in decoded(response)["text"]


def test_a_claim_may_be_written_in_an_older_version(ask: Asking) -> None:
    older = {
        "apiVersion": "resource.k8s.io/v1beta1",
        "kind": "ResourceClaim",
        "metadata": {"name": "older"},
        "spec": {"devices": {"requests": [{"name": "gpu", **request()["exactly"]}]}},
    }
    assert ask.answer(claim=older)["verdict"] == "fits"


def test_a_quota_that_is_used_up_is_told_beside_the_room_that_there_is(ask: Asking) -> None:
    found = ask.answer(claim=claim(request(count=2), metadata={"name": "two", "namespace": "team-quota"}))
    assert (found["verdict"], found["wait"]["waiting"], found["wait"]["names"]) == (
        "fits",
        "quota",
        ["gpu-quota"],
    )


# What the recorded scheduler said


def test_no_answer_contradicts_what_the_scheduler_said_of_a_waiting_pod(ask: Asking) -> None:
    """An error of the scheduler is an error here, in its own words; where it found no room there is none."""
    waiting = Pod.objects.filter(node=None).exclude(scheduling_message="").select_related("namespace")
    assert len(waiting) > 10
    for pod in waiting:
        found = ask.answer(namespace=pod.namespace.name, name=pod.name)
        told = f"{pod.name}: {found['verdict']}, but {pod.scheduling_message}"
        if pod.scheduling_reason == "SchedulerError":
            assert found["verdict"] in ("selector_error", "refused"), told
            assert pod.scheduling_message.endswith(found["message"])
        elif "cannot allocate all claims" in pod.scheduling_message:
            assert found["verdict"] in ("no_room", "pod_rules", "pools"), told
        else:
            assert found["verdict"] == "nothing_to_place", told


@pytest.mark.parametrize(
    ("pod", "check"),
    [
        ("incomplete-pool", "pool"),
        ("mig-full-0", "counter"),
        ("p-over-max", "policy"),
        ("nic", "constraint"),
        ("pod-intolerant", "held"),
        ("share-c", "capacity"),
    ],
)
def test_the_nearest_miss_of_each_recorded_pod_is_what_stopped_it(ask: Asking, pod: str, check: str) -> None:
    namespace = Pod.objects.get(name=pod).namespace.name
    found = ask.answer(namespace=namespace, name=pod)
    assert found["requests"][0]["groups"][0]["check"] == check


def test_a_claim_that_is_not_there_is_waited_for_and_not_guessed(ask: Asking) -> None:
    found = ask.answer(namespace="team-batch", name="missing-claim")
    assert (found["verdict"], found["wait"]["waiting"]) == ("cannot_simulate", "claim")
    assert "does-not-exist" in found["message"]


# Who may ask


def test_a_session_may_ask_with_its_csrf_token_only(operator: User, recorded_cluster: Cluster) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(operator)
    assert Asking(client).response(claim=claim()).status_code == 403
    client.get("/api/docs/")
    headers: dict[str, str] = {"X-CSRFToken": client.cookies["csrftoken"].value}
    response = client.post(PATH, {"claim": claim()}, content_type="application/json", headers=headers)
    assert response.status_code == 200
    body = BytesIO(json.dumps({"claim": claim()}).encode())
    assert Asking(client).in_chunks(body, headers=headers).status_code == 200


@pytest.mark.django_db
def test_nobody_else_may_ask(client: Client) -> None:
    assert Asking(client).response(claim=claim()).status_code == 401


@pytest.mark.parametrize("method", ["get", "put", "patch", "delete"])
def test_it_is_asked_by_post_only(ask: Asking, method: str) -> None:
    response = getattr(ask.client, method)(PATH)
    assert (response.status_code, response["Allow"]) == (405, "POST, OPTIONS")


def test_who_asks_too_often_has_to_wait(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.clear()
    monkeypatch.setattr(OfUser, "THROTTLE_RATES", {"user": "2/minute"})
    answers = [ask.response(claim=claim()) for _ in range(3)]
    assert [one.status_code for one in answers] == [200, 200, 429]


# What it costs


def test_how_many_queries_it_takes_does_not_depend_on_the_devices(
    ask: Asking, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    ask.answer(claim=claim())
    with django_assert_num_queries(9):
        ask.answer(claim=claim())
    with django_assert_num_queries(9):
        ask.answer(claim=claim(request(deviceClassName="gpu.nvidia.com", capacity=None)))


MANIFEST = """
apiVersion: v1
kind: List
items:
- apiVersion: resource.k8s.io/v1
  kind: ResourceClaimTemplate
  metadata: {name: half}
  spec:
    spec:
      devices:
        requests:
        - name: gpu
          exactly:
            deviceClassName: hami-core-gpu.project-hami.io
            capacity: {requests: {memory: 8Gi, cores: 10}}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: serve}
  spec:
    template:
      spec:
        nodeSelector: {kubernetes.io/hostname: npu-node-1}
        containers: [{name: app}]
        resourceClaims: [{name: gpu, resourceClaimTemplateName: half}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: alone}
spec:
  devices:
    requests:
    - name: gpu
      exactly: {deviceClassName: hami-core-gpu.project-hami.io, capacity: {requests: {memory: 0.5Gi}}}
"""
