"""The product's own functions watched at work: nothing is replaced, only timed or counted."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

from benchmarks.measuring import Stopwatch


@contextmanager
def wrapped(owner: Any, name: str, around: Callable[..., Any]) -> Iterator[None]:
    """`around` gets the original function, and then what that is called with."""
    original: Callable[..., Any] = getattr(owner, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        return around(original, *args, **kwargs)

    with mock.patch.object(owner, name, call):
        yield


@contextmanager
def timed(watch: Stopwatch, part: str, owner: Any, name: str) -> Iterator[None]:
    def around(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        with watch.part(part):
            return original(*args, **kwargs)

    with wrapped(owner, name, around):
        yield


@dataclass
class Cost:
    """What a piece of work has taken of this process and of its connections over Python's sockets.

    `bytes` are those that arrived, headers and all, as they were on the wire.
    """

    wall: float = 0
    cpu: float = 0
    bytes: int = 0


@contextmanager
def costed() -> Iterator[Cost]:
    cost = Cost()

    def around(original: Callable[..., Any], *args: Any) -> Any:
        count = original(*args)
        cost.bytes += count or 0
        return count

    with wrapped(socket.SocketIO, "readinto", around):
        wall, cpu = time.perf_counter(), time.process_time()
        yield cost
        cost.wall, cost.cpu = time.perf_counter() - wall, time.process_time() - cpu
