"""What is to happen when, in seconds of the story."""

import heapq
from collections.abc import Callable
from itertools import count

Action = Callable[[], None]


class Timeline:
    """Actions in the order of their time; those of the same moment in the order of their planning."""

    def __init__(self) -> None:
        self.position = 0.0
        self._planned: list[tuple[float, int, Action]] = []
        self._order = count()

    def after(self, seconds: float, action: Action) -> None:
        heapq.heappush(self._planned, (self.position + seconds, next(self._order), action))

    def advance(self, seconds: float) -> None:
        """Let time pass, and do on the way what is due, also what that plans."""
        end = self.position + seconds
        while self._planned and self._planned[0][0] <= end:
            self.position, _, action = heapq.heappop(self._planned)
            action()
        self.position = end

    def seconds_to_next(self) -> float | None:
        return self._planned[0][0] - self.position if self._planned else None
