"""The pages and the API in threads, for a server that speaks ASGI: a bounded number.

A thread begins once all of the body is there, and is done once the answer is made. It waits for a client only
where the answer is long, and there for none that reads too slowly.

Django's own way there would give every open stream a thread and a connection to the database: the middleware
is of the kind that runs in threads. Here a stream begins in a thread, and goes on without one.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Iterator
from typing import Any

from a2wsgi import WSGIMiddleware
from a2wsgi.asgi_typing import HTTPScope, Receive, Scope, Send
from a2wsgi.wsgi_typing import Environ, StartResponse, WSGIApp

from dashboard.serving.exchange import Exchange, exchange_of
from dashboard.serving.incoming import ClientGone, Incoming, Untaken
from dashboard.serving.outgoing import Outgoing
from dashboard.serving.room import Room
from dashboard.serving.stopping import before_stopping

logger = logging.getLogger(__name__)

# For the bodies of all clients together, and as much for answers that they have not read yet.
_ROOM = 64 * 1024 * 1024

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


class Threads:
    """`longest`: of a body, as much as is kept for who answers."""

    def __init__(
        self, application: Application, workers: int, longest: int, before_stopping: Callable[[], None]
    ) -> None:
        self._longest, self._for_bodies, self._for_answers = longest, Room(_ROOM), Room(_ROOM)
        self._answer = WSGIMiddleware(_with_exchange(application), workers=workers)
        self._before_stopping = before_stopping
        # Of clients that have gone: a thread cannot be stopped from outside.
        self._left: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._exchange(scope, receive, send)
            return
        if scope["type"] == "lifespan":
            before_stopping(self._before_stopping)
        await self._answer(scope, receive, send)

    async def _exchange(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        exchange = Exchange(
            Incoming(receive, self._for_bodies, self._longest) if _has_body(scope) else None,
            Outgoing(send, self._for_answers),
            receive,
        )
        try:
            await exchange.take_body()
        except ClientGone:
            exchange.end()
        except Untaken as refusal:
            logger.warning("a request is refused with %d: %s", refusal.status, refusal)
            exchange.end()
            await exchange.refuse(refusal)
            await exchange.taken()
        except BaseException:
            exchange.end()
            raise
        else:
            await self._answer_to(exchange, scope)

    async def _answer_to(self, exchange: Exchange, scope: HTTPScope) -> None:
        watching = asyncio.create_task(exchange.watch())
        answering = asyncio.create_task(self._answered(_as_sent(scope), exchange))
        try:
            # Whoever stops us leaves it running to its end, with nobody to send to: it waits for the sending.
            await asyncio.shield(answering)
            await exchange.taken()
            if exchange.goes_on:
                await _first_of(exchange.stream(), watching)
        except asyncio.CancelledError:
            exchange.stop()
            raise
        finally:
            watching.cancel()
            if answering.done():
                exchange.end()
            else:
                self._left.add(answering)
                answering.add_done_callback(self._left.discard)
                answering.add_done_callback(lambda _: exchange.end())

    async def _answered(self, scope: HTTPScope, exchange: Exchange) -> None:
        await self._answer(exchange.put_into(scope), exchange.receive, exchange.send)


async def _first_of(stream: Coroutine[Any, Any, None], watching: asyncio.Task[None]) -> None:
    """The stream to its end, or as long as somebody is there to read it."""
    streaming = asyncio.create_task(stream)
    try:
        await asyncio.wait({streaming, watching}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        streaming.cancel()
    await asyncio.wait({streaming})
    if not streaming.cancelled():
        streaming.result()


def _has_body(scope: HTTPScope) -> bool:
    headers = dict(scope["headers"])
    return b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0"


def _as_sent(scope: HTTPScope) -> HTTPScope:
    """Without names that WSGI cannot tell from others: `X_Forwarded_For` would be taken for a proxy's."""
    plain = [(name, value) for name, value in scope["headers"] if b"_" not in name]
    return {**scope, "headers": plain}


def _with_exchange(application: Application) -> WSGIApp:
    """It is told that a body ends where the client ends it, and stops when there is no client any more."""

    def answer(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        wsgi: dict[str, Any] = environ  # type: ignore[assignment]
        wsgi["wsgi.input_terminated"] = True
        exchange = exchange_of(wsgi)
        if exchange is None:
            raise RuntimeError("a request without its exchange")
        return _AsLongAsRead(application(wsgi, start_response), exchange)

    return answer


class _AsLongAsRead:
    def __init__(self, parts: Iterable[bytes], exchange: Exchange) -> None:
        self._parts, self._exchange = parts, exchange

    def __iter__(self) -> Iterator[bytes]:
        for part in self._parts:
            if self._exchange.gone:
                return
            yield part

    def close(self) -> None:
        close = getattr(self._parts, "close", None)
        if close is not None:
            close()
