"""How long something was there, in each bucket, from the instants at which it became more or less."""

from collections.abc import Iterator, Sequence


class Line:
    """What begins in a bucket lasts for the rest of it, and for all of those that follow, until it ends."""

    __slots__ = ("_from", "_in")

    def __init__(self) -> None:
        self._in: dict[int, int] = {}
        self._from: dict[int, int] = {}

    def change(self, bucket: int, rest: int, by: int) -> None:
        """From a place in a bucket on, of which `rest` is left, there are so many more."""
        self._in[bucket] = self._in.get(bucket, 0) + rest * by
        self._from[bucket + 1] = self._from.get(bucket + 1, 0) + by

    def times(self, lengths: Sequence[int]) -> Iterator[tuple[int, int]]:
        """The buckets in which it was there, and how long; each moment as often as there were several."""
        level = 0
        for bucket in range(min(self._in, default=0), len(lengths)):
            level += self._from.get(bucket, 0)
            if time := level * lengths[bucket] + self._in.get(bucket, 0):
                yield bucket, time
