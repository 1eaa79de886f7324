import pytest

from demo.server import ApiServer
from demo.store import Store
from tests.demo.asking import ask


def test_only_the_chosen_dra_versions_are_served() -> None:
    with ApiServer(Store(), dra_versions=("v1beta1",)) as server:
        group = ask(server.url, "/apis/resource.k8s.io").json
        assert group["preferredVersion"]["version"] == "v1beta1"
        assert ask(server.url, "/apis/resource.k8s.io/v1beta1/resourceslices").status == 200
        assert ask(server.url, "/apis/resource.k8s.io/v1/resourceslices").status == 404


def test_without_dra_the_group_is_absent() -> None:
    with ApiServer(Store(), dra_versions=()) as server:
        groups = [group["name"] for group in ask(server.url, "/apis").json["groups"]]
        assert "resource.k8s.io" not in groups
        assert ask(server.url, "/apis/resource.k8s.io").status == 404
        assert ask(server.url, "/apis/resource.k8s.io/v1/resourceslices").status == 404


@pytest.mark.parametrize(
    "path", ["/api", "/apis", "/api/v1", "/apis/apps", "/apis/apps/v1", "/apis/batch/v1"]
)
def test_every_group_describes_itself(recorded_url: str, path: str) -> None:
    assert ask(recorded_url, path).json["kind"].startswith("API")
