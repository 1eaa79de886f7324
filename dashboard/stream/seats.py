"""How many streams a user has open here: each web process counts for itself."""

import threading
from collections import Counter


class Full(Exception):
    """The user has as many as he may have."""


class Seat:
    """One of them. Given back once, however often that is done."""

    def __init__(self, seats: "Seats", user: int) -> None:
        self._seats, self._user, self._taken = seats, user, True

    def leave(self) -> None:
        if self._taken:
            self._taken = False
            self._seats.give_back(self._user)


class Seats:
    """Taken in the threads that answer requests, and given back in the one that runs the streams."""

    def __init__(self) -> None:
        self._taken: Counter[int] = Counter()
        self._lock = threading.Lock()

    def take(self, user: int, most: int) -> Seat:
        """Raises Full."""
        with self._lock:
            if self._taken[user] >= most:
                raise Full
            self._taken[user] += 1
        return Seat(self, user)

    def give_back(self, user: int) -> None:
        with self._lock:
            self._taken[user] -= 1
            if not self._taken[user]:
                del self._taken[user]
