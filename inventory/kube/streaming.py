"""Answers that arrive bit by bit, line by line, for as long as the API server has something to tell."""

import select
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import suppress
from types import TracebackType
from typing import Self

import urllib3

from inventory.kube.errors import BadAnswerError, TimedOutError, UnreachableError
from inventory.kube.transport import failure

LONGEST_LINE = 64 * 1024 * 1024
_SLOW = "Look at the network between Sliceboard and the API server, and at their load."
_BLOCK = 64 * 1024
# What is handed on at once, though more may have arrived.
_MOST_AT_ONCE = 1024 * 1024
_CERTAINLY_MORE = 3


class Stream:
    """The body of one answer. One thread reads it; any other may interrupt that."""

    def __init__(self, response: urllib3.BaseHTTPResponse, url: str, seconds: float) -> None:
        """`seconds` is for all of it: one that brings a byte now and then is never silent, and never ends."""
        self._response, self._url = response, url
        self._ends_at = time.monotonic() + seconds
        connection = getattr(response.connection, "sock", None)
        # None where the connection ends with this answer, something else behind a proxy that speaks TLS.
        self._socket = connection if isinstance(connection, socket.socket) else None
        self._arriving = select.poll()
        if self._socket is not None:
            self._arriving.register(self._socket, select.POLLIN)

    def lines(self) -> Iterator[bytes]:
        """Whole lines, as many as have arrived, up to the end of the body. Raises ClusterError."""
        begun: list[bytes] = []
        size = 0
        while arrived := self._read():
            if time.monotonic() > self._ends_at:
                raise TimedOutError(f"{self._url} does not come to an end. {_SLOW}")
            whole, line_break, rest = arrived.rpartition(b"\n")
            if line_break:
                yield b"".join((*begun, whole, line_break))
                begun, size = [], 0
            begun.append(rest)
            size += len(rest)
            if size > LONGEST_LINE:
                raise BadAnswerError(
                    f"{self._url} sent a line of more than {LONGEST_LINE} bytes: no object is that large. "
                    "Look at what stands between Sliceboard and the API server."
                )
        if size:
            raise UnreachableError(f"{self._url} ended its answer in the middle of a line.")

    def interrupt(self) -> None:
        """From another thread: whoever reads finds the end of the connection soon."""
        if not self._is_open():
            return
        with suppress(OSError, RuntimeError, ValueError):
            if self._socket is None:
                self._response.shutdown()
            else:
                # Not its own method: that of TLS takes the encryption off under the reading thread.
                socket.socket.shutdown(self._socket, socket.SHUT_RD)

    def close(self) -> None:
        """A body that was read to its end leaves its connection to the next request."""
        self._response.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self) -> bytes:
        """Waits for something, and takes what else is there; empty at the end."""
        try:
            # As it comes: nothing compressed was asked for, and taking it through a decoder costs time.
            blocks = [self._response.read1(_BLOCK, decode_content=False)]
            size = len(blocks[0])
            while blocks[-1] and size < _MOST_AT_ONCE and self._has_more():
                blocks.append(self._response.read1(_BLOCK, decode_content=False))
                size += len(blocks[-1])
        # ValueError: a TLS connection was interrupted just as a read began.
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            raise failure(self._url, error) from error
        return b"".join(blocks)

    def _has_more(self) -> bool:
        """Whether a read would surely bring something.

        Two bytes may be no more than the end of a chunk, after which the read would wait for the next one.
        """
        if self._socket is None or not self._is_open():
            return False
        if isinstance(self._socket, ssl.SSLSocket):
            return self._socket.pending() >= _CERTAINLY_MORE
        if not self._arriving.poll(0):
            return False
        return len(self._socket.recv(_CERTAINLY_MORE, socket.MSG_PEEK)) == _CERTAINLY_MORE

    def _is_open(self) -> bool:
        """At its end a body gives its connection back, which then is another request's."""
        return self._response.connection is not None
