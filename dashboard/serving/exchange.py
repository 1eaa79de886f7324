"""One request and its answer, between a server that speaks ASGI and the threads that answer."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Any

from a2wsgi.asgi_typing import HTTPScope, Receive, ReceiveEvent, Send, SendEvent

logger = logging.getLogger(__name__)

_KEY = "sliceboard.exchange"
# A client that takes or gives nothing for so long holds up nobody any longer.
PATIENCE_SECONDS = 60.0


class ClientGone(OSError):
    """In the middle of its request: what came of the body is not all of it."""


class Exchange:
    """Sends the answer as long as there is a client, and goes on with a stream where the answer begins one.

    `gone` is read by threads; the rest belongs to the event loop once the answer is made.
    """

    def __init__(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        self.gone = False
        self._receive, self._send = receive, send
        self._has_body = _has_body(scope)
        self._rest: AsyncGenerator[bytes, None] | None = None
        self._succeeds = False
        self._at_the_end: list[Callable[[], None]] = []

    def put_into(self, scope: HTTPScope) -> HTTPScope:
        """For `exchange_of`."""
        found: Any = {**scope, _KEY: self}
        return found  # type: ignore[no-any-return]

    def go_on_with(self, rest: AsyncGenerator[bytes, None]) -> None:
        """After the answer, if that is a success."""
        self._rest = rest

    def on_end(self, do: Callable[[], None]) -> None:
        self._at_the_end.append(do)

    def end(self) -> None:
        for do in self._at_the_end:
            do()

    async def receive(self) -> ReceiveEvent:
        """Of the body. Raises ClientGone."""
        if not self._has_body:
            return {"type": "http.request", "body": b"", "more_body": False}
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                message = await self._receive()
        except TimeoutError:
            message = {"type": "http.disconnect"}
        if message["type"] == "http.disconnect":
            self.gone = True
            raise ClientGone("the client has gone in the middle of its request")
        return message

    async def watch(self) -> None:
        """Until the client has gone; of one that sends a body, that is seen where it is read."""
        if self._has_body:
            await asyncio.Event().wait()
        while not self.gone:
            message = await self._receive()
            self.gone = message["type"] == "http.disconnect"

    async def send(self, message: SendEvent) -> None:
        """What there is nobody to read is dropped, so that whoever makes it comes to an end."""
        if message["type"] == "http.response.start":
            self._succeeds = message["status"] == 200
        elif self.goes_on and not message.get("more_body", False):
            return
        await self._pass_on(message)

    async def stream(self) -> None:
        """What goes on after the answer, until it ends or the client has gone."""
        if self._rest is None:
            return
        async with aclosing(self._rest) as rest:
            async for event in rest:
                await self._pass_on({"type": "http.response.body", "body": event, "more_body": True})
                if self.gone:
                    return
        await self._pass_on({"type": "http.response.body", "body": b"", "more_body": False})

    @property
    def goes_on(self) -> bool:
        """Whether a stream follows what has been answered."""
        return self._succeeds and self._rest is not None

    async def _pass_on(self, message: SendEvent) -> None:
        if self.gone:
            return
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self._send(message)
        except TimeoutError:
            logger.warning("a client has read nothing for %d seconds and is cut off", PATIENCE_SECONDS)
            self.gone = True
        except OSError:
            self.gone = True


def exchange_of(environ: Mapping[str, Any]) -> Exchange | None:
    """None where the server speaks WSGI only."""
    found: Exchange | None = environ.get("asgi.scope", {}).get(_KEY)
    return found


def _has_body(scope: HTTPScope) -> bool:
    headers = dict(scope["headers"])
    return b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0"
