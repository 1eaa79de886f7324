"""Ways in which an API server or the network goes wrong, to be switched on by tests and drills."""

import threading
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase

import msgspec

from demo import continuation, refusals
from demo.exchange import Answer, ConnectionCut, Lines, Request


class Fault:
    """One thing that goes wrong with one request; each hook leaves everything as it is by default."""

    def concerns(self, request: Request) -> bool:
        return True

    def before(self, request: Request) -> None:
        """May wait, or raise Refusal or ConnectionCut instead of letting the request through."""

    def alter(self, answer: Answer) -> Answer:
        return answer


class Refuse(Fault):
    """Answer with a status: 429 says when to try again, 5xx do not."""

    def __init__(self, status: int, retry_after: int = 1) -> None:
        self._status = status
        self._retry_after = retry_after

    def before(self, request: Request) -> None:
        if self._status == 429:
            raise refusals.too_many_requests(self._retry_after)
        raise refusals.internal_error(self._status)


class Hang(Fault):
    """Hold the request until the gate opens, at most for some seconds."""

    def __init__(self, gate: threading.Event | None = None, seconds: float = 60.0) -> None:
        self._gate = gate or threading.Event()
        self._seconds = seconds

    def before(self, request: Request) -> None:
        self._gate.wait(self._seconds)


class Drop(Fault):
    """Close the connection without any answer."""

    def before(self, request: Request) -> None:
        raise ConnectionCut


class ExpireContinue(Fault):
    """Answer 410 to the continuation of a list, as after a compaction."""

    def concerns(self, request: Request) -> bool:
        return "continue" in request.query

    def before(self, request: Request) -> None:
        within = _namespace(request.path)
        text = request.query["continue"]
        raise refusals.expired(refusals.CONTINUE_EXPIRED, continuation.renewed(text, within))


class _OfBody(Fault):
    def concerns(self, request: Request) -> bool:
        return not request.is_watch


class CutBody(_OfBody):
    """Send half of the body, then close the connection."""

    def alter(self, answer: Answer) -> Answer:
        return msgspec.structs.replace(answer, cut=True)


class ReplaceItem(_OfBody):
    """Put any text, also one that is no JSON, in the place of an item of a list."""

    def __init__(self, index: int, text: bytes) -> None:
        self._index = index
        self._text = text

    def alter(self, answer: Answer) -> Answer:
        decoded = msgspec.json.decode(answer.body, type=dict[str, msgspec.Raw])
        items = msgspec.json.decode(decoded["items"], type=list[msgspec.Raw])
        items[self._index] = msgspec.Raw(self._text)
        decoded["items"] = msgspec.Raw(msgspec.json.encode(items))
        return msgspec.structs.replace(answer, body=msgspec.json.encode(decoded))


class _OfWatch(Fault):
    """A fault of the lines of a watch. Empty lines only say that nothing has happened yet."""

    def concerns(self, request: Request) -> bool:
        return request.is_watch

    def alter(self, answer: Answer) -> Answer:
        return msgspec.structs.replace(answer, lines=_altered(answer.lines, self.lines))

    def lines(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        return lines


class CutWatch(_OfWatch):
    """Let some events through, then close the connection in the middle of the next one."""

    def __init__(self, after: int = 0) -> None:
        self._after = after

    def lines(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        left = self._after
        for line in lines:
            if line and left == 0:
                raise ConnectionCut(line[: len(line) // 2])
            left -= bool(line)
            yield line


class DuplicateEvents(_OfWatch):
    """Send every event twice."""

    def lines(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        for line in lines:
            yield line
            if line:
                yield line


class BookmarksOnly(_OfWatch):
    """Lose every event but the bookmarks, of a watch that goes on: a list that streams stays whole."""

    def concerns(self, request: Request) -> bool:
        return request.is_watch and "sendInitialEvents" not in request.query

    def lines(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        for line in lines:
            yield line if line.startswith(b'{"type":"BOOKMARK"') else b""


class ReplaceEvent(_OfWatch):
    """Put any text, also one that is no JSON, in the place of an event; its line break stays."""

    def __init__(self, index: int, text: bytes) -> None:
        self._index = index
        self._text = text

    def lines(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        left = self._index
        for line in lines:
            yield self._text + b"\n" if line and left == 0 else line
            left -= bool(line)


class ExpireWatch(_OfWatch):
    """End the watch with the 410 of a compacted history."""

    def lines(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        error = refusals.expired("The resourceVersion for the provided watch is too old.").body()
        yield b'{"type":"ERROR","object":' + error + b"}\n"


class _Planned(msgspec.Struct):
    path: str
    fault: Fault
    skip: int
    times: int


class Faults:
    """The faults that wait for their requests. Paths may hold wildcards: `*/resourceclaims`."""

    def __init__(self) -> None:
        self._planned: list[_Planned] = []
        self._lock = threading.Lock()

    def inject(self, path: str, fault: Fault, *, times: int = 1, skip: int = 0) -> None:
        """Let the next requests of a path go wrong, after some that do not."""
        with self._lock:
            self._planned.append(_Planned(path, fault, skip, times))

    def clear(self) -> None:
        with self._lock:
            self._planned.clear()

    def take(self, request: Request) -> list[Fault]:
        with self._lock:
            due = [planned.fault for planned in self._planned if _is_due(planned, request)]
            self._planned = [planned for planned in self._planned if planned.times > 0]
        return due


def _is_due(planned: _Planned, request: Request) -> bool:
    if not fnmatchcase(request.path, planned.path) or not planned.fault.concerns(request):
        return False
    if planned.skip > 0:
        planned.skip -= 1
        return False
    planned.times -= 1
    return True


def _altered(lines: Lines | None, alter: Callable[[Iterator[bytes]], Iterator[bytes]]) -> Lines | None:
    return (lambda stopped: alter(lines(stopped))) if lines else None


def _namespace(path: str) -> str:
    parts = path.split("/")
    return parts[parts.index("namespaces") + 1] if "namespaces" in parts[:-2] else ""
