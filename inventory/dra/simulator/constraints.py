"""What all devices of a claim must have in common, or must not (matchAttribute, distinctAttribute)."""

from collections.abc import Iterable
from typing import Any

from inventory.dra.attributes import Attributes
from inventory.dra.simulator.claims import Constraint, Request

# A device's attribute: its kind and its value.
Value = tuple[str, Any]
_COMPARABLE = frozenset({"string", "int", "bool", "version"})


def attribute(attributes: Attributes, driver: str, name: str) -> Value | None:
    """Found by its full name, or without a domain where the domain is the driver's."""
    published = attributes.get(name)
    if published is None:
        domain, _, identifier = name.partition("/")
        published = attributes.get(identifier) if domain == driver else None
    if not isinstance(published, dict) or len(published) != 1:
        return None
    return next(iter(published.items()))


class Match:
    """All devices have the value of the first."""

    def __init__(self, constraint: Constraint) -> None:
        self.constraint = constraint
        self._value: Value | None = None
        self._devices = 0

    def add(self, request: Request, value: Value | None) -> str:
        """Take the device in; why it cannot be, or empty."""
        if not self.constraint.concerns(request):
            return ""
        if value is None:
            return f"it has no attribute {self.constraint.attribute}"
        if not self._devices:
            self._value = value
        elif value != self._value or value[0] not in _COMPARABLE:
            name, other = self.constraint.attribute, _text(self._value)
            return f"{name} is {_text(value)}, the claim's other device has {other}"
        self._devices += 1
        return ""

    def remove(self, request: Request) -> None:
        if self.constraint.concerns(request):
            self._devices -= 1


class Distinct:
    """No two devices have the same value."""

    def __init__(self, constraint: Constraint, *, last_of_request: bool) -> None:
        self.constraint = constraint
        self._last_of_request = last_of_request
        self._values: list[tuple[str, Value]] = []
        self._devices = 0

    def add(self, request: Request, value: Value | None) -> str:
        """Take the device in; why it cannot be, or empty."""
        if not self.constraint.concerns(request):
            return ""
        if value is None:
            return f"it has no attribute {self.constraint.attribute}"
        if self._devices and self._repeats(value):
            return f"{self.constraint.attribute} is {_text(value)}, as on another device of the claim"
        if self._last_of_request:
            self._forget(request)
        self._values.append((request.main, value))
        self._devices += 1
        return ""

    def _repeats(self, value: Value) -> bool:
        others = [known for _, known in self._values]
        return value in others or (bool(others) and value[0] not in _COMPARABLE)

    def _forget(self, request: Request) -> None:
        self._values = [(name, value) for name, value in self._values if name != request.main]

    def remove(self, request: Request) -> None:
        if not self.constraint.concerns(request):
            return
        if self._last_of_request:
            self._forget(request)
        else:
            self._values.pop()
        self._devices -= 1


def constraints(wanted: Iterable[Constraint], *, last_of_request: bool) -> list[Match | Distinct]:
    return [Distinct(one, last_of_request=last_of_request) if one.distinct else Match(one) for one in wanted]


def _text(value: Value | None) -> str:
    return "nothing" if value is None else str(value[1])
