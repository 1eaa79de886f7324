"""Kubernetes label selectors (k8s.io/apimachinery/pkg/labels).

`a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`, joined by commas: all must hold. As upstream,
`!=` and `notin` also hold for what lacks the label.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_DOMAIN = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
KEY = (
    rf"(?:(?=[^/]{{1,253}}/){_DOMAIN}(?:\.{_DOMAIN})*/)?"
    r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
)
_VALUE = r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?"
_REQUIREMENT = re.compile(
    rf"\s*(?:!\s*(?P<lacks>{KEY})"
    rf"|(?P<key>{KEY})(?:\s*(?P<equals>==|=|!=)\s*(?P<value>{_VALUE})"
    rf"|\s+(?P<set>in|notin)\s*\((?P<values>[^()]*)\))?)\s*(?:,|$)",
    re.ASCII,
)
_VALUE_ALONE = re.compile(_VALUE, re.ASCII)


class SelectorError(ValueError):
    """The text is no label selector; the message quotes it."""


@dataclass(frozen=True)
class Requirement:
    """`values` None: it is about whether there is the label at all."""

    key: str
    values: tuple[str, ...] | None
    wanted: bool

    def holds(self, labels: Mapping[str, str]) -> bool:
        value = labels.get(self.key)
        found = value is not None and (self.values is None or value in self.values)
        return found is self.wanted


Selector = tuple[Requirement, ...]


def parse(text: str) -> Selector:
    """Raises SelectorError."""
    return tuple(_requirements(text))


def matches(selector: Selector, labels: Mapping[str, str]) -> bool:
    return all(requirement.holds(labels) for requirement in selector)


def _requirements(text: str) -> Iterator[Requirement]:
    position = 0
    while position < len(text):
        match = _REQUIREMENT.match(text, position)
        if match is None:
            raise SelectorError(_refusal(text, position))
        yield _requirement(match, text)
        position = match.end()
    if not text.strip() or text.rstrip().endswith(","):
        raise SelectorError(_refusal(text, len(text)))


def _requirement(match: re.Match[str], text: str) -> Requirement:
    if match["lacks"]:
        return Requirement(match["lacks"], None, wanted=False)
    if match["equals"]:
        return Requirement(match["key"], (match["value"],), wanted=match["equals"] != "!=")
    if match["set"]:
        values = tuple(value.strip() for value in match["values"].split(","))
        if not all(_VALUE_ALONE.fullmatch(value) for value in values):
            raise SelectorError(_refusal(text, match.start("values")))
        return Requirement(match["key"], values, wanted=match["set"] == "in")
    return Requirement(match["key"], None, wanted=True)


def _refusal(text: str, position: int) -> str:
    return (
        f"{text!r} is no label selector from character {position + 1} on; "
        "expected for example app=train,tier in (a,b),zone!=z1,!debug"
    )
