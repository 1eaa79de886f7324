from pathlib import Path

import pytest

from demo.access import Grant
from demo.faults import Refuse
from demo.server import ApiServer
from demo.store import Store
from inventory.kube import errors
from inventory.kube.client import Client
from inventory.kube.connection import connect
from inventory.kube.discovery import Served, discover, release_of
from inventory.kube.versions import DraVersion
from tests.inventory.kube.answering import SameAnswer, answering
from tests.inventory.kube.conftest import Connect
from tests.inventory.kube.kubeconfigs import source_of


def test_the_best_served_version_is_taken(client: Client) -> None:
    assert discover(client) == Served("v1.36.2", (1, 36), DraVersion.V1, "v1beta2")


@pytest.mark.parametrize(
    ("served", "best"),
    [
        (["v1beta1", "v1beta2"], DraVersion.V1BETA2),
        (["v1beta1"], DraVersion.V1BETA1),
        (["v1beta1", "v1"], DraVersion.V1),
    ],
)
def test_older_versions_are_taken_in_order(connected: Connect, served: list[str], best: DraVersion) -> None:
    with ApiServer(Store(), dra_versions=served) as server:
        assert discover(connected(server)).dra_version is best


def test_taint_rules_have_a_version_of_their_own(client: Client) -> None:
    served = discover(client)

    assert served.version_of("resourceslices") == "v1"
    assert served.version_of("devicetaintrules") == "v1beta2"


def test_taint_rules_that_are_switched_off_have_none(connected: Connect) -> None:
    with ApiServer(Store(), dra_versions=["v1"]) as server:
        assert discover(connected(server)).taint_rules_version == ""


def test_a_cluster_without_dra_is_told_what_to_do(connected: Connect) -> None:
    with (
        ApiServer(Store(), dra_versions=[]) as server,
        pytest.raises(
            errors.NotServedError, match=r"Kubernetes v1\.36\.2\) serves no version at all.*1\.34 or later"
        ),
    ):
        discover(connected(server))


def test_a_version_that_is_too_old_is_named(connected: Connect) -> None:
    with (
        ApiServer(Store(), dra_versions=["v1alpha3"]) as server,
        pytest.raises(errors.NotServedError, match=r"serves only v1alpha3 of resource\.k8s\.io"),
    ):
        discover(connected(server))


def test_a_stranger_is_told_which_urls_discovery_needs(connected: Connect) -> None:
    with (
        ApiServer(Store(), tokens={"secret": Grant("reader")}) as server,
        pytest.raises(
            errors.ForbiddenError, match=r"non-resource URL /apis/resource\.k8s\.io: .*system:discovery"
        ),
    ):
        discover(connected(server))


def test_a_server_that_fails_is_not_taken_for_one_without_dra(server: ApiServer, client: Client) -> None:
    server.faults.inject("/apis/resource.k8s.io", Refuse(500))

    with pytest.raises(errors.ServerError):
        discover(client)


def test_a_sign_in_page_is_not_taken_for_an_api_server(tmp_path: Path) -> None:
    with (
        answering(SameAnswer(200, b"<html>Please sign in</html>")) as page,
        connect(source_of(tmp_path / "config", page.url)) as client,
        pytest.raises(
            errors.BadAnswerError, match=r"/version answered 200 with something that is no discovery"
        ),
    ):
        discover(client)


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("v1.36.2", (1, 36)),
        ("v1.33.5-eks-113cf36", (1, 33)),
        ("v1.34.1-gke.1829001", (1, 34)),
        ("1.35", (1, 35)),
        ("v1.36.0-alpha.0.12+abcdef", (1, 36)),
        ("", None),
        ("unknown", None),
        ("v1", None),
    ],
)
def test_the_release_is_read_from_any_vendor_s_version(text: str, release: tuple[int, int] | None) -> None:
    assert release_of(text) == release
