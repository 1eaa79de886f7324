from collections.abc import Iterator
from typing import Any

import pytest

from demo.resources import RESOURCE_CLAIMS
from demo.server import ApiServer
from demo.store import Store
from tests.demo.asking import Answered, ask, send
from tests.demo.factories import claim, request

PATH = "/apis/resource.k8s.io/v1/namespaces/team-a/resourceclaims"


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def url(store: Store) -> Iterator[str]:
    with ApiServer(store) as server:
        yield server.url


def create(url: str, body: Any, path: str = PATH, **query: str) -> Answered:
    return send("POST", url, path, body, **query)


def test_a_dry_run_shows_the_claim_with_its_defaults_and_keeps_nothing(url: str, store: Store) -> None:
    answered = create(url, claim("new"), dryRun="All")
    assert answered.status == 201
    assert answered.json["spec"]["devices"]["requests"] == [
        request("gpu", allocationMode="ExactCount", count=1)
    ]
    assert answered.json["metadata"]["uid"]
    assert "resourceVersion" not in answered.json["metadata"]
    assert store.get(RESOURCE_CLAIMS, "team-a", "new") is None


def test_a_created_claim_is_there_and_cannot_be_created_again(url: str) -> None:
    assert create(url, claim("new")).status == 201
    assert ask(url, f"{PATH}/new").json["metadata"]["resourceVersion"] == "1"
    again = create(url, claim("new"), dryRun="All")
    assert (again.status, again.json["reason"]) == (409, "AlreadyExists")
    assert again.json["message"] == 'resourceclaims.resource.k8s.io "new" already exists'


def test_a_claim_in_the_oldest_version_is_stored_in_the_newest(url: str, store: Store) -> None:
    sent = claim("old", "team-a", {"name": "gpu", "deviceClassName": "gpu.example.com"})
    path = PATH.replace("/v1/", "/v1beta1/")
    assert create(url, {**sent, "apiVersion": "resource.k8s.io/v1beta1"}, path).status == 201
    stored = store.find(RESOURCE_CLAIMS, "team-a", "old")
    assert stored is not None
    assert stored["spec"]["devices"]["requests"][0]["exactly"]["deviceClassName"] == "gpu.example.com"


def test_a_generated_name_gets_its_random_end(url: str) -> None:
    sent = claim("")
    sent["metadata"] = {"generateName": "train-"}
    assert create(url, sent, dryRun="All").json["metadata"]["name"].startswith("train-")


BOTH = {**request("gpu"), "firstAvailable": [{"name": "a", "deviceClassName": "gpu.example.com"}]}
REFUSED = [
    (claim("Bad_Name"), "metadata.name: Invalid value"),
    (claim(""), "metadata.name: Required value"),
    (claim("a", "team-a", {"name": "gpu"}), "requests[0]: Required value: exactly one of `exactly` or"),
    (claim("a", "team-a", BOTH), "but multiple fields are set"),
    (claim("a", "team-a", request("gpu", deviceClassName="")), "exactly.deviceClassName: Required value"),
    (
        claim("a", "team-a", request("gpu", deviceClassName="No Class")),
        "exactly.deviceClassName: Invalid value",
    ),
    (claim("a", "team-a", request("gpu"), request("gpu")), 'requests[1]: Duplicate value: "gpu"'),
    (claim("a", "team-a", request("GPU")), "requests[0].name: Invalid value"),
    (claim("a", "team-a", request("")), "requests[0].name: Required value"),
    (
        claim("a", "team-a", *(request(f"r{n}") for n in range(33))),
        "Too many: 33: must have at most 32 items",
    ),
    (
        claim("a", "team-a", request("gpu", count=-1)),
        "exactly.count: Invalid value: -1: must be greater than zero",
    ),
    (claim("a", "team-a", request("gpu", allocationMode="All", count=2)), "must not be specified when"),
    (
        claim("a", "team-a", request("gpu", allocationMode="Some")),
        "exactly.allocationMode: Unsupported value",
    ),
    (
        claim("a", "team-a", request("gpu", capacity={"requests": {"memory": "5K"}})),
        "capacity.requests[memory]",
    ),
    (
        claim("a", "team-a", request("gpu", selectors=[{"cel": {"expression": "x" * 10241}}])),
        "selectors[0].cel.expression: Too long: may not be more than 10240 bytes",
    ),
    (
        claim("a", "team-a", {"name": "gpu", "firstAvailable": [{"name": f"s{n}"} for n in range(9)]}),
        "firstAvailable: Too many: 9: must have at most 8 items",
    ),
]


@pytest.mark.parametrize(("body", "complaint"), REFUSED, ids=[complaint[:30] for _, complaint in REFUSED])
def test_an_invalid_claim_is_refused_and_the_field_is_named(url: str, body: Any, complaint: str) -> None:
    answered = create(url, body, dryRun="All")
    assert (answered.status, answered.json["reason"]) == (422, "Invalid")
    assert complaint in answered.json["message"]
    assert answered.json["details"]["causes"][0]["field"]


def test_a_constraint_must_name_a_request(url: str) -> None:
    body = claim("a")
    body["spec"]["devices"]["constraints"] = [{"requests": ["npu"], "matchAttribute": "example.com/numa"}]
    assert 'constraints[0].requests[0]: Invalid value: "npu"' in create(url, body).json["message"]


@pytest.mark.parametrize("body", [b"{", b"[]", {}, {"metadata": {"name": "a"}, "spec": {"devices": 3}}])
def test_what_is_no_claim_is_a_bad_request(url: str, body: Any) -> None:
    assert create(url, body).status == 400


def test_another_namespace_than_that_of_the_path_is_refused(url: str) -> None:
    assert create(url, claim("a", "team-b")).status == 400


@pytest.mark.parametrize(("method", "path"), [("DELETE", f"{PATH}/a"), ("POST", "/api/v1/namespaces/x/pods")])
def test_other_writes_are_not_allowed(url: str, method: str, path: str) -> None:
    assert send(method, url, path, {}).status == 405


def test_alternatives_get_their_defaults_too(url: str) -> None:
    alternative = {"name": "small", "deviceClassName": "gpu.example.com"}
    body = claim("a", "team-a", {"name": "gpu", "firstAvailable": [alternative]})
    shown = create(url, body, dryRun="All").json["spec"]["devices"]["requests"][0]
    assert shown["firstAvailable"] == [alternative | {"allocationMode": "ExactCount", "count": 1}]


def test_selectors_need_an_expression_and_are_counted(url: str) -> None:
    empty = request("gpu", selectors=[{"cel": {}}])
    assert (
        "selectors[0].cel.expression: Required value"
        in create(url, claim("a", "team-a", empty)).json["message"]
    )
    many = request("gpu", selectors=[{"cel": {"expression": "true"}}] * 33)
    assert "selectors: Too many: 33" in create(url, claim("a", "team-a", many)).json["message"]


def test_a_constraint_needs_an_attribute(url: str) -> None:
    body = claim("a")
    body["spec"]["devices"]["constraints"] = [{"requests": ["gpu"]}]
    assert "constraints[0].matchAttribute: Required value" in create(url, body).json["message"]


def test_only_a_whole_dry_run_exists(url: str) -> None:
    assert create(url, claim("a"), dryRun="Some").status == 422
