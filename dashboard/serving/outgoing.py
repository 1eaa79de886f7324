"""An answer on its way to its client, who takes it as fast as he will."""

import asyncio
import logging
from collections import deque
from collections.abc import Iterator

from a2wsgi.asgi_typing import Send, SendEvent

from dashboard.serving.room import Room

logger = logging.getLogger(__name__)

# A client that takes nothing for so long is cut off, and so is one that has let us wait for so long in all
# and takes less than this in each second more.
PATIENCE_SECONDS = 60.0
LEAST_RATE = 64 * 1024
# So much of an answer waits here for its client; of a longer one, whoever makes it waits.
_AHEAD = 2 * 1024 * 1024
_PIECE = 64 * 1024


class Outgoing:
    """`gone`: there is nobody to read it. Read by threads; the rest belongs to the event loop."""

    def __init__(self, send: Send, room: Room) -> None:
        self.gone = False
        self._send, self._room = send, room
        # With how much room each of them holds.
        self._waiting: deque[tuple[SendEvent, int]] = deque()
        self._ahead = self._passed = 0
        self._waited = 0.0
        self._writing: asyncio.Task[None] | None = None

    async def put(self, message: SendEvent) -> None:
        """At once, while there is room; else once the client has taken it. Dropped where there is none."""
        if self.gone:
            return
        size = len(_body(message))
        is_ahead = self._ahead + size <= _AHEAD and self._room.take(size)
        held = size if is_ahead else 0
        self._ahead += held
        self._waiting.append((message, held))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        if not is_ahead:
            await self.taken()

    async def taken(self) -> None:
        """Until the client has all that was put, or has gone."""
        if self._writing is not None:
            await asyncio.wait({self._writing})
            if not self._writing.cancelled():
                self._writing.result()

    def stop(self) -> None:
        self.gone = True
        if self._writing is not None:
            self._writing.cancel()

    async def _write(self) -> None:
        try:
            while self._waiting:
                for piece in _pieces(self._waiting[0][0]):
                    await self._pass_on(piece)
                self._forget(self._waiting.popleft()[1])
        finally:
            while self._waiting:
                self._forget(self._waiting.popleft()[1])

    def _forget(self, held: int) -> None:
        self._ahead -= held
        self._room.give_back(held)

    async def _pass_on(self, message: SendEvent) -> None:
        if self.gone:
            return
        began = asyncio.get_running_loop().time()
        left = PATIENCE_SECONDS + self._passed / LEAST_RATE - self._waited
        try:
            async with asyncio.timeout(max(0.0, min(PATIENCE_SECONDS, left))):
                await self._send(message)
        except TimeoutError:
            logger.warning("a client that reads nothing, or too slowly, is cut off")
            self.gone = True
        except OSError:
            self.gone = True
        self._waited += asyncio.get_running_loop().time() - began
        self._passed += len(_body(message))


def _body(message: SendEvent) -> bytes:
    return message.get("body", b"") if message["type"] == "http.response.body" else b""


def _pieces(message: SendEvent) -> Iterator[SendEvent]:
    """Small ones, so that who is slow is told from who has stopped."""
    body = _body(message)
    if message["type"] != "http.response.body" or len(body) <= _PIECE:
        yield message
        return
    for start in range(0, len(body), _PIECE):
        is_last = start + _PIECE >= len(body)
        more = message.get("more_body", False) or not is_last
        yield {"type": "http.response.body", "body": body[start : start + _PIECE], "more_body": more}
