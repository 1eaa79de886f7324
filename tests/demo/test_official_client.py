"""The official client reads what the demo clusters serve, and is stricter about it than most."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import kubernetes
import kubernetes.watch
import pytest

from demo import generated, recorded
from demo.server import ApiServer
from demo.store import Store
from demo.story import Story
from tests.demo.factories import claim

# The client is typed only in part.
official: Any = kubernetes
client = official.client

STORES: dict[str, Callable[[], Store]] = {
    "recorded": recorded.store,
    "story": lambda: Story(start=datetime(2026, 11, 29, tzinfo=UTC)).store,
    "generated": lambda: generated.cluster(16, 40),
}


@pytest.fixture(scope="module", params=sorted(STORES))
def api(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with ApiServer(STORES[request.param]()) as server:
        path = server.kubeconfig(tmp_path_factory.mktemp("client") / "config")
        with official.config.new_client_from_config(str(path)) as connected:
            yield connected


def test_every_kind_fits_the_models_of_the_client(api: Any) -> None:
    dra, core = client.ResourceV1Api(api), client.CoreV1Api(api)
    apps, batch = client.AppsV1Api(api), client.BatchV1Api(api)
    for read in (
        dra.list_resource_slice,
        dra.list_resource_claim_for_all_namespaces,
        dra.list_resource_claim_template_for_all_namespaces,
        dra.list_device_class,
        core.list_pod_for_all_namespaces,
        core.list_node,
        core.list_namespace,
        core.list_resource_quota_for_all_namespaces,
        apps.list_deployment_for_all_namespaces,
        apps.list_replica_set_for_all_namespaces,
        apps.list_stateful_set_for_all_namespaces,
        batch.list_job_for_all_namespaces,
    ):
        assert read().items is not None


def test_the_client_watches(api: Any) -> None:
    core = client.CoreV1Api(api)
    stream = official.watch.Watch().stream(core.list_namespace, timeout_seconds=1)
    assert {event["type"] for event in stream} == {"ADDED"}


def test_the_client_creates_claims_for_a_trial(api: Any) -> None:
    body = claim("trial", "team-nlp")
    created = client.ResourceV1Api(api).create_namespaced_resource_claim("team-nlp", body, dry_run="All")
    assert created.metadata.uid


def test_the_client_learns_the_version(api: Any) -> None:
    assert client.VersionApi(api).get_code().git_version == "v1.36.2"
