"""How sentences are put together: as plain text here; pages mark up amounts, expressions and names."""

from collections.abc import Iterable
from typing import Protocol

from dashboard.words import amounts
from inventory.dra.units import Unit
from inventory.kube.quantity import Quantity


class Writing(Protocol):
    def put(self, message: str, **parts: str) -> str:
        """A message with its `%(name)s` filled in."""

    def join(self, separator: str, parts: Iterable[str]) -> str: ...

    def code(self, text: str) -> str: ...

    def said(self, text: str) -> str:
        """English of the scheduler, or of what reads the cluster, inside of a sentence of any language."""

    def amount(self, quantity: Quantity, unit: Unit) -> str: ...

    def node(self, name: str) -> str: ...

    def device(self, driver: str, pool: str, name: str) -> str: ...


class Plain:
    """For terminals and the API."""

    def put(self, message: str, **parts: str) -> str:
        return message % parts

    def join(self, separator: str, parts: Iterable[str]) -> str:
        return separator.join(parts)

    def code(self, text: str) -> str:
        return text

    def said(self, text: str) -> str:
        return text

    def amount(self, quantity: Quantity, unit: Unit) -> str:
        return amounts.amount(quantity, unit)

    def node(self, name: str) -> str:
        return name

    def device(self, driver: str, pool: str, name: str) -> str:
        return name


PLAIN = Plain()
