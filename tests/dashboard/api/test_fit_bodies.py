"""Bad questions: what is wrong is named, in bounded time, and nobody else is held up."""

import json
from io import BytesIO
from time import monotonic
from typing import Any

import pytest
from django.test import Client

from inventory.models import Cluster
from tests.dashboard.api.asking import HAMI, Asking, claim, faults, request, selecting
from tests.dashboard.api.conftest import decoded
from tests.factories import make_cluster

# Twice as long as a search may take.
BOUND_SECONDS = 20


@pytest.fixture
def ask(api: Client) -> Asking:
    """Of a cluster of which nothing was read."""
    make_cluster("recorded")
    return Asking(api)


@pytest.fixture
def ask_recorded(api: Client, recorded_cluster: Cluster) -> Asking:
    return Asking(api)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "expected one of claim, manifest, or namespace with name"),
        (b"{}", "expected one of claim, manifest, or namespace with name"),
        (b"{", "The body is no JSON"),
        (b'{"manifest": "\xff"}', "The body is no JSON"),
        (b'{"claim": NaN}', "The body is no JSON"),
        (b"[]", "Expected `object`, got `array`"),
        (b'{"claim":' * 1_000 + b"1" + b"}" * 1_000, "nested too deeply"),
        (b'{"claim": {"spec": 1e99999999999999999999}}', "The body is no JSON"),
    ],
)
def test_a_body_that_is_no_question_is_refused(ask: Asking, body: bytes, told: str) -> None:
    assert told in faults(ask.raw(body))[""]


@pytest.mark.parametrize(
    ("question", "field", "told"),
    [
        ({"colour": "red"}, "colour", "unknown field"),
        ({"manifest": 7}, "manifest", "Expected `str | null`, got `int`"),
        ({"claim": []}, "claim", "Expected `object | null`, got `array`"),
        ({"name": "x"}, "namespace", "expected the namespace"),
        ({"name": "a\0b", "namespace": "x"}, "name", "expected a name"),
        ({"name": "x", "namespace": ""}, "namespace", "expected a name"),
        ({"claim": claim(), "cluster": "a\0"}, "cluster", "expected a name"),
        ({"claim": claim(), "cluster": "nowhere"}, "cluster", "there is no cluster nowhere"),
        ({"claim": claim(), "kind": "Pod"}, "kind", "goes with a name only"),
        ({"name": "x", "namespace": "y", "kind": "Node"}, "kind", "Invalid enum value 'Node'"),
        ({"claim": claim(kind="Pod")}, "claim", "the object: kind Pod; expected ResourceClaim"),
        ({"claim": claim(kind="ResourceClaimTemplate")}, "claim", "or the object as manifest"),
        ({"claim": claim(), "manifest": "a: b"}, "manifest", "only one of claim, manifest"),
        ({"claim": claim(), "name": "x", "namespace": "y"}, "claim", "only one of claim, name"),
        ({"claim": {}}, "claim", "ResourceClaim: expected a claim with a spec"),
        ({"claim": {"spec": "all"}}, "claim", "expected a claim with a spec"),
        ({"claim": {"apiVersion": "v1", "spec": {}}}, "claim", "apiVersion v1; expected one of"),
        ({"claim": {"apiVersion": "resource.k8s.io/v9"}}, "claim", "expected one of resource.k8s.io/v1"),
        ({"claim": {"metadata": {"name": 7}}}, "claim", "metadata.name"),
        ({"claim": claim(metadata={"name": "a\0"})}, "claim", "NUL characters"),
    ],
)
def test_a_field_that_cannot_be_used_is_named(
    ask: Asking, question: dict[str, Any], field: str, told: str
) -> None:
    assert told in ask.refused(**question)[field]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"count": -1}, "spec.devices.requests[gpu]: count -1 is below one"),
        ({"count": "2"}, "Expected `int | null`, got `str` - at `devices.requests[0].exactly.count`"),
        ({"count": 1.5}, "Expected `int | null`"),
        ({"deviceClassName": ""}, "spec.devices.requests[gpu]: deviceClassName is missing"),
        ({"allocationMode": "Some"}, "allocationMode Some is not known here"),
        ({"newField": 1}, "unknown field `newField`"),
        ({"capacity": {"requests": {"memory": "8 GB"}}}, "capacity.requests[memory]"),
        ({"capacity": {"requests": {"memory": "-1"}}}, "-1 is below zero"),
        ({"capacity": {"requests": {"memory": "1e999999999"}}}, "capacity.requests[memory]"),
        ({"selectors": [{}]}, "a selector that is not CEL is not known here"),
        ({"selectors": "all"}, "Expected `array | null`, got `str`"),
    ],
)
def test_a_claim_that_no_api_server_takes_is_refused_with_the_path_inside(
    ask: Asking, asked: dict[str, Any], told: str
) -> None:
    fault = ask.refused(claim=claim(request(**asked)))["claim"]
    assert fault.startswith("ResourceClaim team-vision/asked: spec")
    assert told in fault


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no object in it"),
        ("just a text", "document 1: expected an object with a kind"),
        ("a: b", "document 1: expected an object with a kind"),
        ("kind: Pod\nspec: [1, 2", "line 3: did not find expected ',' or ']'"),
        ("kind: Pod\n\tspec: {}", "line 2: "),
        ("a: &a [x]\nb: *a", "line 2: YAML aliases are not read"),
        ("[" * 100_000, "line 1: exceeded maximum nesting depth"),
        ("kind: !!python/object/apply:os.system [id]", "line 1: YAML tags are not read"),
        ("kind: ConfigMap", "expected claims, claim templates, Pods or workloads; found ConfigMap"),
        (
            "kind: List\nitems:\n- kind: List\n  items: []",
            "document 1, item 1: expected an object that is no list",
        ),
        ("kind: List\nitems: [7]", "document 1, item 1: expected an object that is no list"),
        ("kind: Pod\nmetadata: {name: p}", "Pod default/p: expected a Pod with a spec"),
        (
            "kind: Pod\nspec: {resourceClaims: 7}",
            "Pod: spec.resourceClaims: Expected `array`, got `int`",
        ),
        ("kind: Pod\nspec: {resourceClaims: [{name: a}]}", "spec.resourceClaims[a]: expected either"),
        (
            "kind: Pod\nspec: {resourceClaims: [{name: a, resourceClaimName: gone}]}",
            "ResourceClaim default/gone is not in the text, and resourceclaims of recorded cannot be read",
        ),
        ("kind: Pod\nspec: {nodeSelector: {a: 1}}", "the Pod's spec"),
        ('kind: Pod\nmetadata: {name: "\\0"}\nspec: {}', "NUL characters"),
        ("kind: Pod\nmetadata: {name: x}\nspec: \0", "control characters are not allowed"),
        ("kind: Pod\nx: 1\nx: 2", "line 3: x is given twice"),
        ("---\n" * 1_001, "more than 1,000 documents"),
        ("kind: Pod\n? [a, b]\n: c", "line 2: a key that is a map or list"),
        ("kind: ResourceClaim\nspec: {}", "apiVersion is missing"),
    ],
)
def test_a_manifest_that_cannot_be_read_is_refused_with_the_place(ask: Asking, text: str, told: str) -> None:
    assert told in ask.refused(manifest=text)["manifest"]


def test_a_bomb_of_aliases_is_not_unfolded(ask: Asking) -> None:
    layers = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    told = ask.refused(manifest="\n".join(["a0: &a0 [x]", *layers]))["manifest"]
    assert told == "line 2: YAML aliases are not read"


def test_a_manifest_of_more_than_a_mebibyte_is_refused(ask: Asking) -> None:
    assert ask.refused(manifest="#" * (1024 * 1024 + 1))["manifest"] == "longer than 1024 KiB"


def test_a_body_that_no_manifest_needs_is_not_read(ask: Asking) -> None:
    response = ask.raw(b'{"manifest": "' + b"#" * (2 * 1024 * 1024) + b'"}')
    assert (response.status_code, response["Content-Type"]) == (413, "application/problem+json")
    assert decoded(response)["detail"] == "The body is longer than 2048 KiB."


class Broken(BytesIO):
    def read(self, size: int | None = -1) -> bytes:
        raise OSError("a chunk without its end")


def test_a_body_in_chunks_is_read_where_the_server_ends_it(ask_recorded: Asking) -> None:
    body = json.dumps({"claim": claim()}).encode()
    response = ask_recorded.in_chunks(BytesIO(body))
    assert decoded(response)["answers"][0]["verdict"] == "fits"


def test_a_body_in_chunks_is_as_bounded_as_any(ask: Asking) -> None:
    assert ask.in_chunks(BytesIO(b" " * (2 * 1024 * 1024 + 1))).status_code == 413
    assert "it was cut off" in faults(ask.in_chunks(Broken()))[""]
    assert "expected one of claim, manifest" in faults(ask.in_chunks(BytesIO(b"")))[""]


def test_a_body_in_chunks_that_the_server_does_not_end_is_refused(ask: Asking) -> None:
    response = ask.in_chunks(BytesIO(b"{}"), ended=False)
    assert (response.status_code, response["Content-Type"]) == (411, "application/problem+json")


def test_a_body_that_is_no_json_by_its_type_is_refused(ask: Asking) -> None:
    assert ask.raw(b"claim=1", "application/x-www-form-urlencoded").status_code == 415


def test_more_subjects_than_can_be_searched_for_are_refused(ask: Asking) -> None:
    one = """
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: claim-%d}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: c}}]}}
"""
    told = ask.refused(manifest="".join(one % number for number in range(33)))["manifest"]
    assert told == "33 Pods and claims; at most 32 can be asked about at once"


@pytest.mark.parametrize(("namespace", "name"), [("team-vision", "nothing"), ("nowhere", "share-a")])
def test_what_is_not_in_the_cluster_is_not_found(ask: Asking, namespace: str, name: str) -> None:
    response = ask.response(namespace=namespace, name=name)
    assert response.status_code == 404
    assert (
        decoded(response)["detail"] == f"neither a claim nor a Pod {namespace}/{name} is in cluster recorded"
    )


def test_the_cluster_is_named_where_there_are_several(ask_recorded: Asking) -> None:
    make_cluster("another")
    assert (
        ask_recorded.refused(claim=claim())["cluster"]
        == "there are several clusters, name one; known: another, recorded"
    )
    assert ask_recorded.answer(claim=claim(), cluster="recorded")["verdict"] == "fits"


@pytest.mark.django_db
def test_without_any_cluster_there_is_nobody_to_ask(api: Client) -> None:
    assert Asking(api).refused(claim=claim())["cluster"] == "no cluster is kept yet"


# Questions that are no mistake of form


@pytest.mark.parametrize(
    ("asked", "verdict", "told"),
    [
        (selecting("device.driver == "), "selector_error", "CEL compile error"),
        (selecting("device.nothing == 1"), "selector_error", "CEL compile error"),
        (selecting("true || " * 2_000 + "true"), "selector_error", "CEL compile error"),
        (selecting(f'device.attributes["{HAMI}"].nosuch == "x"'), "selector_error", "no such key: nosuch"),
        (
            request(deviceClassName="no-such-class"),
            "class_missing",
            "could not retrieve device class no-such-class",
        ),
        (request(count=33), "refused", "exceeds the claim limit of 32"),
    ],
)
def test_what_the_scheduler_would_give_up_on_is_told_in_its_words(
    ask_recorded: Asking, asked: dict[str, Any], verdict: str, told: str
) -> None:
    found = ask_recorded.answer(claim=claim(asked))
    assert found["verdict"] == verdict
    assert told in found["message"]


@pytest.mark.parametrize(
    "expression",
    [
        "[" + ",".join(["1"] * 300) + "].all(x, [" + ",".join(["1"] * 300) + "].all(y, x == y))",
        "[1,2,3,4,5,6,7,8,9].all(a, [1,2,3,4,5,6,7,8,9].all(b, [1,2,3,4,5,6,7,8,9].all(c, a+b+c > 0)))",
        "device.driver.matches('(a*)*(b*)*(a|b)*c{1000}')",
        "(" * 200 + "true" + ")" * 200,
    ],
)
def test_a_selector_that_takes_long_gets_an_answer_in_bounded_time(
    ask_recorded: Asking, expression: str
) -> None:
    began = monotonic()
    found = ask_recorded.answer(claim=claim(selecting(expression)))
    assert monotonic() - began < BOUND_SECONDS
    assert found["verdict"] in ("fits", "no_room", "cannot_simulate", "selector_error")


def test_constraints_that_contradict_each_other_leave_no_room_and_are_named(ask_recorded: Asking) -> None:
    attribute = f"{HAMI}/uuid"
    asked = claim(request(count=2))
    asked["spec"]["devices"]["constraints"] = [
        {"matchAttribute": attribute},
        {"distinctAttribute": attribute},
    ]
    found = ask_recorded.answer(claim=asked)
    assert found["verdict"] == "no_room"
    assert found["requests"][0]["groups"][0]["check"] == "constraint"


@pytest.mark.parametrize("key", ["memory", f"{HAMI}/memory", "no-such-dimension"])
def test_a_capacity_key_is_taken_as_the_device_spells_it(ask_recorded: Asking, key: str) -> None:
    """As the scheduler does: a name with the driver's domain is another name."""
    found = ask_recorded.answer(claim=claim(request(capacity={"requests": {key: "1Gi"}})))
    checks = {group["check"] for one in found["requests"] for group in one["groups"]}
    assert (found["verdict"] == "fits") is (key == "memory")
    assert ("dimension" in checks) is (key != "memory")
