import json
from typing import Any

import pytest

from demo.resources import PODS as POD_RESOURCE
from demo.server import ApiServer
from tests.demo.asking import CLAIMS, PODS, ask, watching
from tests.demo.factories import claim, pod, store_of_pods

STREAMING = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}


def told(event: Any) -> tuple[str, str]:
    return event["type"], event["object"]["metadata"]["name"]


def test_a_watch_tells_what_happened_since_its_version_in_order() -> None:
    store = store_of_pods(2)
    with ApiServer(store) as server:
        store.put(pod("pod-002"))
        store.put(claim("other-kind"))
        store.put(pod("pod-000", status={"phase": "Running"}))
        store.delete(POD_RESOURCE, "team-a", "pod-001")
        with watching(server.url, PODS, resourceVersion="2") as events:
            assert [told(next(events)) for _ in range(3)] == [
                ("ADDED", "pod-002"),
                ("MODIFIED", "pod-000"),
                ("DELETED", "pod-001"),
            ]


def test_a_watch_tells_what_happens_next() -> None:
    store = store_of_pods(1)
    with ApiServer(store) as server, watching(server.url, PODS, resourceVersion="1") as events:
        store.put(pod("late"))
        event = next(events)
        assert told(event) == ("ADDED", "late")
        assert event["object"]["metadata"]["resourceVersion"] == "2"


def test_a_deletion_carries_its_own_version() -> None:
    store = store_of_pods(1)
    with ApiServer(store) as server, watching(server.url, PODS, resourceVersion="1") as events:
        store.delete(POD_RESOURCE, "team-a", "pod-000")
        assert next(events)["object"]["metadata"]["resourceVersion"] == "2"


def test_a_compacted_version_ends_the_watch_with_410() -> None:
    store = store_of_pods(5)
    store.compact()
    with ApiServer(store) as server, watching(server.url, PODS, resourceVersion="2") as events:
        error = next(events)
        assert (error["type"], error["object"]["code"]) == ("ERROR", 410)
        assert error["object"]["message"] == "too old resource version: 2 (5)"
        assert error["object"]["reason"] == "Expired"
        assert list(events) == []


def test_a_version_in_the_future_waits_in_silence() -> None:
    with ApiServer(store_of_pods(1)) as server:
        answered = ask(server.url, PODS, watch=1, resourceVersion="99", timeoutSeconds=1)
        assert (answered.status, answered.body) == (200, b"")


def test_without_a_version_the_present_comes_first() -> None:
    store = store_of_pods(2)
    with ApiServer(store) as server, watching(server.url, PODS) as events:
        assert [told(next(events)) for _ in range(2)] == [("ADDED", "pod-000"), ("ADDED", "pod-001")]
        store.put(pod("late"))
        assert told(next(events)) == ("ADDED", "late")


def test_initial_events_can_be_declined() -> None:
    store = store_of_pods(2)
    query = {"sendInitialEvents": "false", "resourceVersionMatch": "NotOlderThan"}
    with ApiServer(store) as server, watching(server.url, PODS, allowWatchBookmarks=1, **query) as events:
        store.put(pod("late"))
        assert told(next(events)) == ("ADDED", "late")


def test_bookmarks_carry_the_version_that_other_kinds_reached() -> None:
    store = store_of_pods(1)
    with (
        ApiServer(store, bookmark_seconds=0.1) as server,
        watching(server.url, PODS, resourceVersion="1", allowWatchBookmarks="true") as events,
    ):
        store.put(claim("other-kind"))
        versions = {next(events)["object"]["metadata"]["resourceVersion"] for _ in range(4)}
        assert "2" in versions


def test_bookmarks_come_only_when_asked_for() -> None:
    with ApiServer(store_of_pods(1), bookmark_seconds=0.05) as server:
        assert ask(server.url, PODS, watch=1, resourceVersion="1", timeoutSeconds=1).body == b""


def test_objects_enter_and_leave_a_selection() -> None:
    store = store_of_pods(1)
    query = {"resourceVersion": "1", "labelSelector": "team=nlp"}
    with ApiServer(store) as server, watching(server.url, PODS, **query) as events:
        store.put(pod("pod-000", metadata={"labels": {"team": "nlp"}}))
        store.put(pod("pod-000", metadata={"labels": {"team": "nlp"}}, status={"phase": "Running"}))
        store.put(pod("pod-000", metadata={"labels": {"team": "vision"}}))
        store.put(pod("pod-000"))
        seen = [next(events) for _ in range(3)]
        assert [event["type"] for event in seen] == ["ADDED", "MODIFIED", "DELETED"]
        assert seen[2]["object"]["metadata"]["labels"] == {"team": "nlp"}
        assert seen[2]["object"]["metadata"]["resourceVersion"] == "4"


def test_a_watch_of_a_namespace_hears_nothing_of_others() -> None:
    store = store_of_pods(1)
    path = "/api/v1/namespaces/team-b/pods"
    with ApiServer(store) as server, watching(server.url, path, resourceVersion="1") as events:
        store.put(pod("elsewhere"))
        store.put(pod("here", "team-b"))
        assert told(next(events)) == ("ADDED", "here")


def test_events_come_in_the_watched_version() -> None:
    store = store_of_pods(0)
    path = CLAIMS.replace("/v1/", "/v1beta1/")
    with ApiServer(store) as server, watching(server.url, path) as events:
        store.put(claim("flat"))
        shown = next(events)["object"]
        assert shown["apiVersion"] == "resource.k8s.io/v1beta1"
        assert shown["spec"]["devices"]["requests"] == [{"name": "gpu", "deviceClassName": "gpu.example.com"}]


@pytest.mark.parametrize(
    "query",
    [
        {"sendInitialEvents": "true"},
        {"sendInitialEvents": "true", "resourceVersionMatch": "Exact"},
        {"resourceVersionMatch": "NotOlderThan", "resourceVersion": "1"},
    ],
)
def test_options_that_exclude_each_other_are_refused(query: dict[str, str]) -> None:
    with ApiServer(store_of_pods(1)) as server:
        assert ask(server.url, PODS, watch=1, **query).status == 422


def test_a_streaming_list_of_the_future_is_refused() -> None:
    with ApiServer(store_of_pods(1)) as server:
        assert ask(server.url, PODS, watch=1, resourceVersion="9", **STREAMING).status == 504


def test_metadata_is_watched_alone_for_who_asks_for_it() -> None:
    accept = {"Accept": "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}
    with ApiServer(store_of_pods(1)) as server:
        body = ask(server.url, PODS, accept, watch=1, timeoutSeconds=1).body
    shown = json.loads(body)["object"]
    assert shown["kind"] == "PartialObjectMetadata"
    assert shown.keys() == {"kind", "apiVersion", "metadata"}
