"""The demo server answers as the real one did."""

import json

import pytest

from tests.demo.asking import CAPTURES, CLAIMS, PODS, SLICES, ask, captured, captured_refusal, watching

RECORDED = CAPTURES.parents[2] / "demo" / "recorded"
LIST_PATHS = {
    "deviceclasses": "/apis/resource.k8s.io/v1/deviceclasses",
    "devicetaintrules": "/apis/resource.k8s.io/v1beta2/devicetaintrules",
    "events": "/api/v1/events",
    "namespaces": "/api/v1/namespaces",
    "nodes": "/api/v1/nodes",
    "podgroups": "/apis/scheduling.k8s.io/v1alpha2/podgroups",
    "pods": PODS,
    "resourceclaims": CLAIMS,
    "resourceclaimtemplates": "/apis/resource.k8s.io/v1/resourceclaimtemplates",
    "resourcepoolstatusrequests": "/apis/resource.k8s.io/v1alpha3/resourcepoolstatusrequests",
    "resourcequotas": "/api/v1/resourcequotas",
    "resourceslices": SLICES,
    "workloads": "/apis/scheduling.k8s.io/v1alpha2/workloads",
}


@pytest.mark.parametrize("kind", sorted(LIST_PATHS))
def test_a_recorded_list_is_served_as_recorded(recorded_url: str, kind: str) -> None:
    assert ask(recorded_url, LIST_PATHS[kind]).json == json.loads((RECORDED / f"{kind}.json").read_text())


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/apis/resource.k8s.io", "apigroup.resource.k8s.io.json"),
        ("/apis/resource.k8s.io/v1", "apiresources.resource.k8s.io.json"),
        ("/version", "version.json"),
        ("/apis/resource.k8s.io/v1beta1/resourceclaims", "resourceclaims.v1beta1.json"),
        ("/apis/resource.k8s.io/v1beta2/resourceclaims", "resourceclaims.v1beta2.json"),
        ("/apis/resource.k8s.io/v1beta1/resourceslices", "resourceslices.v1beta1.json"),
    ],
)
def test_discovery_and_older_versions_equal_the_capture(recorded_url: str, path: str, name: str) -> None:
    assert ask(recorded_url, path).json == captured(name)


def test_metadata_only_lists_equal_the_capture(recorded_url: str) -> None:
    accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
    assert ask(recorded_url, CLAIMS, {"Accept": accept}).json == captured("resourceclaims.partialmeta.json")


def test_the_table_of_claims_equals_the_capture_but_for_the_age(recorded_url: str) -> None:
    accept = "application/json;as=Table;g=meta.k8s.io;v=v1"
    table = ask(recorded_url, CLAIMS, {"Accept": accept}).json
    expected = captured("resourceclaims.table.json")
    for row in (*table["rows"], *expected["rows"]):
        row["cells"].pop()
    assert table == expected


def test_a_form_that_is_not_served_is_not_acceptable(recorded_url: str) -> None:
    accept = "application/json;as=Table;g=meta.k8s.io;v=v1"
    assert ask(recorded_url, PODS, {"Accept": accept}).status == 406
    assert ask(recorded_url, PODS, {"Accept": f"{accept},application/json"}).status == 200
    assert ask(recorded_url, PODS, {"Accept": "application/vnd.kubernetes.protobuf"}).status == 406


def test_the_first_chunk_holds_the_captured_items(recorded_url: str) -> None:
    answered = ask(recorded_url, CLAIMS, limit=5)
    expected = (CAPTURES / "list-limit5.txt").read_text()
    for item in answered.json["items"]:
        assert f'"uid":"{item["metadata"]["uid"]}"' in expected
    assert answered.json["metadata"]["remainingItemCount"] == 63
    token = answered.json["metadata"]["continue"]
    assert f'"continue":"{token}"'[:40] == expected[expected.index('"continue"') :][:40]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ({"continue": "nope!"}, "list-bad-continue.txt"),
        ({"continue": "nope!", "limit": 5}, "list-bad-continue.txt"),
    ],
)
def test_a_bad_continue_token_is_refused_as_captured(
    recorded_url: str, query: dict[str, str], name: str
) -> None:
    answered = ask(recorded_url, CLAIMS, **query)
    assert (answered.status, answered.json) == captured_refusal(name)


def test_a_version_in_the_future_is_refused_as_captured(recorded_url: str) -> None:
    answered = ask(recorded_url, CLAIMS, resourceVersion="999999999")
    status, expected = captured_refusal("list-rv-in-future.txt")
    expected["message"] = expected["message"].replace("1052", "986")
    assert (answered.status, answered.json) == (status, expected)


@pytest.mark.parametrize(
    ("kind", "path"), [("pods", PODS), ("resourceclaims", CLAIMS), ("resourceslices", SLICES)]
)
def test_a_streaming_list_ends_with_the_captured_bookmark(recorded_url: str, kind: str, path: str) -> None:
    query = {
        "sendInitialEvents": "true",
        "resourceVersionMatch": "NotOlderThan",
        "allowWatchBookmarks": "true",
    }
    expected = json.loads((CAPTURES / f"bookmarks.{kind}.ndjson").read_text().splitlines()[0])
    listed = ask(recorded_url, path).json["items"]
    with watching(recorded_url, path, **query) as events:
        initial = [next(events) for _ in listed]
        assert next(events) == expected
    assert {event["type"] for event in initial} == {"ADDED"}
    assert [event["object"]["metadata"] for event in initial] == [item["metadata"] for item in listed]
    assert all(event["object"]["kind"] for event in initial)


def test_list_items_carry_no_kind_and_single_objects_do(recorded_url: str) -> None:
    listed = ask(recorded_url, CLAIMS).json["items"][0]
    metadata = listed["metadata"]
    path = f"/apis/resource.k8s.io/v1/namespaces/{metadata['namespace']}/resourceclaims/{metadata['name']}"
    expected = {"kind": "ResourceClaim", "apiVersion": "resource.k8s.io/v1", **listed}
    assert ask(recorded_url, path).json == expected
    assert ask(recorded_url, f"{path}/status").json == expected


def test_owners_of_recorded_pods_can_be_followed_to_the_top(recorded_url: str) -> None:
    pods = ask(recorded_url, PODS).json["items"]
    owner = next(p for p in pods if p["metadata"]["name"].startswith("inference"))["metadata"][
        "ownerReferences"
    ][0]
    sets = ask(recorded_url, "/apis/apps/v1/replicasets").json["items"]
    owned = next(s for s in sets if s["metadata"]["uid"] == owner["uid"])["metadata"]["ownerReferences"][0]
    deployments = ask(recorded_url, "/apis/apps/v1/deployments").json["items"]
    assert [d["metadata"]["name"] for d in deployments if d["metadata"]["uid"] == owned["uid"]] == [
        "inference"
    ]


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/healthz"])
def test_health_is_a_plain_ok(recorded_url: str, path: str) -> None:
    assert ask(recorded_url, path).body == b"ok"


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere",
        "/apis/apps/v1/pods",
        "/apis/resource.k8s.io/v1alpha2/resourceslices",
        "/api/v1/pods/no-namespace",
    ],
)
def test_an_unknown_path_is_not_found(recorded_url: str, path: str) -> None:
    answered = ask(recorded_url, path)
    assert (answered.status, answered.json["reason"]) == (404, "NotFound")


def test_an_object_that_is_not_there_is_named(recorded_url: str) -> None:
    answered = ask(recorded_url, "/api/v1/namespaces/team-vision/pods/nobody")
    assert answered.json["message"] == 'pods "nobody" not found'
    assert answered.json["details"] == {"name": "nobody", "kind": "pods"}
