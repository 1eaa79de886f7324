"""The selectors that the story's objects use, decided by their form.

A conjunction of three kinds of term: the driver is X; an attribute is X; an attribute is one of
several. Any other expression is refused, because this is no CEL engine.
"""

import json
import re
from functools import lru_cache

import msgspec

_DRIVER = re.compile(r'device\.driver == "(?P<driver>[^"]+)"')
_EQUAL = re.compile(r'device\.attributes\["(?P<domain>[^"]+)"\]\.(?P<name>\w+) == (?P<value>"[^"]*")')
_ONE_OF = re.compile(r'device\.attributes\["(?P<domain>[^"]+)"\]\.(?P<name>\w+) in (?P<values>\[[^\]]*\])')


class UnknownForm(ValueError):
    """The expression is none of those that the story uses."""


class Term(msgspec.Struct, frozen=True):
    """One condition; an empty attribute means the driver."""

    attribute: str
    values: tuple[str, ...]


def admits(expression: str, driver: str, attributes: dict[str, str]) -> bool:
    """Attributes are given by their full names, domain and all."""
    return all(
        (driver if not term.attribute else attributes.get(term.attribute)) in term.values
        for term in _terms(expression)
    )


@lru_cache(maxsize=256)
def _terms(expression: str) -> tuple[Term, ...]:
    return tuple(_term(part.strip()) for part in expression.split(" && "))


def _term(text: str) -> Term:
    if match := _DRIVER.fullmatch(text):
        return Term("", (match["driver"],))
    if match := _EQUAL.fullmatch(text):
        return Term(f"{match['domain']}/{match['name']}", (json.loads(match["value"]),))
    if match := _ONE_OF.fullmatch(text):
        return Term(f"{match['domain']}/{match['name']}", tuple(json.loads(match["values"])))
    raise UnknownForm(text)


def uuid_selector(driver: str, *uuids: str) -> str:
    """As the HAMi webhook writes it for a card that a Pod asks for by uuid."""
    return f'device.attributes["{driver}"].uuid in {json.dumps(list(uuids))}'


def attribute_selector(driver: str, name: str, value: str) -> str:
    return f'device.attributes["{driver}"].{name} == {json.dumps(value)}'
