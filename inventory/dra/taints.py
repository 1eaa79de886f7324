"""Taints that a DeviceTaintRule adds to devices (k8s.io/dynamic-resource-allocation/resourceslice/tracker).

The scheduler sees them beside those that the driver publishes.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

# An older alpha also selected by device class and CEL; such a rule is told, not guessed.
_KEYS = frozenset({"driver", "pool", "device"})


class Rule(msgspec.Struct, frozen=True):
    """`selector` None selects every device. `taint` is as in a slice: key, value, effect, timeAdded."""

    name: str
    selector: Mapping[str, Any] | None
    taint: Mapping[str, Any]

    @property
    def unknown(self) -> list[str]:
        """What of the selector cannot be evaluated here; then the rule selects nothing."""
        return sorted((self.selector or {}).keys() - _KEYS)

    def selects(self, driver: str, pool: str, device: str) -> bool:
        place = {"driver": driver, "pool": pool, "device": device}
        return not self.unknown and all(place[key] == wanted for key, wanted in (self.selector or {}).items())

    def added(self) -> dict[str, Any]:
        """The taint with the rule that it comes from."""
        return {**self.taint, "rule": self.name}
