from collections.abc import Hashable, Iterable, Iterator
from random import Random
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class Bag(Generic[T]):
    """A set from which one can be drawn by chance, in the same time however large it is."""

    def __init__(self, members: Iterable[T] = ()) -> None:
        self._members: list[T] = []
        self._positions: dict[T, int] = {}
        for each in members:
            self.add(each)

    def add(self, member: T) -> None:
        if member not in self._positions:
            self._positions[member] = len(self._members)
            self._members.append(member)

    def discard(self, member: T) -> None:
        position = self._positions.pop(member, None)
        if position is None:
            return
        last = self._members.pop()
        if position < len(self._members):
            self._members[position] = last
            self._positions[last] = position

    def pick(self, random: Random) -> T:
        """Any of them, which stays in. Raises LookupError where there is none."""
        return random.choice(self._members)

    def draw(self, random: Random) -> T:
        """Any of them, taken out. Raises LookupError where there is none."""
        member = self.pick(random)
        self.discard(member)
        return member

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self) -> Iterator[T]:
        return iter(self._members)
