"""What a cluster says that decides whether a converted Pod runs. None is what nobody has looked up."""

from collections.abc import Mapping

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


class Surroundings(msgspec.Struct, frozen=True):
    """`classes` has of each device class its extendedResourceName, empty where it has none.

    `resources` are the extended resources that nodes have to give, `quotas` what the quotas of the Pod's
    namespace count.
    """

    cards: tuple[Card, ...] | None = None
    classes: Mapping[str, str] | None = None
    resources: frozenset[str] | None = None
    quotas: frozenset[str] | None = None
    # Whether devices may be shared at all: the gate DRAConsumableCapacity.
    consumable_capacity: bool | None = None

    def cards_of(self, driver: str) -> tuple[Card, ...] | None:
        """None where nobody knows; a driver without a card publishes none."""
        if self.cards is None:
            return None
        return tuple(one for one in self.cards if one.driver == driver)


UNKNOWN = Surroundings()
_MEBIBYTE = 1024 * 1024


def mebibytes(quantity: Quantity) -> int:
    """Whole ones, as HAMi counts the memory of a card."""
    return quantity.nanos // (NANO * _MEBIBYTE)
