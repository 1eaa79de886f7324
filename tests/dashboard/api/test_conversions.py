"""`POST /api/v1/conversions/`: what HAMi's Pods become."""

import json
from io import BytesIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from inventory.models import Claim, Cluster, ConversionPreview, Pod
from tests.dashboard.api.asking import faults
from tests.dashboard.api.conftest import decoded
from tests.factories import make_namespace, make_pod

PATH = "/api/v1/conversions/"
SEED = """
apiVersion: v1
kind: Pod
metadata:
  name: ascend-share-a
  namespace: team-vision
  annotations:
    hami.io/use-Ascend310P-uuid: uuid-of-card-0
spec:
  runtimeClassName: ascend
  containers:
  - name: app
    image: registry.example/app:1
    resources:
      limits:
        huawei.com/Ascend310P: 1
        huawei.com/Ascend310P-memory: 8192
        huawei.com/Ascend310P-core: 50
"""
NVIDIA = """
apiVersion: v1
kind: Pod
metadata:
  name: embed-0
  annotations: {nvidia.com/use-gpuuuid: a-uuid}
spec:
  containers:
  - name: app
    resources:
      limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 4096, nvidia.com/gpucores: 10}
"""


def asked(api: Client, **question: Any) -> Any:
    return api.post(PATH, question, content_type="application/json")


def answered(api: Client, **question: Any) -> Any:
    response = asked(api, **question)
    assert response.status_code == 200, response.content
    return decoded(response)


def test_the_claim_is_told_with_the_origin_of_each_of_its_fields(api: Client) -> None:
    body = answered(api, manifest=SEED)
    (found,) = body["result"]["conversions"]
    (pod,) = found["pods"]
    (claim,) = pod["claims"]
    assert claim["name"] == "team-vision-ascend-share-a-app-ascend310p"
    (request,) = claim["manifest"]["spec"]["devices"]["requests"]
    assert request["exactly"]["capacity"] == {"requests": {"cores": "50", "memory": "8589934592"}}
    assert request["exactly"]["selectors"][1] == {
        "cel": {"expression": 'device.attributes["ascend.project-hami.io"].uuid in ["uuid-of-card-0"]'}
    }
    origin = next(one for one in claim["origins"] if one["field"].endswith("requests.memory"))
    assert (origin["value"], origin["given"], origin["rule"]) == ("8589934592", "8192", "mib_to_bytes")
    assert origin["source"] == 'spec.containers[0].resources.limits["huawei.com/Ascend310P-memory"]'
    assert '+    hami.io/dra: "true"\n' in pod["difference"]["text"]


def test_without_a_cluster_nothing_is_said_of_where_it_fits(api: Client) -> None:
    body = answered(api, manifest=SEED)
    (pod,) = body["result"]["conversions"][0]["pods"]
    assert (pod["searched"], pod["fit"]) == ("no_cluster", None)
    assert (body["as_of"], body["stale"], body["result"]["summary"]["fit_unknown"]) == (None, None, None)


def test_a_cluster_says_where_it_would_fit_and_how_old_that_is(
    api: Client, recorded_cluster: Cluster
) -> None:
    manifest = NVIDIA.replace("a-uuid", "none-has-this")
    body = answered(api, manifest=manifest, cluster=recorded_cluster.name)
    (pod,) = body["result"]["conversions"][0]["pods"]
    assert (pod["searched"], pod["fit"]["verdict"]) == ("yes", "no_room")
    assert body["result"]["summary"]["not_fitting"] == 1
    assert body["as_of"] is not None
    assert "uuid-unknown" in {one["code"] for one in pod["warnings"]}


def test_nothing_is_written_but_for_pods_of_a_cluster_who_asked(
    api: Client, operator: User, recorded_cluster: Cluster
) -> None:
    claims = set(Claim.objects.values_list("uid", "resource_version"))
    answered(api, manifest=SEED, cluster=recorded_cluster.name)
    assert not ConversionPreview.objects.exists()
    pod = make_classic_pod(recorded_cluster)
    body = answered(api, cluster=recorded_cluster.name, pods=[{"namespace": "team-a", "name": pod.name}])
    (found,) = body["result"]["conversions"]
    assert (found["name"], found["pods"][0]["partial"]) == (pod.name, True)
    preview = ConversionPreview.objects.get()
    assert (preview.user, preview.username) == (operator, "operator")
    assert preview.pods == [[recorded_cluster.name, "team-a", pod.name, pod.uid]]
    assert set(Claim.objects.values_list("uid", "resource_version")) == claims


def make_classic_pod(cluster: Cluster) -> Pod:
    limits = {"nvidia.com/gpu": "1", "nvidia.com/gpumem": "4096"}
    manifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"namespace": "team-a", "name": "classic"},
        "spec": {"containers": [{"name": "app", "resources": {"limits": limits}}]},
    }
    namespace = make_namespace("team-a", cluster=cluster)
    return make_pod("classic", namespace=namespace, hami_manifest=manifest)


def test_a_pod_that_is_not_there_is_a_404_that_names_it_and_nothing_is_recorded(
    api: Client, recorded_cluster: Cluster
) -> None:
    response = asked(api, cluster=recorded_cluster.name, pods=[{"namespace": "x", "name": "gone"}])
    assert response.status_code == 404
    assert "x/gone" in decoded(response)["detail"]
    assert not ConversionPreview.objects.exists()


def test_the_good_documents_of_a_text_are_converted_and_the_others_named(api: Client) -> None:
    text = f"{SEED}---\nkind: [\n---\n- no\n- object\n---\n{SEED.replace('share-a', 'share-b')}"
    result = answered(api, manifest=text)["result"]
    assert [one["name"] for one in result["conversions"]] == ["ascend-share-a", "ascend-share-b"]
    assert [(one["document"], one["line"]) for one in result["unreadable"]] == [(2, 21), (3, 21)]
    assert (result["summary"]["objects"], result["summary"]["unreadable"]) == (4, 2)


@pytest.mark.parametrize(
    ("question", "field", "told"),
    [
        ({}, "", "expected one of manifest and pods"),
        ({"manifest": "a", "pods": []}, "", "expected one of manifest and pods"),
        ({"manifest": "a", "profile": "9"}, "profile", "there is no profile 9"),
        ({"manifest": "a", "vendors": ["metax"]}, "vendors", 'unsupported device vendor "metax"'),
        ({"manifest": "a", "config": "vendor: nvidia"}, "config", "config field vendor was removed"),
        ({"manifest": "a", "config": "a: ["}, "config", "line"),
        ({"manifest": "a", "cluster": "nowhere"}, "cluster", "there is no cluster nowhere"),
        ({"manifest": "a", "namespace": "a\x00b"}, "namespace", "expected a name"),
        ({"pods": [{"namespace": "a", "name": "b"}]}, "cluster", "expected the cluster"),
        ({"pods": [], "cluster": "lab"}, "pods", "expected 1 to 1000"),
        ({"manifest": "x" * 1_100_000}, "manifest", "longer than 1024 KiB"),
    ],
)
def test_a_question_that_cannot_be_answered_says_why(
    api: Client, question: dict[str, Any], field: str, told: str
) -> None:
    assert told in faults(asked(api, **question))[field]


def test_nobody_asks_without_signing_in(client: Client, db: None) -> None:
    assert asked(client, manifest=SEED).status_code == 401


def test_a_body_in_chunks_is_read_where_the_server_ends_it(api: Client) -> None:
    body = json.dumps({"manifest": SEED}).encode()

    def in_chunks(*, ended: bool) -> Any:
        environ: dict[str, Any] = {
            "wsgi.input": BytesIO(body),
            "wsgi.input_terminated": ended,
            "HTTP_TRANSFER_ENCODING": "chunked",
            "CONTENT_TYPE": "application/json",
        }
        return api.generic("POST", PATH, **environ)

    assert decoded(in_chunks(ended=True))["result"]["summary"]["objects"] == 1
    assert in_chunks(ended=False).status_code == 411
