"""One request and its answer, between a server that speaks ASGI and the threads that answer."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Any

from a2wsgi.asgi_typing import HTTPScope, Receive, ReceiveEvent, SendEvent

from dashboard.serving.incoming import Incoming, Untaken
from dashboard.serving.outgoing import Outgoing

_KEY = "sliceboard.exchange"


class Exchange:
    """Sends the answer as long as there is a client, and goes on with a stream where the answer begins one.

    `gone` is read by threads; the rest belongs to the event loop once the answer is made.
    """

    def __init__(self, incoming: Incoming | None, outgoing: Outgoing, receive: Receive) -> None:
        self._incoming, self._outgoing, self._receive = incoming, outgoing, receive
        self._rest: AsyncGenerator[bytes, None] | None = None
        self._succeeds = False
        self._at_the_end: list[Callable[[], None]] = []

    @property
    def gone(self) -> bool:
        return self._outgoing.gone

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
        if self._incoming is not None:
            self._incoming.drop()
        for do in self._at_the_end:
            do()

    def stop(self) -> None:
        """There is nobody to send to any more."""
        self._outgoing.stop()

    async def take_body(self) -> None:
        """Raises ClientGone and Untaken."""
        if self._incoming is not None:
            await self._incoming.take()

    async def receive(self) -> ReceiveEvent:
        """Of the body, which has been taken. Raises NotKept."""
        if self._incoming is None:
            return {"type": "http.request", "body": b"", "more_body": False}
        return self._incoming.read()

    async def watch(self) -> None:
        """Until the client has gone. After its body."""
        while not self.gone:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                self.stop()

    async def refuse(self, refusal: Untaken) -> None:
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
        await self.send({"type": "http.response.start", "status": refusal.status, "headers": headers})
        await self.send({"type": "http.response.body", "body": str(refusal).encode(), "more_body": False})

    async def send(self, message: SendEvent) -> None:
        """What there is nobody to read is dropped, so that whoever makes it comes to an end."""
        if message["type"] == "http.response.start":
            self._succeeds = message["status"] == 200
        elif self.goes_on and not message.get("more_body", False):
            return
        await self._outgoing.put(message)

    async def taken(self) -> None:
        """Until the client has what has been sent, or has gone."""
        await self._outgoing.taken()

    async def stream(self) -> None:
        """What goes on after the answer, until it ends or the client has gone."""
        if self._rest is None:
            return
        async with aclosing(self._rest) as rest:
            async for event in rest:
                await self.send({"type": "http.response.body", "body": event, "more_body": True})
                await self.taken()
                if self.gone:
                    return
        await self._outgoing.put({"type": "http.response.body", "body": b"", "more_body": False})
        await self.taken()

    @property
    def goes_on(self) -> bool:
        """Whether a stream follows what has been answered."""
        return self._succeeds and self._rest is not None


def exchange_of(environ: Mapping[str, Any]) -> Exchange | None:
    """None where the server speaks WSGI only."""
    found: Exchange | None = environ.get("asgi.scope", {}).get(_KEY)
    return found
