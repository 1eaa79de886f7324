"""Watches that other threads close, and many of them at once."""

import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from demo.server import ApiServer, Tls
from demo.store import Store
from inventory.kube import kinds
from inventory.kube.client import Client
from inventory.kube.connection import connect
from inventory.kube.events import Events
from inventory.kube.kinds import KINDS, Kind
from inventory.kube.watching import Watch
from tests.demo.factories import claim
from tests.inventory.kube.certificates import Authority
from tests.inventory.kube.conftest import V1
from tests.inventory.kube.kubeconfigs import source_of
from tests.inventory.kube.watched import SECONDS, changes, told

# Closing from another thread


def closed_while_it_waits(client: Client, resource_version: str) -> list[Events[Any]]:
    """What a watch told up to its end, which comes from outside."""
    watch = Watch(client, kinds.RESOURCE_CLAIMS, V1, resource_version, SECONDS)
    accepted = threading.Event()
    found: list[Events[Any]] = []

    def follow() -> list[Events[Any]]:
        for events in watch.events():
            found.append(events)
            accepted.set()
        return found

    with ThreadPoolExecutor(1) as pool:
        followed = pool.submit(follow)
        assert accepted.wait(10)
        watch.close()
        return followed.result(10)


def test_a_watch_that_waits_is_closed_from_another_thread(server: ApiServer, client: Client) -> None:
    assert closed_while_it_waits(client, str(server.store.revision)) == [Events([], [])]
    assert b"gitVersion" in client.get("/version")


def test_a_watch_over_tls_is_closed_from_another_thread(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    tls = Tls(*authority.sign("server", "IP:127.0.0.1"))
    ca = {"certificate-authority": str(authority.certificate)}

    with (
        ApiServer(Store(), tls=tls) as server,
        connect(source_of(tmp_path / "config", server.url, cluster=ca)) as client,
    ):
        for _ in range(5):
            assert closed_while_it_waits(client, str(server.store.revision)) == [Events([], [])]


def test_a_watch_over_tls_tells_every_event_of_a_burst(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    tls = Tls(*authority.sign("server", "IP:127.0.0.1"))
    ca = {"certificate-authority": str(authority.certificate)}
    store = Store()
    for number in range(500):
        store.put(claim(f"burst-{number}"))

    with (
        ApiServer(store, tls=tls) as server,
        connect(source_of(tmp_path / "config", server.url, cluster=ca)) as client,
    ):
        watch = Watch(client, kinds.RESOURCE_CLAIMS, V1, "1", SECONDS)
        events = watch.events()
        assert len(changes(events, 499)) == 499
        store.put({**claim("large"), "spec": {"note": "x" * 2_000_000}})
        assert told(changes(events, 1)) == [("large", False)]
        watch.close()


def test_a_watch_through_a_proxy_that_keeps_no_connection_is_closed_too(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as pool:
        answered = pool.submit(_accept_and_say_nothing_more, listening)
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with connect(source_of(tmp_path / "config", url)) as client:
            assert closed_while_it_waits(client, "1") == [Events([], [])]
        assert answered.result(10)


def _accept_and_say_nothing_more(listening: socket.socket) -> bool:
    """Whether the client went away."""
    connection, _ = listening.accept()
    with connection:
        connection.settimeout(10)
        connection.recv(65_536)
        connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n")
        return connection.recv(1) == b""


def test_a_closed_watch_tells_nothing(server: ApiServer, client: Client) -> None:
    watch = Watch(client, kinds.RESOURCE_CLAIMS, V1, "1", SECONDS)
    watch.close()

    assert list(watch.events()) == []


# Many at once


def test_all_kinds_are_watched_over_one_client(server: ApiServer, client: Client) -> None:
    watched = [kind for kind in KINDS if not kind.metadata_only]
    version = str(server.store.revision)
    watches: list[tuple[Kind[Any], Watch[Any]]] = [
        (kind, Watch(client, kind, V1, version, SECONDS)) for kind in watched
    ]
    following = {kind.resource: watch.events() for kind, watch in watches}
    for events in following.values():
        next(events)

    server.store.put(claim("train"))
    server.store.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-new"}})

    assert told(changes(following["namespaces"], 1)) == [("team-new", False)]
    assert told(changes(following["resourceclaims"], 1)) == [("train", False)]
    for _, watch in watches:
        watch.close()


def test_the_connections_of_all_watches_are_kept(
    client: Client, server: ApiServer, caplog: pytest.LogCaptureFixture
) -> None:
    """So that the next round of watches has none to open."""
    version = str(server.store.revision)

    def watch_once(_: int) -> int:
        return len(list(Watch(client, kinds.RESOURCE_CLAIMS, V1, version, 1).events()))

    with ThreadPoolExecutor(14) as pool:
        assert list(pool.map(watch_once, range(14))) == [1] * 14
    assert "pool is full" not in caplog.text
