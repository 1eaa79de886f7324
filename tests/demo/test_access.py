from collections.abc import Iterator

import pytest

from demo import recorded
from demo.access import Grant
from demo.server import ApiServer
from tests.demo.asking import PODS, ask, captured

TOKENS = {
    "all": Grant("operator"),
    "none": Grant("viewer", frozenset()),
    "some": Grant("partial", frozenset({"pods", "nodes"}), frozenset({"get", "list"})),
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with ApiServer(recorded.store(), tokens=TOKENS) as server:
        yield server.url


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize("path", [path for path in captured("viewer-403.json") if path.startswith("/")])
def test_a_missing_right_is_refused_as_captured(url: str, path: str) -> None:
    answered = ask(url, path, bearer("none"))
    assert [answered.status, answered.json] == captured("viewer-403.json")[path]


def test_a_wrong_token_is_refused_as_captured(url: str) -> None:
    answered = ask(url, PODS, bearer("guess"))
    assert [answered.status, answered.json] == captured("viewer-403.json")["wrong token"]
    assert ask(url, "/version", bearer("guess")).status == 401


def test_rights_are_per_kind_and_verb(url: str) -> None:
    assert ask(url, PODS, bearer("some")).status == 200
    assert ask(url, PODS, bearer("some"), watch=1).status == 403
    assert ask(url, "/api/v1/namespaces", bearer("some")).status == 403
    assert ask(url, "/api/v1/namespaces", bearer("all")).status == 200


def test_a_refusal_names_the_object_and_its_namespace(url: str) -> None:
    answered = ask(url, "/api/v1/namespaces/team-nlp/resourcequotas/q", bearer("none"))
    assert answered.json["message"] == (
        'resourcequotas "q" is forbidden: User "viewer" cannot get resource "resourcequotas" '
        'in API group "" in the namespace "team-nlp"'
    )


def test_without_a_token_only_health_and_version_are_open(url: str) -> None:
    assert ask(url, "/livez").status == 200
    assert ask(url, "/version").status == 200
    assert ask(url, "/apis").status == 403
    assert 'User "system:anonymous" cannot list resource "pods"' in ask(url, PODS).json["message"]
