"""What a server was asked, so that tests can tell."""

import threading
from collections import Counter, deque
from fnmatch import fnmatchcase

from demo.exchange import Request

_KEPT = 10_000


class RequestLog:
    """Counts by path, and the last requests themselves."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._last: deque[Request] = deque(maxlen=_KEPT)
        self._lock = threading.Lock()

    def add(self, request: Request) -> None:
        with self._lock:
            self._counts[request.path] += 1
            self._last.append(request)

    def count(self, path: str) -> int:
        """How often a path was asked for; it may hold wildcards."""
        with self._lock:
            return sum(count for asked, count in self._counts.items() if fnmatchcase(asked, path))

    def last(self, path: str = "*") -> list[Request]:
        with self._lock:
            return [request for request in self._last if fnmatchcase(request.path, path)]

    def clear(self) -> None:
        with self._lock:
            self._counts.clear()
            self._last.clear()
