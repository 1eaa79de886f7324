"""The stream from a real web server, over HTTP."""

import http.client
import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from itertools import takewhile
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.access.models import ApiToken, UserSession
from inventory.models import Membership
from tests.dashboard.stream.conftest import Living
from tests.dashboard.stream.reading import Event, events_of
from tests.services.web import Listening, Web, as_user, running_web

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def web(transactional_db: None, tmp_path: Path) -> Iterator[Web]:
    folder = tmp_path / "web"
    folder.mkdir()
    with running_web(folder, SLICEBOARD_STREAMS_OF_USER="300") as web:
        yield web


def changes(events: list[Event]) -> list[tuple[str, str]]:
    return [event.change for event in events if event.name == "share"]


def test_what_happens_is_told_as_it_happens(web: Web, living: Living, operator: User) -> None:
    with Listening(web, headers=as_user(operator)) as listening:
        assert next(listening.events).content["reason"] == "first"
        living.happens("a")
        events = listening.until(("began", "a"))
        assert changes(events) == [("began", "a")]
        living.take("a")
        living.poll()
        assert changes(listening.until(("ended", "a"))) == [("ended", "a")]


def test_whoever_is_cut_off_again_and_again_misses_nothing_and_hears_nothing_twice(
    web: Web, living: Living, operator: User
) -> None:
    names, chance, headers = [f"claim-{number}" for number in range(12)], random.Random(7), as_user(operator)
    heard: list[Event] = []
    with Listening(web, headers=headers) as steady:
        begun = next(steady.events)

        def listen_in_pieces() -> None:
            last = begun.id
            while ("began", "the-last") not in changes(heard):
                with Listening(web, headers={**headers, "Last-Event-ID": last}) as piece:
                    for _, event in zip(range(chance.randint(1, 3)), piece.events, strict=False):
                        heard.append(event)
                        last = event.id

        interrupted = threading.Thread(target=listen_in_pieces)
        interrupted.start()
        for place in range(0, len(names), 3):
            living.happens(*names[place : place + 3])
        living.happens("the-last")
        everything = changes(steady.until(("began", "the-last")))
        interrupted.join()
    assert changes(heard) == everything
    assert sorted(everything) == sorted(("began", name) for name in (*names, "the-last"))


@contextmanager
def slow_client(web: Web, headers: dict[str, str]) -> Iterator[Iterator[Event]]:
    """It reads only as it is iterated over, and hardly anything is kept for it on the way.

    Its packets are as on a real network: for the large ones inside one machine, megabytes would be kept.
    """
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1400)
        client.settimeout(60)
        client.connect((web.address.host, web.address.port))
        sent = f"GET /api/v1/stream/ HTTP/1.0\r\nHost: localhost\r\nCookie: {headers['Cookie']}\r\n\r\n"
        client.sendall(sent.encode())
        with client.makefile("rb") as lines:
            yield events_of(line.decode() for line in lines)


@pytest.mark.timeout(300)
def test_a_client_that_does_not_read_holds_up_nobody(
    transactional_db: None, living: Living, operator: User, tmp_path: Path
) -> None:
    """Nobody in the same process: what one is told there has been looked at for the other as well."""
    headers = as_user(operator)
    (tmp_path / "web").mkdir()
    with (
        running_web(tmp_path / "web", SLICEBOARD_WEB_PROCESSES="1") as web,
        slow_client(web, headers) as slow,
        Listening(web, headers=headers) as other,
    ):
        assert next(slow).content["reason"] == "first"
        next(other.events)
        living.happens(*(f"many-{number}" for number in range(400)))
        for number in range(10):
            living.happens(f"more-{number}")
            other.until(("began", f"more-{number}"))
        assert web.ask("/pods/", headers=headers).status == 200
        # What it could not take in time is not kept for it: it is told to read everything anew, or cut off.
        late: list[Event] = []
        with suppress(ConnectionError):
            late.extend(takewhile(lambda event: event.name != "snapshot", slow))
        assert changes(late)
        assert ("began", "more-9") not in changes(late)


def test_two_hundred_who_listen_hold_no_thread_and_all_are_told(
    web: Web, living: Living, operator: User
) -> None:
    headers = as_user(operator)
    with ExitStack() as stack:
        listening = [stack.enter_context(Listening(web, headers=headers)) for _ in range(200)]
        for one in listening:
            next(one.events)
        for path in ("/", "/devices/", "/pods/", "/api/v1/devices/?format=csv"):
            assert web.ask(path, headers=headers).status == 200
        # Four that answer, two for the streams, the loop, and one or two of the server itself.
        assert max(web.threads) <= 9
        living.happens("a")
        for one in listening:
            assert changes(one.until(("began", "a"))) == [("began", "a")]


def test_the_stream_ends_with_the_session(web: Web, living: Living, member: User) -> None:
    headers = as_user(member)
    with Listening(web, headers=headers) as listening:
        next(listening.events)
        browser = Client(headers=headers)
        assert browser.post("/sign-out/").status_code == 302
        assert not UserSession.objects.exists()
        list(listening.events)
    assert web.ask("/api/v1/stream/", headers=headers).status == 401


def test_the_stream_ends_with_the_token(web: Web, living: Living, member: User) -> None:
    token, text = ApiToken.issue(member, "of a program", "read", timedelta(days=1))
    headers = {"Authorization": f"Bearer {text}"}
    with Listening(web, headers=headers) as listening:
        next(listening.events)
        token.revoke()
        list(listening.events)
    assert web.ask("/api/v1/stream/", headers=headers).status == 401


def test_the_stream_ends_with_what_one_may_see(web: Web, living: Living, member: User) -> None:
    headers = as_user(member)
    with Listening(web, headers=headers) as listening:
        first = next(listening.events)
        Membership.objects.all().delete()
        list(listening.events)
    with Listening(web, headers={**headers, "Last-Event-ID": first.id}) as again:
        assert next(again.events).content["reason"] == "unknown"


def test_the_stream_ends_when_another_cluster_comes(web: Web, living: Living, operator: User) -> None:
    headers = as_user(operator)
    with Listening(web, headers=headers) as of_all, Listening(web, "cluster=lab", headers) as of_one:
        next(of_all.events)
        next(of_one.events)
        type(living.cluster).objects.create(name="farm")
        list(of_all.events)
        living.happens("a")
        of_one.until(("began", "a"))


def test_nobody_is_told_of_what_is_not_his(web: Web, living: Living, member: User, stranger: User) -> None:
    with (
        Listening(web, headers=as_user(member)) as own,
        Listening(web, headers=as_user(stranger)) as foreign,
    ):
        next(own.events)
        next(foreign.events)
        living.happens("secret-claim")
        own.until(("began", "secret-claim"))
        told = next(foreign.events)
    assert told.name == "freshness"
    assert "secret" not in str(told.content)


def test_a_user_has_so_many_streams_and_no_more(
    transactional_db: None, tmp_path: Path, operator: User
) -> None:
    headers = as_user(operator)
    with running_web(tmp_path, SLICEBOARD_STREAMS_OF_USER="1", SLICEBOARD_WEB_PROCESSES="1") as web:
        with Listening(web, headers=headers) as listening:
            next(listening.events)
            refused = web.ask("/api/v1/stream/", headers=headers)
            assert (refused.status, refused.headers["Content-Type"]) == (429, "application/problem+json")
            assert refused.headers["Retry-After"] == "30"
        # Its place is free as soon as the server has seen that it is gone.
        while (status := _status(web, headers)) == 429:
            time.sleep(0.05)
        assert status == 200


def test_a_server_that_stops_ends_its_streams_first(
    transactional_db: None, tmp_path: Path, operator: User
) -> None:
    with running_web(tmp_path) as web, Listening(web, headers=as_user(operator)) as listening:
        next(listening.events)
        web.process.ask_to_stop()
        # To its proper end: a stream that is torn raises IncompleteRead.
        list(listening.events)
        web.process.wait_or_kill(30)
        assert web.process.exit_code() == 0
        assert "exceeded" not in web.process.log.read_text()


def _status(web: Web, headers: dict[str, str]) -> int:
    """Of a stream that is left at once."""
    asking = http.client.HTTPConnection(web.address.host, web.address.port, timeout=60)
    asking.request("GET", "/api/v1/stream/", headers=headers)
    status = asking.getresponse().status
    asking.close()
    return status
