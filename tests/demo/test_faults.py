import http.client
import threading
from collections.abc import Iterator

import pytest

from demo import faults
from demo.server import ApiServer
from tests.demo.asking import CLAIMS, PODS, ask, connect, names, watching
from tests.demo.factories import pod, store_of_pods


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer(store_of_pods(5)) as running:
        yield running


def test_the_next_requests_are_refused_and_then_all_is_well(server: ApiServer) -> None:
    server.faults.inject(PODS, faults.Refuse(503), times=2)
    assert [ask(server.url, PODS).status for _ in range(3)] == [503, 503, 200]


def test_too_many_requests_say_when_to_come_back(server: ApiServer) -> None:
    server.faults.inject(PODS, faults.Refuse(429, retry_after=7))
    answered = ask(server.url, PODS)
    assert (answered.status, answered.headers["retry-after"]) == (429, "7")
    assert answered.json["details"]["retryAfterSeconds"] == 7


def test_other_paths_are_spared(server: ApiServer) -> None:
    server.faults.inject("*/resourceclaims", faults.Refuse(500))
    assert ask(server.url, PODS).status == 200
    assert ask(server.url, CLAIMS).status == 500


def test_a_fault_can_wait_for_a_later_request(server: ApiServer) -> None:
    server.faults.inject(PODS, faults.Refuse(500), skip=1)
    assert [ask(server.url, PODS).status for _ in range(3)] == [200, 500, 200]


def test_cleared_faults_do_not_come(server: ApiServer) -> None:
    server.faults.inject(PODS, faults.Refuse(500))
    server.faults.clear()
    assert ask(server.url, PODS).status == 200


def test_a_hanging_request_goes_on_when_the_gate_opens(server: ApiServer) -> None:
    gate = threading.Event()
    server.faults.inject(PODS, faults.Hang(gate))
    connection = connect(server.url)
    connection.request("GET", PODS)
    assert ask(server.url, PODS).status == 200
    gate.set()
    assert connection.getresponse().status == 200
    connection.close()


def test_a_dropped_connection_has_no_answer(server: ApiServer) -> None:
    server.faults.inject(PODS, faults.Drop())
    with pytest.raises(http.client.RemoteDisconnected):
        ask(server.url, PODS)


def test_a_body_that_breaks_off_is_incomplete(server: ApiServer) -> None:
    server.faults.inject(PODS, faults.CutBody())
    with pytest.raises(http.client.IncompleteRead):
        ask(server.url, PODS)


def test_items_can_be_anything(server: ApiServer) -> None:
    server.faults.inject(PODS, faults.ReplaceItem(1, b'{"metadata":7}'))
    assert ask(server.url, PODS).json["items"][1] == {"metadata": 7}
    server.faults.inject(PODS, faults.ReplaceItem(1, b"{broken"))
    assert b",{broken," in ask(server.url, PODS).body


def test_a_list_expires_in_its_middle(server: ApiServer) -> None:
    server.faults.inject(PODS, faults.ExpireContinue())
    token = ask(server.url, PODS, limit=2).json["metadata"]["continue"]
    expired = ask(server.url, PODS, limit=2, **{"continue": token})
    assert (expired.status, expired.json["reason"]) == (410, "Expired")
    fresh = expired.json["metadata"]["continue"]
    assert names(ask(server.url, PODS, **{"continue": fresh})) == ["pod-002", "pod-003", "pod-004"]


def test_a_watch_breaks_off_in_the_middle_of_an_event(server: ApiServer) -> None:
    server.faults.inject(PODS, faults.CutWatch(after=2))
    connection = connect(server.url)
    connection.request("GET", f"{PODS}?watch=1")
    with pytest.raises(http.client.IncompleteRead) as broken:
        connection.getresponse().read()
    lines = broken.value.partial.splitlines()
    assert len(lines) == 3
    assert lines[2].startswith(b'{"type":"ADDED"')
    assert not lines[2].endswith(b"}}")
    connection.close()


def test_events_can_come_twice(server: ApiServer) -> None:
    server.faults.inject(PODS, faults.DuplicateEvents())
    with watching(server.url, PODS) as events:
        assert [next(events)["object"]["metadata"]["name"] for _ in range(4)] == ["pod-000"] * 2 + [
            "pod-001"
        ] * 2


def test_events_can_be_anything(server: ApiServer) -> None:
    server.faults.inject(PODS, faults.ReplaceEvent(1, b'{"type":7}'))
    with watching(server.url, PODS) as events:
        assert next(events)["type"] == "ADDED"
        assert next(events) == {"type": 7}
        assert next(events)["object"]["metadata"]["name"] == "pod-002"


def test_a_watch_can_lose_all_events_but_bookmarks() -> None:
    store = store_of_pods(1)
    with ApiServer(store, bookmark_seconds=0.1) as server:
        server.faults.inject(PODS, faults.BookmarksOnly())
        with watching(server.url, PODS, resourceVersion="1", allowWatchBookmarks="true") as events:
            store.put(pod("lost"))
            assert {next(events)["type"] for _ in range(3)} == {"BOOKMARK"}


def test_a_watch_can_expire(server: ApiServer) -> None:
    server.faults.inject(PODS, faults.ExpireWatch())
    with watching(server.url, PODS) as events:
        assert [event["object"]["code"] for event in events] == [410]


def test_faults_of_watches_leave_lists_alone(server: ApiServer) -> None:
    server.faults.inject(PODS, faults.CutWatch())
    assert ask(server.url, PODS).status == 200


def test_the_requests_are_counted(server: ApiServer) -> None:
    ask(server.url, PODS, limit=2)
    ask(server.url, CLAIMS)
    assert server.requests.count(PODS) == 1
    assert server.requests.count("*") == 2
    assert server.requests.last(PODS)[0].query == {"limit": "2"}
    server.requests.clear()
    assert server.requests.count("*") == 0
