"""Memory for what clients send and have not read yet, of all of them together in one process."""

# So much of each a server keeps anyway.
FREE = 64 * 1024


class Room:
    """In the event loop alone."""

    def __init__(self, most: int) -> None:
        self._left = most

    def take(self, size: int) -> bool:
        if size > self._left:
            return False
        self._left -= size
        return True

    def give_back(self, size: int) -> None:
        self._left += size
