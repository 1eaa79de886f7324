"""A request and its answer, apart from how they travel."""

from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus

import msgspec


class Request(msgspec.Struct, frozen=True):
    """Header names are in lower case."""

    method: str
    path: str
    query: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    body: bytes = b""

    @property
    def is_watch(self) -> bool:
        return self.query.get("watch") in ("1", "true")


Lines = Callable[[Callable[[], bool]], Iterator[bytes]]


class Answer(msgspec.Struct, frozen=True):
    """A whole body, or for a watch the lines of its events (made once it is known when to stop)."""

    status: int = HTTPStatus.OK
    body: bytes = b""
    headers: Mapping[str, str] = {}
    lines: Lines | None = None
    # An answer that breaks off: half of the body, then the connection ends.
    cut: bool = False


class ConnectionCut(Exception):
    """The connection is to end here and now; `rest` still goes out before."""

    def __init__(self, rest: bytes = b"") -> None:
        super().__init__("the connection was cut on purpose")
        self.rest = rest
