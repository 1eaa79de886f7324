"""How much of a device's capacity a request takes (KEP-5075)."""

from collections.abc import Mapping
from typing import Any

import msgspec

from inventory.kube.quantity import Notation, Quantity, parse


class Range(msgspec.Struct, frozen=True):
    """`requestPolicy.validRange`."""

    least: Quantity
    most: Quantity | None = None
    step: Quantity | None = None


class Capacity(msgspec.Struct, frozen=True):
    """One capacity of a device, with the part of its request policy that the story's drivers use."""

    value: Quantity
    default: Quantity
    valid: Range | None = None

    @classmethod
    def read(cls, capacity: Mapping[str, Any]) -> "Capacity":
        value = parse(capacity["value"])
        policy = capacity.get("requestPolicy")
        if not policy:
            return cls(value, value)
        valid = policy["validRange"]
        most, step = valid.get("max"), valid.get("step")
        return cls(
            value,
            parse(policy["default"]),
            Range(parse(valid["min"]), parse(most) if most else None, parse(step) if step else None),
        )

    def taken(self, asked: Quantity | None) -> Quantity | None:
        """The amount a request comes to; None when no share of that size exists."""
        if asked is None:
            return self.default
        if self.valid is None:
            return asked
        rounded = _rounded_up(asked, self.valid)
        too_much = self.valid.most is not None and rounded > self.valid.most
        return None if too_much else rounded


def _rounded_up(asked: Quantity, valid: Range) -> Quantity:
    if asked <= valid.least:
        return valid.least
    if valid.step is None:
        return asked
    # As upstream: in whole numbers, so a step below one counts as one.
    least, step = valid.least.rounded_up(), valid.step.rounded_up()
    steps = -(-(asked.rounded_up() - least) // step)
    return Quantity.of(least + steps * step, Notation.BINARY)


def consumed(capacities: Mapping[str, Capacity], asked: Mapping[str, Quantity]) -> dict[str, Quantity] | None:
    """What a share takes of every capacity, asked for or not; None when it cannot exist on the device."""
    if not asked.keys() <= capacities.keys():
        return None
    taken = {key: capacity.taken(asked.get(key)) for key, capacity in capacities.items()}
    found = {key: amount for key, amount in taken.items() if amount is not None}
    return found if len(found) == len(taken) else None
