from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from demo import recorded
from demo.access import Grant
from demo.faults import BookmarksOnly, CutWatch, Drop, DuplicateEvents, ExpireWatch, Refuse, ReplaceEvent
from demo.resources import RESOURCE_CLAIMS
from demo.server import ApiServer
from inventory.kube import errors, kinds
from inventory.kube.client import Client
from inventory.kube.connection import connect
from inventory.kube.discovery import discover
from inventory.kube.events import Events
from inventory.kube.watching import Watch
from tests.demo.factories import claim
from tests.inventory.kube.answering import SameAnswer, answering
from tests.inventory.kube.conftest import V1, Connect
from tests.inventory.kube.kubeconfigs import source_of
from tests.inventory.kube.watched import CLAIMS, SECONDS, changes, told

Following = Callable[..., Iterator[Events[Any]]]


@pytest.fixture
def following(server: ApiServer, client: Client) -> Iterator[Following]:
    """The events of claims from now on; the watch is there when it returns."""
    watches: list[Watch[Any]] = []

    def follow(resource_version: str = "", **changed: Any) -> Iterator[Events[Any]]:
        version = resource_version or str(server.store.revision)
        watches.append(Watch(client, kinds.RESOURCE_CLAIMS, V1, version, changed.get("seconds", SECONDS)))
        events = watches[-1].events()
        assert next(events) == Events([], [])
        return events

    yield follow
    for watch in watches:
        watch.close()


def test_a_watch_follows_a_claim_from_its_creation_to_its_end(
    server: ApiServer, following: Following
) -> None:
    events = following()

    server.store.put(claim("train"))
    allocated = {"request": "gpu", "driver": "gpu.example.com", "pool": "node-1", "device": "gpu-0"}
    server.store.put(claim("train") | {"status": {"allocation": {"devices": {"results": [allocated]}}}})
    server.store.delete(RESOURCE_CLAIMS, "team-a", "train")
    created, changed, deleted = changes(events, 3)

    assert told([created, changed, deleted]) == [("train", False), ("train", False), ("train", True)]
    assert created.object.status is None or created.object.status.allocation is None
    assert [one.device for one in changed.object.status.allocation.results()] == ["gpu-0"]
    assert deleted.object.metadata.resource_version == str(server.store.revision)
    assert len({change.object.metadata.uid for change in (created, changed, deleted)}) == 1


def test_a_watch_tells_what_happened_before_it_began(server: ApiServer, following: Following) -> None:
    before = str(server.store.revision)
    server.store.put(claim("earlier"))

    assert told(changes(following(before), 1)) == [("earlier", False)]


def test_a_watch_tells_where_it_would_go_on(server: ApiServer, following: Following) -> None:
    events = following()
    server.store.put(claim("train"))

    assert next(events).resource_version == str(server.store.revision)


def test_a_burst_is_told_in_its_order_and_in_groups(server: ApiServer, following: Following) -> None:
    before = str(server.store.revision)
    for number in range(2000):
        server.store.put(claim(f"burst-{number}"))
    events = following(before)

    groups: list[Events[Any]] = []
    while sum(len(group.changes) for group in groups) < 2000:
        groups.append(next(events))

    assert [name for group in groups for name, _ in told(group.changes)] == [
        f"burst-{number}" for number in range(2000)
    ]
    assert len(groups) < 1000


def test_a_watch_asks_for_what_it_needs(server: ApiServer, following: Following) -> None:
    following("7", seconds=14.2)

    (asked,) = server.requests.last(CLAIMS)
    assert asked.query == {
        "watch": "1",
        "allowWatchBookmarks": "true",
        "resourceVersion": "7",
        "timeoutSeconds": "15",
    }
    assert asked.headers.get("accept-encoding") in (None, "identity")


def test_a_watch_ends_with_its_time_and_leaves_the_connection_to_the_next(
    server: ApiServer, client: Client
) -> None:
    watch = Watch(client, kinds.RESOURCE_CLAIMS, V1, str(server.store.revision), 1)

    assert {len(events.changes) for events in watch.events()} == {0}
    watch.close()
    assert b"gitVersion" in client.get("/version")


def test_bookmarks_move_a_quiet_watch_on(connected: Connect) -> None:
    with ApiServer(recorded.store(), bookmark_seconds=0.05) as server:
        before = str(server.store.revision)
        watch = Watch(connected(server), kinds.RESOURCE_CLAIMS, V1, before, SECONDS)
        events = watch.events()
        next(events)
        server.store.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "elsewhere"}})

        reached = {next(events).resource_version for _ in range(4)}
        watch.close()

    assert str(server.store.revision) in reached
    assert reached <= {before, str(server.store.revision)}


def test_a_watch_that_loses_events_tells_only_where_it_is(connected: Connect) -> None:
    with ApiServer(recorded.store(), bookmark_seconds=0.05) as server:
        server.faults.inject(CLAIMS, BookmarksOnly())
        watch = Watch(connected(server), kinds.RESOURCE_CLAIMS, V1, str(server.store.revision), SECONDS)
        events = watch.events()
        next(events)
        server.store.put(claim("lost"))

        assert next(events).changes == []
        watch.close()


def test_events_that_come_twice_are_told_twice(server: ApiServer, following: Following) -> None:
    server.faults.inject(CLAIMS, DuplicateEvents())
    events = following()
    server.store.put(claim("train"))

    assert told(changes(events, 2)) == [("train", False)] * 2


# Odd objects


def test_a_malformed_object_does_not_end_the_watch(server: ApiServer, following: Following) -> None:
    odd = b'{"type":"ADDED","object":{"metadata":{"name":"odd","namespace":"a","uid":"u-1"},"spec":5}}'
    server.faults.inject(CLAIMS, ReplaceEvent(0, odd))
    events = following()
    server.store.put(claim("replaced"))
    server.store.put(claim("next"))

    found: list[Events[Any]] = []
    while not any(group.changes for group in found):
        found.append(next(events))

    assert [one.uid for group in found for one in group.skipped] == ["u-1"]
    assert [name for group in found for name, _ in told(group.changes)] == ["next"]


def test_invalid_utf_8_in_a_label_does_not_end_the_watch(server: ApiServer, following: Following) -> None:
    odd = (
        b'{"type":"ADDED","object":{"metadata":{"name":"odd","namespace":"a","uid":"u-1",'
        b'"labels":{"team":"\xff\xfe"}},"spec":{}}}'
    )
    server.faults.inject(CLAIMS, ReplaceEvent(0, odd))
    events = following()
    server.store.put(claim("replaced"))

    (change,) = changes(events, 1)
    assert change.object.metadata.labels == {"team": "\ufffd\ufffd"}


def test_an_object_of_two_megabytes_is_read(server: ApiServer, following: Following) -> None:
    events = following()
    large = claim("large")
    large["spec"]["note"] = "x" * 2_000_000
    server.store.put(large)

    (change,) = changes(events, 1)
    assert change.object.spec["note"] == "x" * 2_000_000


def test_a_line_without_an_end_is_a_bad_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inventory.kube.streaming.LONGEST_LINE", 1_000_000)
    body = b'{"type":"ADDED","object":{"metadata":{"name":"' + b"x" * 3_000_000

    with (
        answering(SameAnswer(200, body)) as server,
        connect(source_of(tmp_path / "config", server.url)) as client,
        pytest.raises(errors.BadAnswerError, match="a line of more than 1000000 bytes"),
    ):
        list(Watch(client, kinds.PODS, V1, "1", SECONDS).events())


def test_events_of_an_older_version_are_lifted(connected: Connect) -> None:
    with ApiServer(recorded.store(), dra_versions=["v1beta1"]) as server:
        client = connected(server)
        watch = Watch(client, kinds.RESOURCE_CLAIMS, discover(client), str(server.store.revision), SECONDS)
        events = watch.events()
        next(events)
        server.store.put(claim("flat"))

        (change,) = changes(events, 1)
        watch.close()

    (request,) = change.object.spec["devices"]["requests"]
    assert request["exactly"]["deviceClassName"] == "gpu.example.com"


# Ends


def test_a_history_that_does_not_reach_back_has_expired(server: ApiServer, following: Following) -> None:
    server.store.put(claim("late"))
    server.store.compact()

    with pytest.raises(errors.ExpiredError, match="too old resource version"):
        list(following("1"))


def test_an_expired_watch_is_told_by_an_event(server: ApiServer, following: Following) -> None:
    server.faults.inject(CLAIMS, ExpireWatch())

    with pytest.raises(errors.ExpiredError, match=r"410: .*The list has to start over"):
        list(following())


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Refuse(410), errors.ExpiredError),
        (Refuse(429), errors.ThrottledError),
        (Refuse(500), errors.ServerError),
        (Refuse(504), errors.TimedOutError),
    ],
)
def test_a_refused_watch_is_an_error_before_any_event(
    server: ApiServer, client: Client, fault: Refuse, error: type[errors.ClusterError]
) -> None:
    server.faults.inject(CLAIMS, fault)

    with pytest.raises(error):
        next(Watch(client, kinds.RESOURCE_CLAIMS, V1, "1", SECONDS).events())


def test_a_watch_without_the_right_to_it_names_the_rule(tmp_path: Path) -> None:
    with (
        ApiServer(recorded.store(), tokens={"guest": Grant("guest", frozenset())}) as server,
        connect(source_of(tmp_path / "config", server.url, {"token": "guest"})) as client,
        pytest.raises(errors.ForbiddenError, match='Grant the verb "watch" on "resourceclaims"'),
    ):
        next(Watch(client, kinds.RESOURCE_CLAIMS, V1, "1", SECONDS).events())


def test_half_a_line_is_no_event(server: ApiServer, following: Following) -> None:
    server.faults.inject(CLAIMS, CutWatch(after=1))
    events = following()
    server.store.put(claim("whole"))
    assert told(changes(events, 1)) == [("whole", False)]
    server.store.put(claim("half"))

    with pytest.raises(errors.UnreachableError, match="broke"):
        list(events)


def test_a_body_that_ends_in_the_middle_of_a_line_is_no_end(tmp_path: Path) -> None:
    with (
        answering(SameAnswer(200, b'{"type":"BOOKMARK",')) as server,
        connect(source_of(tmp_path / "config", server.url)) as client,
        pytest.raises(errors.UnreachableError, match="in the middle of a line"),
    ):
        list(Watch(client, kinds.PODS, V1, "1", SECONDS).events())


def test_a_server_that_ignores_the_watch_is_a_bad_answer(tmp_path: Path) -> None:
    with (
        answering(SameAnswer(200, b'{"kind": "PodList", "metadata": {}, "items": []}\n')) as server,
        connect(source_of(tmp_path / "config", server.url)) as client,
        pytest.raises(errors.BadAnswerError, match="no event"),
    ):
        list(Watch(client, kinds.PODS, V1, "1", SECONDS).events())


def test_a_connection_closed_while_idle_is_opened_again(server: ApiServer, client: Client) -> None:
    client.get("/version")
    server.faults.inject(CLAIMS, Drop())

    watch = Watch(client, kinds.RESOURCE_CLAIMS, V1, str(server.store.revision), SECONDS)
    assert next(watch.events()) == Events([], [])
