"""Plays a story in real time, or faster."""

import threading
import time
from typing import Self

from demo.story import Story

_LONGEST_SLEEP = 1.0
_SHORTEST_SLEEP = 0.01


class Player:
    """A thread that lets `speed` seconds of a story pass in each second; a context manager."""

    def __init__(self, story: Story, speed: float = 1.0) -> None:
        self._story = story
        self._speed = speed
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._play, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()

    def _play(self) -> None:
        before = time.monotonic()
        while not self._stopping.wait(self._pause()):
            now = time.monotonic()
            self._story.advance((now - before) * self._speed)
            before = now

    def _pause(self) -> float:
        left = self._story.seconds_to_next()
        if left is None or self._speed <= 0:
            return _LONGEST_SLEEP
        return min(max(left / self._speed, _SHORTEST_SLEEP), _LONGEST_SLEEP)
