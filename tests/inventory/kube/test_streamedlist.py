from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from demo import recorded
from demo.access import Grant
from demo.faults import CutWatch, DuplicateEvents, ExpireWatch, Refuse, ReplaceEvent
from demo.server import ApiServer
from inventory.kube import errors, kinds
from inventory.kube.client import Client
from inventory.kube.connection import connect
from inventory.kube.decoding import Chunk
from inventory.kube.discovery import Served, discover
from inventory.kube.kinds import KINDS, Kind
from inventory.kube.listing import list_chunks
from inventory.kube.versions import DraVersion
from tests.inventory.kube.answering import SameAnswer, answering
from tests.inventory.kube.conftest import V1, Connect
from tests.inventory.kube.kubeconfigs import source_of
from tests.inventory.kube.lists import metadata
from tests.inventory.kube.whole import list_all

CLAIMS = "/apis/resource.k8s.io/v1/resourceclaims"
BEFORE_STREAMING = Served("v1.33.1", (1, 33), DraVersion.V1)


def objects(chunks: list[Chunk[Any]]) -> list[Any]:
    return [found for chunk in chunks for found in chunk.objects]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.resource)
def test_a_streaming_list_is_the_list_in_pages(server: ApiServer, client: Client, kind: Kind[Any]) -> None:
    paged = list_all(client, kind, V1)
    server.requests.clear()
    chunks = list(list_chunks(client, kind, V1))

    assert objects(chunks) == paged.objects
    assert [skipped for chunk in chunks for skipped in chunk.skipped] == []
    assert [gone for chunk in chunks for gone in chunk.gone] == []
    (asked,) = server.requests.last()
    assert asked.is_watch
    assert ("as=PartialObjectMetadata;" in asked.headers["accept"]) is kind.metadata_only


def test_only_the_last_chunk_of_a_stream_knows_where_a_watch_goes_on(
    server: ApiServer, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inventory.kube.streaming._MOST_AT_ONCE", 10_000)
    chunks = list(list_chunks(client, kinds.RESOURCE_CLAIMS, V1, limit=5))

    assert len(chunks) > 2
    assert [chunk.resource_version for chunk in chunks[:-1]] == [""] * (len(chunks) - 1)
    assert chunks[-1].resource_version == str(server.store.revision)
    assert sum(chunk.bytes for chunk in chunks) > 100_000


@pytest.mark.parametrize("version", ["v1beta2", "v1beta1"])
def test_older_versions_give_the_same_objects(client: Client, connected: Connect, version: str) -> None:
    with ApiServer(recorded.store(), dra_versions=[version]) as older:
        old = connected(older)
        streamed = objects(list(list_chunks(old, kinds.RESOURCE_CLAIMS, discover(old))))

    assert streamed == list_all(client, kinds.RESOURCE_CLAIMS, V1).objects


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_does_not_stream_lists_gives_pages(
    server: ApiServer, client: Client, status: int
) -> None:
    server.faults.inject(CLAIMS, Refuse(status))

    chunks = list(list_chunks(client, kinds.RESOURCE_CLAIMS, V1))

    assert objects(chunks) == list_all(client, kinds.RESOURCE_CLAIMS, V1).objects
    assert [asked.is_watch for asked in server.requests.last(CLAIMS)][:2] == [True, False]


@pytest.mark.parametrize(
    ("served", "streaming"),
    [(BEFORE_STREAMING, True), (V1, False), (Served("", None, DraVersion.V1), True)],
    ids=["old release", "by choice", "unknown release"],
)
def test_pages_are_asked_for_where_a_stream_is_not_to_be_had(
    server: ApiServer, client: Client, served: Served, *, streaming: bool
) -> None:
    list(list_chunks(client, kinds.RESOURCE_CLAIMS, served, streaming=streaming))

    assert [request.is_watch for request in server.requests.last(CLAIMS)] == [False]


def test_who_may_list_and_not_watch_reads_pages(tmp_path: Path) -> None:
    grant = Grant("reader", verbs=frozenset({"get", "list"}))
    with (
        ApiServer(recorded.store(), tokens={"reader": grant}) as server,
        connect(source_of(tmp_path / "config", server.url, {"token": "reader"})) as client,
    ):
        assert len(objects(list(list_chunks(client, kinds.RESOURCE_CLAIMS, V1)))) > 0


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Refuse(429), errors.ThrottledError),
        (Refuse(500), errors.ServerError),
        (ExpireWatch(), errors.ExpiredError),
        (CutWatch(after=10), errors.UnreachableError),
    ],
)
def test_a_stream_that_goes_wrong_is_no_list(
    server: ApiServer, client: Client, fault: Any, error: type[errors.ClusterError]
) -> None:
    server.faults.inject(CLAIMS, fault)

    with pytest.raises(error):
        list(list_chunks(client, kinds.RESOURCE_CLAIMS, V1))
    assert server.requests.count(CLAIMS) == 1


def test_a_malformed_object_is_skipped(server: ApiServer, client: Client) -> None:
    odd = b'{"type":"ADDED","object":{"metadata":{"name":"odd","namespace":"a","uid":"u-1"},"spec":5}}'
    server.faults.inject(CLAIMS, ReplaceEvent(0, odd))

    chunks = list(list_chunks(client, kinds.RESOURCE_CLAIMS, V1))

    assert objects(chunks) == list_all(client, kinds.RESOURCE_CLAIMS, V1).objects[1:]
    assert [skipped.uid for chunk in chunks for skipped in chunk.skipped] == ["u-1"]


def test_an_object_that_comes_twice_is_in_the_list_once(server: ApiServer, client: Client) -> None:
    server.faults.inject(CLAIMS, DuplicateEvents())

    chunks = list(list_chunks(client, kinds.RESOURCE_CLAIMS, V1))

    assert objects(chunks) == list_all(client, kinds.RESOURCE_CLAIMS, V1).objects


# What changes while it is read


def event(kind: str, name: str, version: str, **more: Any) -> bytes:
    found = {"metadata": metadata(name, resourceVersion=version, **more), "spec": {}}
    return msgspec.json.encode({"type": kind, "object": found}) + b"\n"


END = (
    b'{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9",'
    b'"annotations":{"k8s.io/initial-events-end":"true"}}}}\n'
)


@contextmanager
def streaming(tmp_path: Path, *lines: bytes) -> Iterator[Iterator[Chunk[Any]]]:
    with (
        answering(SameAnswer(200, b"".join(lines))) as server,
        connect(source_of(tmp_path / "config", server.url)) as client,
    ):
        yield list_chunks(client, kinds.RESOURCE_CLAIMS, V1)


def test_what_changes_before_the_end_of_the_list_is_in_it(tmp_path: Path) -> None:
    """An API server tells first what its cache holds, and then what the cache has missed."""
    lines = (
        event("ADDED", "a", "1"),
        event("ADDED", "b", "2"),
        event("MODIFIED", "a", "5"),
        event("DELETED", "b", "6"),
        event("ADDED", "c", "7"),
        END,
        event("MODIFIED", "c", "10"),
    )

    with streaming(tmp_path, *lines) as chunks:
        (chunk,) = chunks

    listed = [(found.metadata.name, found.metadata.resource_version) for found in chunk.objects]
    assert listed == [("a", "5"), ("c", "7")]
    assert chunk.resource_version == "9"


def test_what_is_gone_before_the_end_of_the_list_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inventory.kube.streaming._BLOCK", 200)
    monkeypatch.setattr("inventory.kube.streaming._MOST_AT_ONCE", 200)
    monkeypatch.setattr("inventory.kube.streamedlist._MOST_BYTES", 1)
    unreadable = event("DELETED", "b", "6").replace(b'"spec":{}', b'"spec":5')

    with streaming(
        tmp_path,
        event("ADDED", "a", "1"),
        event("ADDED", "b", "2"),
        event("DELETED", "a", "5"),
        unreadable,
        END,
    ) as found:
        chunks = list(found)

    assert {one.metadata.uid for one in chunks[0].objects} == {"uid-a"}
    assert [uid for chunk in chunks for uid in chunk.gone] == ["uid-a", "uid-b"]


def test_a_uid_of_two_objects_is_told(tmp_path: Path) -> None:
    with streaming(tmp_path, event("ADDED", "a", "1"), event("ADDED", "b", "2", uid="uid-a"), END) as chunks:
        (chunk,) = chunks

    assert [found.metadata.name for found in chunk.objects] == ["a"]
    assert [(skipped.name, skipped.uid) for skipped in chunk.skipped] == [("b", "uid-a")]


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        ((event("ADDED", "a", "1"),), errors.TimedOutError),
        ((), errors.TimedOutError),
        ((event("ADDED", "a", "1"), END[:40]), errors.UnreachableError),
        ((b"<html>\n",), errors.BadAnswerError),
    ],
    ids=["without an end", "empty", "half a bookmark", "a page"],
)
def test_a_stream_without_its_closing_bookmark_is_no_list(
    tmp_path: Path, lines: tuple[bytes, ...], error: type[errors.ClusterError]
) -> None:
    with streaming(tmp_path, *lines) as chunks, pytest.raises(error):
        list(chunks)
