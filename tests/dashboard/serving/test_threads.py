"""Answers of threads, for a server that speaks ASGI: driven here as such a server does it."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Iterable, Iterator
from typing import Any

import pytest

from dashboard.serving import incoming, outgoing
from dashboard.serving.exchange import exchange_of
from dashboard.serving.incoming import Incoming, NotKept, Untaken
from dashboard.serving.room import FREE, Room
from dashboard.serving.threads import Threads
from tests.looping import run

Message = dict[str, Any]
LONGEST = 1000


class Visit:
    """One client: it sends its body in parts, and takes as many messages as it will."""

    def __init__(
        self,
        *parts: bytes,
        headers: Iterable[tuple[bytes, bytes]] = (),
        parts_sent: int = 1000,
        takes: int = 100_000,
        stays: bool = True,
        pause: float = 0.0,
    ) -> None:
        length = [(b"content-length", str(sum(map(len, parts))).encode())] if parts else []
        self.scope: Any = {
            "type": "http",
            "method": "POST" if parts else "GET",
            "path": "/",
            "query_string": b"",
            "http_version": "1.1",
            "headers": [*length, *headers],
        }
        self.messages: list[Message] = []
        self._parts, self._left = list(parts), min(parts_sent, len(parts))
        self._takes, self._stays, self._pause = takes, stays, pause

    async def receive(self) -> Any:
        if self._left:
            await asyncio.sleep(self._pause)
            self._left -= 1
            return {"type": "http.request", "body": self._parts.pop(0), "more_body": bool(self._parts)}
        if self._stays:
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        await asyncio.sleep(self._pause)
        if len(self.messages) == self._takes:
            await asyncio.Event().wait()
        self.messages.append(message)

    @property
    def text(self) -> bytes:
        return b"".join(one.get("body", b"") for one in self.messages)


def visited(application: Any, *visits: Visit, workers: int = 1) -> None:
    """One after the other."""

    async def all_of_them() -> None:
        threads = Threads(application, workers, longest=LONGEST, before_stopping=lambda: None)
        for visit in visits:
            await threads(visit.scope, visit.receive, visit.send)

    run(all_of_them())


def hello(environ: Any, start_response: Any) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"hello"]


def never_asked(environ: Any, start_response: Any) -> Iterable[bytes]:
    raise AssertionError("a thread has begun")


def test_an_answer_comes_as_it_was_made() -> None:
    visit = Visit()
    visited(hello, visit)
    assert visit.messages[0]["status"] == 200
    assert (b"content-type", b"text/plain") in visit.messages[0]["headers"]
    assert visit.text == b"hello"
    assert not visit.messages[-1].get("more_body", False)


def test_a_name_that_looks_like_that_of_a_proxy_is_not_passed_on() -> None:
    seen = {}

    def application(environ: Any, start_response: Any) -> Iterable[bytes]:
        seen.update(environ)
        return hello(environ, start_response)

    visited(application, Visit(headers=[(b"x_forwarded_for", b"10.0.0.1"), (b"x-request-id", b"7")]))
    assert "HTTP_X_FORWARDED_FOR" not in seen
    assert seen["HTTP_X_REQUEST_ID"] == "7"


def test_a_body_that_comes_in_parts_is_read_to_its_end() -> None:
    def application(environ: Any, start_response: Any) -> Iterable[bytes]:
        assert environ["wsgi.input_terminated"]
        start_response("200 OK", [])
        return [environ["wsgi.input"].read()]

    visit = Visit(b"a claim", b" and", b" a Pod")
    visited(application, visit)
    assert visit.text == b"a claim and a Pod"


def test_a_client_that_goes_in_the_middle_of_its_body_is_not_taken_at_its_word() -> None:
    visit = Visit(b"quantity=1", b"00", parts_sent=1, stays=False)
    visited(never_asked, visit)
    assert visit.messages == []


def test_a_body_that_does_not_come_in_time_is_refused_before_a_thread_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However lively its client is: the time is for all of it."""
    monkeypatch.setattr(incoming, "PATIENCE_SECONDS", 0.2)
    dripping = Visit(*[b"a"] * 900, pause=0.02)
    visited(never_asked, dripping)
    assert dripping.messages[0]["status"] == 408
    assert (b"connection", b"close") in dripping.messages[0]["headers"]


def test_of_a_body_that_is_too_long_the_beginning_can_be_read_and_no_more() -> None:
    caught: list[object] = []

    def application(environ: Any, start_response: Any) -> Iterable[bytes]:
        caught.append(environ["wsgi.input"].read(LONGEST))
        try:
            environ["wsgi.input"].read(1)
        except NotKept as error:
            caught.append(error)
        return hello(environ, start_response)

    visit = Visit(b"a" * 600, b"b" * 600)
    visited(application, visit)
    assert caught[0] == b"a" * 600 + b"b" * 400
    assert isinstance(caught[1], NotKept)
    assert visit.text == b"hello"


def test_long_bodies_have_so_much_room_together_and_give_it_back() -> None:
    room = Room(3 * FREE)

    async def taken(*bodies: int) -> list[int]:
        held, statuses = [], []
        for size in bodies:
            visit = Visit(*[b"a" * FREE] * size)
            one = Incoming(visit.receive, room, longest=10 * FREE)
            held.append(one)
            try:
                await one.take()
                statuses.append(200)
            except Untaken as refusal:
                statuses.append(refusal.status)
        for one in held:
            one.drop()
        return statuses

    assert run(taken(3, 3, 1)) == [200, 503, 200]
    assert run(taken(4, 1)) == [200, 200]


def test_a_client_that_has_gone_ends_what_is_made_for_it() -> None:
    made, closed = [], threading.Event()

    def application(environ: Any, start_response: Any) -> Iterable[bytes]:
        start_response("200 OK", [])
        return rows()

    def rows() -> Iterator[bytes]:
        try:
            for number in range(2_000):
                made.append(number)
                yield b"row\n"
        finally:
            closed.set()

    visited(application, Visit(stays=False), Visit())
    assert closed.is_set()
    # The first one was dropped early, the second one came whole.
    assert 2_000 < len(made) < 4_000


def test_a_client_that_does_not_read_holds_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outgoing, "PATIENCE_SECONDS", 0.05)

    def application(environ: Any, start_response: Any) -> Iterable[bytes]:
        start_response("200 OK", [])
        return (b"row\n" for _ in range(1000))

    visited(application, Visit(takes=3), after := Visit())
    assert after.text == b"row\n" * 1000


def test_an_answer_that_fits_holds_no_thread_however_slowly_it_is_read() -> None:
    made, read = threading.Event(), threading.Event()

    def application(environ: Any, start_response: Any) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/slow":
            start_response("200 OK", [])
            return (b"row\n" for _ in range(1000))
        return hello(environ, start_response)

    class Slow(Visit):
        async def send(self, message: Any) -> None:
            await super().send(message)
            made.set()
            while not read.is_set():
                await asyncio.sleep(0)

    async def both() -> None:
        threads = Threads(application, 1, longest=LONGEST, before_stopping=lambda: None)
        slow, quick = Slow(), Visit()
        slow.scope["path"] = "/slow"
        reading = asyncio.create_task(threads(slow.scope, slow.receive, slow.send))
        while not made.is_set():
            await asyncio.sleep(0)
        await threads(quick.scope, quick.receive, quick.send)
        assert quick.text == b"hello"
        read.set()
        await reading
        assert slow.text == b"row\n" * 1000

    run(both())


def test_whoever_reads_a_long_answer_too_slowly_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if each piece of it is taken in good time."""
    monkeypatch.setattr(outgoing, "PATIENCE_SECONDS", 0.2)
    monkeypatch.setattr(outgoing, "LEAST_RATE", 64 * 1024 * 1024)

    def application(environ: Any, start_response: Any) -> Iterable[bytes]:
        start_response("200 OK", [])
        return (b"a" * 64 * 1024 for _ in range(1000))

    visited(application, dripping := Visit(pause=0.02), after := Visit())
    assert len(dripping.messages) < 1000
    assert len(after.text) == 1000 * 64 * 1024


def test_a_stream_goes_on_after_its_answer_and_holds_no_thread() -> None:
    ended: list[str] = []

    async def rest() -> AsyncGenerator[bytes, None]:
        # With one thread only, another visitor is answered meanwhile.
        other = Visit()
        await threads(other.scope, other.receive, other.send)
        yield other.text

    def application(environ: Any, start_response: Any) -> Iterable[bytes]:
        begun = exchange_of(environ)
        assert begun is not None
        if not ended:
            begun.on_end(lambda: ended.append("ended"))
            begun.go_on_with(rest())
            ended.append("begun")
        return hello(environ, start_response)

    threads = Threads(application, 1, longest=LONGEST, before_stopping=lambda: None)
    visit = Visit()
    run(threads(visit.scope, visit.receive, visit.send))
    assert visit.text == b"hellohello"
    assert ended == ["begun", "ended"]
    assert [one.get("more_body", False) for one in visit.messages[1:]] == [True, True, False]


def test_a_refusal_is_not_followed_by_a_stream() -> None:
    async def rest() -> AsyncGenerator[bytes, None]:
        yield b"a secret"

    def application(environ: Any, start_response: Any) -> Iterable[bytes]:
        begun = exchange_of(environ)
        assert begun is not None
        begun.go_on_with(rest())
        start_response("400 Bad Request", [])
        return [b"no"]

    visit = Visit()
    visited(application, visit)
    assert visit.text == b"no"


def test_a_stream_ends_when_its_client_has_gone() -> None:
    ended = []

    async def rest() -> AsyncGenerator[bytes, None]:
        try:
            while True:
                await asyncio.sleep(60)
                yield b""
        finally:
            ended.append("rest")

    def application(environ: Any, start_response: Any) -> Iterable[bytes]:
        begun = exchange_of(environ)
        assert begun is not None
        begun.go_on_with(rest())
        begun.on_end(lambda: ended.append("exchange"))
        return hello(environ, start_response)

    visited(application, Visit(stays=False))
    assert "exchange" in ended
