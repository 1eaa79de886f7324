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


@pytest.mark.parametrize("code", [403, 404, 429, 500])
def test_a_server_that_keeps_its_version_to_itself_is_read_all_the_same(
    server: ApiServer, client: Client, code: int
) -> None:
    server.faults.inject("/version", Refuse(code))

    assert discover(client) == Served("", None, DraVersion.V1, "v1beta2")


def test_a_credential_that_is_not_accepted_ends_discovery_at_once(server: ApiServer, client: Client) -> None:
    server.faults.inject("/version", Refuse(401))

    with pytest.raises(errors.UnauthorizedError):
        discover(client)
    assert server.requests.count("/apis/resource.k8s.io") == 0


@pytest.mark.parametrize("code", [403, 429, 500])
def test_taint_rules_whose_discovery_fails_are_not_taken_for_switched_off(
    server: ApiServer, client: Client, code: int
) -> None:
    server.faults.inject("/apis/resource.k8s.io/v1beta2", Refuse(code))

    assert discover(client).taint_rules_version is None


def test_taint_rules_found_in_one_version_are_read_whatever_another_answers(
    server: ApiServer, client: Client
) -> None:
    server.faults.inject("/apis/resource.k8s.io/v1", Refuse(500))

    assert discover(client).taint_rules_version == "v1beta2"


@pytest.mark.parametrize(
    ("sent", "shown"),
    [(rb"v1.36\u0000\u0007", "v1.36\ufffd\ufffd"), (b"v1.36." + b"9" * 200, "v1.36." + "9" * 94)],
    ids=["odd", "long"],
)
def test_the_server_version_is_short_and_without_what_no_database_takes(
    tmp_path: Path, sent: bytes, shown: str
) -> None:
    # One body for all three documents of discovery.
    everything = (
        b'{"gitVersion": "' + sent + b'", "versions": [{"version": "v1"}], "resources": [{"name": "pods"}]}'
    )
    with (
        answering(SameAnswer(200, everything)) as server,
        connect(source_of(tmp_path / "config", server.url)) as client,
    ):
        assert discover(client) == Served(shown, (1, 36), DraVersion.V1, "")


def test_a_server_that_fails_is_not_taken_for_one_without_dra(server: ApiServer, client: Client) -> None:
    server.faults.inject("/apis/resource.k8s.io", Refuse(500))

    with pytest.raises(errors.ServerError):
        discover(client)


def test_a_sign_in_page_is_not_taken_for_an_api_server(tmp_path: Path) -> None:
    with (
        answering(SameAnswer(200, b"<html>Please sign in</html>")) as page,
        connect(source_of(tmp_path / "config", page.url)) as client,
        pytest.raises(
            errors.BadAnswerError,
            match=r"/apis/resource\.k8s\.io answered 200 with something that is no discovery",
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
