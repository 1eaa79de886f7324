from pathlib import Path
from typing import Any

import msgspec
import pytest

from demo import recorded
from demo.faults import CutBody, ExpireContinue, Refuse, ReplaceItem
from demo.resources import RESOURCE_CLAIMS, by_plural
from demo.server import ApiServer
from demo.store import Store
from inventory.kube import errors, kinds
from inventory.kube.client import Client
from inventory.kube.connection import connect
from inventory.kube.discovery import Served, discover
from inventory.kube.kinds import KINDS
from inventory.kube.listing import find_named, list_chunks
from inventory.kube.objects import Pod, ResourceClaim
from inventory.kube.pods import concerns_devices
from tests.demo.factories import claim
from tests.inventory.kube.answering import SameAnswer, answering
from tests.inventory.kube.conftest import V1, Connect
from tests.inventory.kube.kubeconfigs import source_of
from tests.inventory.kube.whole import list_all

CLAIMS = "/apis/resource.k8s.io/v1/resourceclaims"


def names(server: ApiServer, kind: kinds.Kind[Any]) -> list[str]:
    """All names of a kind as the demo server stores them."""
    resource = by_plural(kind.group, kind.path(V1).split("/")[-2], kind.resource)
    assert resource is not None
    return [stored["metadata"]["name"] for stored in server.store.objects(resource)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.resource)
def test_every_kind_is_read_whole_and_without_a_skip(
    server: ApiServer, client: Client, kind: kinds.Kind[Any]
) -> None:
    listing = list_all(client, kind, V1)

    assert [found.metadata.name for found in listing.objects] == names(server, kind)
    assert len(listing.objects) > 0
    assert listing.skipped == ()


def test_a_list_in_chunks_is_the_same_list(server: ApiServer, client: Client) -> None:
    whole = list_all(client, kinds.RESOURCE_CLAIMS, V1)
    chunked = list_all(client, kinds.RESOURCE_CLAIMS, V1, limit=7)

    assert chunked.objects == whole.objects
    assert server.requests.count(CLAIMS) == 1 + 10
    assert server.requests.last(CLAIMS)[-1].query["limit"] == "7"


def test_a_listing_tells_where_a_watch_goes_on_and_how_much_came(server: ApiServer, client: Client) -> None:
    listing = list_all(client, kinds.RESOURCE_CLAIMS, V1)

    assert listing.resource_version == str(server.store.revision)
    assert listing.bytes > 100_000


def test_objects_that_are_not_kept_are_left_out(server: ApiServer, client: Client) -> None:
    listing = list_all(client, kinds.PODS, V1, keep=concerns_devices, limit=10)

    assert 0 < len(listing.objects) <= len(names(server, kinds.PODS))
    assert all(concerns_devices(pod) for pod in listing.objects)


@pytest.mark.parametrize("version", ["v1beta2", "v1beta1"])
def test_older_versions_give_the_same_objects(client: Client, connected: Connect, version: str) -> None:
    with ApiServer(recorded.store(), dra_versions=[version]) as older:
        old = connected(older)
        served = discover(old)
        slices = list_all(old, kinds.RESOURCE_SLICES, served).objects
        claims = list_all(old, kinds.RESOURCE_CLAIMS, served, limit=20).objects
        templates = list_all(old, kinds.RESOURCE_CLAIM_TEMPLATES, served).objects

    assert served.dra_version == version
    assert slices == list_all(client, kinds.RESOURCE_SLICES, V1).objects
    assert claims == list_all(client, kinds.RESOURCE_CLAIMS, V1).objects
    assert templates == list_all(client, kinds.RESOURCE_CLAIM_TEMPLATES, V1).objects


def test_owners_are_asked_for_by_their_metadata_alone(server: ApiServer, client: Client) -> None:
    list_all(client, kinds.REPLICA_SETS, V1)

    assert (
        "as=PartialObjectMetadataList"
        in server.requests.last("/apis/apps/v1/replicasets")[0].headers["accept"]
    )


def test_the_metadata_of_an_owner_leads_further_up(connected: Connect) -> None:
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "train", "uid": "u-1", "controller": True}
    metadata = {"name": "train-5d4f", "namespace": "team-vision", "ownerReferences": [owner]}
    store = Store()
    store.put({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata, "spec": {"replicas": 1}})

    with ApiServer(store) as server:
        (found,) = list_all(connected(server), kinds.REPLICA_SETS, V1).objects

    controller = found.metadata.controller()
    assert controller is not None
    assert (controller.kind, controller.name) == ("Deployment", "train")


def test_a_malformed_object_is_skipped_over_the_wire_too(server: ApiServer, client: Client) -> None:
    server.faults.inject(
        CLAIMS, ReplaceItem(0, b'{"metadata":{"name":"bad","namespace":"a","uid":"u-1"},"spec":null}')
    )

    listing = list_all(client, kinds.RESOURCE_CLAIMS, V1)

    assert len(listing.objects) == len(names(server, kinds.RESOURCE_CLAIMS)) - 1
    assert [(skipped.name, skipped.uid) for skipped in listing.skipped] == [("bad", "u-1")]


def test_an_expired_token_starts_the_list_over(server: ApiServer, client: Client) -> None:
    whole = list_all(client, kinds.RESOURCE_CLAIMS, V1).objects
    server.faults.inject(CLAIMS, ExpireContinue(), skip=1)

    assert list_all(client, kinds.RESOURCE_CLAIMS, V1, limit=20).objects == whole
    assert [request.query.get("continue") for request in server.requests.last(CLAIMS)].count(None) == 3


def test_a_list_compacted_while_it_is_read_is_read_at_one_moment(server: ApiServer, client: Client) -> None:
    """A claim created between the chunks is in the second reading from its start, or not at all."""

    def write_and_compact(claim: ResourceClaim) -> bool:
        if server.store.get(RESOURCE_CLAIMS, "default", "late") is None:
            server.store.put(
                {
                    "apiVersion": "resource.k8s.io/v1",
                    "kind": "ResourceClaim",
                    "metadata": {"name": "late", "namespace": "default"},
                    "spec": {"devices": {}},
                }
            )
            server.store.compact()
        return True

    listing = list_all(client, kinds.RESOURCE_CLAIMS, V1, keep=write_and_compact, limit=20)

    assert [claim.metadata.name for claim in listing.objects] == names(server, kinds.RESOURCE_CLAIMS)
    assert "late" in names(server, kinds.RESOURCE_CLAIMS)
    assert listing.resource_version == str(server.store.revision)


def test_a_list_that_expires_again_and_again_is_given_up(server: ApiServer, client: Client) -> None:
    server.faults.inject(CLAIMS, ExpireContinue(), times=100)

    with pytest.raises(errors.ExpiredError, match=r"list of resourceclaims at http://.* expired 3 times"):
        list_all(client, kinds.RESOURCE_CLAIMS, V1, limit=20)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Refuse(500), errors.ServerError),
        (Refuse(429), errors.ThrottledError),
        (CutBody(), errors.UnreachableError),
    ],
)
def test_any_other_error_in_the_middle_gives_no_listing(
    server: ApiServer, client: Client, fault: Refuse, error: type[errors.ClusterError]
) -> None:
    server.faults.inject(CLAIMS, fault, skip=2)

    with pytest.raises(error):
        list_all(client, kinds.RESOURCE_CLAIMS, V1, limit=20)

    assert server.requests.count(CLAIMS) == 3


def test_another_kind_than_asked_for_is_a_bad_answer(client: Client) -> None:
    nodes_for_pods = kinds.Kind("nodes", "Pod", Pod, "", "v1")

    with pytest.raises(errors.BadAnswerError, match=r"200 with a 'NodeList' where a PodList belongs"):
        list_all(client, nodes_for_pods, V1)


def test_a_body_that_is_no_json_is_a_bad_answer(client: Client) -> None:
    health = kinds.Kind("livez", "Pod", Pod)

    class Elsewhere(kinds.Kind[Pod], frozen=True):
        def path(self, served: Served, namespace: str = "") -> str:
            return "/livez"

    with pytest.raises(errors.BadAnswerError, match=r"something that is no PodList: JSON is malformed"):
        list_all(client, Elsewhere(health.resource, health.kind, health.struct), V1)


def test_a_list_that_never_ends_is_a_bad_answer(tmp_path: Path) -> None:
    page = b'{"kind": "PodList", "metadata": {"continue": "again"}, "items": []}'

    with (
        answering(SameAnswer(200, page)) as server,
        connect(source_of(tmp_path / "config", server.url)) as client,
        pytest.raises(errors.BadAnswerError, match=r"the same continue token twice"),
    ):
        list_all(client, kinds.PODS, V1)


@pytest.mark.parametrize(
    ("sent", "kept"), [(rb"7\u0000\u0007", "7\ufffd\ufffd"), (b"9" * 100, "9" * 100)], ids=["odd", "long"]
)
def test_a_resource_version_is_kept_as_it_is_but_for_what_no_database_takes(
    tmp_path: Path, sent: bytes, kept: str
) -> None:
    page = b'{"kind": "PodList", "metadata": {"resourceVersion": "' + sent + b'"}, "items": []}'

    with (
        answering(SameAnswer(200, page)) as server,
        connect(source_of(tmp_path / "config", server.url)) as client,
    ):
        assert list_all(client, kinds.PODS, V1).resource_version == kept


def test_a_uid_met_in_an_earlier_chunk_is_told(server: ApiServer, client: Client) -> None:
    first = list_all(client, kinds.RESOURCE_CLAIMS, V1).objects[0].metadata
    again = {"metadata": {"name": "again", "namespace": "default", "uid": first.uid}, "spec": {}}
    server.faults.inject(CLAIMS, ReplaceItem(0, msgspec.json.encode(again)), skip=1)

    (skipped,) = list_all(client, kinds.RESOURCE_CLAIMS, V1, limit=20).skipped

    assert (skipped.name, skipped.uid) == ("again", first.uid)
    assert f"{first.namespace}/{first.name}" in skipped.reason


# In chunks


def test_every_page_is_a_chunk_with_the_version_of_the_list(server: ApiServer, client: Client) -> None:
    chunks = list(list_chunks(client, kinds.RESOURCE_CLAIMS, V1, limit=20, streaming=False))

    assert [len(chunk.objects) for chunk in chunks[:-1]] == [20] * (len(chunks) - 1)
    assert {chunk.resource_version for chunk in chunks} == {str(server.store.revision)}
    assert sum(chunk.bytes for chunk in chunks) == list_all(client, kinds.RESOURCE_CLAIMS, V1, limit=20).bytes


def test_a_list_of_the_past_is_exact_after_later_changes(server: ApiServer, client: Client) -> None:
    before = list_all(client, kinds.RESOURCE_CLAIMS, V1)
    first = before.objects[0].metadata
    server.store.delete(RESOURCE_CLAIMS, first.namespace, first.name)
    server.store.put(claim("late"))

    chunks = list(
        list_chunks(client, kinds.RESOURCE_CLAIMS, V1, limit=20, exactly_at=before.resource_version)
    )

    assert [found for chunk in chunks for found in chunk.objects] == before.objects
    assert {chunk.resource_version for chunk in chunks} == {before.resource_version}
    assert not server.requests.last(CLAIMS)[-1].is_watch


def test_a_past_that_was_compacted_has_expired(server: ApiServer, client: Client) -> None:
    past = str(server.store.revision)
    server.store.put(claim("late"))
    server.store.compact()

    with pytest.raises(errors.ExpiredError):
        list(list_chunks(client, kinds.RESOURCE_CLAIMS, V1, exactly_at=past))


def test_a_token_that_expires_ends_the_chunks(server: ApiServer, client: Client) -> None:
    server.faults.inject(CLAIMS, ExpireContinue())
    chunks = list_chunks(client, kinds.RESOURCE_CLAIMS, V1, limit=20, streaming=False)

    assert len(next(chunks).objects) == 20
    with pytest.raises(errors.ExpiredError):
        next(chunks)


# One object


def test_an_object_is_found_by_its_name_with_the_right_to_list(server: ApiServer, client: Client) -> None:
    wanted = list_all(client, kinds.REPLICA_SETS, V1).objects[0]
    namespace, name = wanted.metadata.namespace, wanted.metadata.name

    assert find_named(client, kinds.REPLICA_SETS, V1, namespace, name) == wanted
    (asked,) = server.requests.last(f"/apis/apps/v1/namespaces/{namespace}/replicasets")
    assert asked.query == {"fieldSelector": f"metadata.name={name}"}
    assert "as=PartialObjectMetadataList" in asked.headers["accept"]


def test_an_object_of_no_namespace_is_found_too(client: Client) -> None:
    wanted = list_all(client, kinds.NODES, V1).objects[0]

    assert find_named(client, kinds.NODES, V1, "", wanted.metadata.name) == wanted


@pytest.mark.parametrize(
    ("namespace", "name"),
    [
        ("team-vision", "nobody"),
        ("elsewhere", "train"),
        ("../..", "train"),
        ("team-vision", "train,metadata.namespace!=default"),
    ],
)
def test_an_object_that_is_not_there_is_none(connected: Connect, namespace: str, name: str) -> None:
    store = Store()
    metadata = {"name": "train", "namespace": "team-vision"}
    store.put({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata, "spec": {}})

    with ApiServer(store) as server:
        assert find_named(connected(server), kinds.REPLICA_SETS, V1, namespace, name) is None
