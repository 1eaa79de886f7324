"""What a cluster says that decides whether a converted Pod runs. None is what nobody has looked up."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

import msgspec

from inventory.kube.quantity import NANO, Quantity


class Card(msgspec.Struct, frozen=True):
    """A device that a resource slice publishes. `model` is its productName; what it lacks is empty."""

    driver: str
    pool: str
    device: str
    model: str = ""
    uuid: str = ""
    # In bytes; None where it publishes none or one that cannot be read.
    memory: Quantity | None = None

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}/{self.device}"


class Alike(msgspec.Struct, frozen=True):
    """Cards of one model and size: the first of them, and how many there are."""

    card: Card
    cards: int


class Cards:
    """The cards of one driver. What rules ask of all of them is worked out once, for any number of Pods."""

    def __init__(self, cards: Iterable[Card] = ()) -> None:
        self._cards = tuple(cards)

    def __len__(self) -> int:
        return len(self._cards)

    def __iter__(self) -> Iterator[Card]:
        return iter(self._cards)

    @cached_property
    def models(self) -> frozenset[str]:
        return frozenset(card.model for card in self._cards)

    @cached_property
    def uuids(self) -> frozenset[str]:
        return frozenset(card.uuid for card in self._cards)

    @cached_property
    def largest(self) -> Quantity | None:
        """The memory of the largest; None where that of any is not known, or there is none."""
        memories = [card.memory for card in self._cards if card.memory is not None]
        return max(memories) if memories and len(memories) == len(self._cards) else None

    @cached_property
    def alike(self) -> tuple[Alike, ...]:
        """In the order in which they come first. A card that publishes no memory is like no other."""
        found: dict[tuple[str, int], Alike] = {}
        for card in self._cards:
            if card.memory is not None and card.memory.nanos > 0:
                key = card.model, card.memory.nanos
                before = found.get(key, Alike(card, 0))
                found[key] = Alike(before.card, before.cards + 1)
        return tuple(found.values())


def by_driver(cards: Iterable[Card]) -> dict[str, Cards]:
    found: defaultdict[str, list[Card]] = defaultdict(list)
    for card in cards:
        found[card.driver].append(card)
    return {driver: Cards(of_driver) for driver, of_driver in found.items()}


class Surroundings(msgspec.Struct, frozen=True):
    """`classes` has of each device class its extendedResourceName, empty where it has none.

    `resources` are the extended resources that nodes have to give, `quotas` what the quotas of the Pod's
    namespace count.
    """

    # By driver.
    cards: Mapping[str, Cards] | None = None
    classes: Mapping[str, str] | None = None
    resources: frozenset[str] | None = None
    quotas: frozenset[str] | None = None
    # Whether devices may be shared at all: the gate DRAConsumableCapacity.
    consumable_capacity: bool | None = None

    def cards_of(self, driver: str) -> Cards | None:
        """None where nobody knows; a driver without a card publishes none."""
        return None if self.cards is None else self.cards.get(driver, _NONE)


UNKNOWN = Surroundings()
_NONE = Cards()
_MEBIBYTE = 1024 * 1024


def mebibytes(quantity: Quantity) -> int:
    """Whole ones, as HAMi counts the memory of a card."""
    return quantity.nanos // (NANO * _MEBIBYTE)
