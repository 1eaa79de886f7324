"""The body of a request, taken in the event loop before a thread begins with it."""

import asyncio
from http import HTTPStatus

from a2wsgi.asgi_typing import Receive, ReceiveEvent

from dashboard.serving.room import FREE, Room

# For all of it, however many pieces it comes in.
PATIENCE_SECONDS = 60.0
# A browser shows no answer before all that it sends was taken; whoever sends more than this is no browser.
MOST_TAKEN = 64 * 1024 * 1024


class ClientGone(OSError):
    """In the middle of its request: what came of the body is not all of it."""


class NotKept(OSError):
    """The body is longer than anything that is read here: what was kept is not all of it."""


class Untaken(Exception):
    """Answered without a thread."""

    def __init__(self, status: HTTPStatus, told: str) -> None:
        super().__init__(told)
        self.status = status


class Incoming:
    """As much is kept as may be read; the rest is taken and dropped, and whoever reads on is told."""

    def __init__(self, receive: Receive, room: Room, longest: int) -> None:
        self._receive, self._room, self._longest = receive, room, longest
        self._kept = bytearray()
        self._taken = self._charged = 0
        self._has_more = True

    async def take(self) -> None:
        """Raises ClientGone and Untaken."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while self._has_more and self._taken <= MOST_TAKEN:
                    self._add(await self._receive())
        except TimeoutError:
            told = f"The body did not come within {PATIENCE_SECONDS:.0f} seconds."
            raise Untaken(HTTPStatus.REQUEST_TIMEOUT, told) from None

    def read(self) -> ReceiveEvent:
        """What was kept; then raises NotKept, if that is not all."""
        if self._taken > self._longest and not self._kept:
            raise NotKept(f"the body is longer than {self._longest} bytes")
        kept, self._kept = bytes(self._kept), bytearray()
        return {"type": "http.request", "body": kept, "more_body": self._taken > self._longest}

    def drop(self) -> None:
        self._room.give_back(self._charged)
        self._charged = 0

    def _add(self, message: ReceiveEvent) -> None:
        if message["type"] != "http.request":
            raise ClientGone("the client has gone in the middle of its request")
        part = message.get("body", b"")
        self._taken += len(part)
        self._has_more = message.get("more_body", False)
        self._keep(part[: self._longest - len(self._kept)])

    def _keep(self, part: bytes) -> None:
        """Small ones always: whatever others send, anybody can sign in."""
        if len(self._kept) + len(part) > FREE:
            if not self._room.take(len(part)):
                told = "Too many others send long bodies at this moment: try again in a minute."
                raise Untaken(HTTPStatus.SERVICE_UNAVAILABLE, told)
            self._charged += len(part)
        self._kept += part
