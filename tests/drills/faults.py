"""What goes wrong with an API server in drills alone."""

import time
from collections.abc import Callable, Iterator

from demo import refusals
from demo.exchange import Answer, Request
from demo.faults import Fault
from demo.resources import CATALOGUE

_RESOURCES = {resource.plural: resource for resource in CATALOGUE}
# As long as the fault is not taken back.
ALWAYS = 1_000_000


class Forbid(Fault):
    """The role lost its rule for a kind."""

    def before(self, request: Request) -> None:
        verb = "watch" if request.is_watch else "list"
        raise refusals.forbidden("sliceboard", verb, _RESOURCES[request.path.rpartition("/")[2]], "", "")


class EndWatch(Fault):
    """A proxy that ends each watch as soon as it has begun; lists as watches are let through."""

    def concerns(self, request: Request) -> bool:
        return request.is_watch and "sendInitialEvents" not in request.query

    def alter(self, answer: Answer) -> Answer:
        return Answer(answer.status, answer.body, answer.headers, lambda stopped: _nothing())


def _nothing() -> Iterator[bytes]:
    yield from ()


class Tell(Fault):
    """A watch that tells these events, and no others; lists as watches are let through."""

    def __init__(self, *lines: bytes) -> None:
        self._lines = lines

    def concerns(self, request: Request) -> bool:
        return request.is_watch and "sendInitialEvents" not in request.query

    def alter(self, answer: Answer) -> Answer:
        return Answer(answer.status, answer.body, answer.headers, self._told)

    def _told(self, stopped: Callable[[], bool]) -> Iterator[bytes]:
        yield from self._lines
        while not stopped():
            yield b""
            time.sleep(0.01)
