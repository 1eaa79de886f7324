"""Kubernetes label selectors (k8s.io/apimachinery/pkg/labels) as conditions on a column of labels.

`a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`, joined by commas: all must hold. As upstream,
`!=` and `notin` also hold for what lacks the label.
"""

import re
from collections.abc import Iterator
from typing import Any

from django.db.models import Expression, F, Func, Q, TextField, Value
from django.db.models.lookups import In, IsNull

_KEY = r"(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_VALUE = r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?"
_REQUIREMENT = re.compile(
    rf"\s*(?:!\s*(?P<lacks>{_KEY})"
    rf"|(?P<key>{_KEY})(?:\s*(?P<equals>==|=|!=)\s*(?P<value>{_VALUE})"
    rf"|\s+(?P<set>in|notin)\s*\((?P<values>[^()]*)\))?)\s*(?:,|$)",
    re.ASCII,
)
_VALUE_ALONE = re.compile(_VALUE, re.ASCII)


class SelectorError(ValueError):
    """The text is no label selector; the message quotes it."""


class LabelText(Func):
    """The text of one label; null where the object lacks it.

    Django's own key transforms take a label named `1` for a place in a list.
    """

    output_field = TextField()

    def __init__(self, labels: F | Expression, key: str) -> None:
        super().__init__(labels)
        self.key = key

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, tuple[Any, ...]]:
        sql, params = compiler.compile(self.source_expressions[0])
        return f"JSON_EXTRACT({sql}, %s)", (*params, f'$."{self.key}"')

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, tuple[Any, ...]]:
        sql, params = compiler.compile(self.source_expressions[0])
        return f"({sql} ->> %s::text)", (*params, self.key)


def condition(text: str, labels: F | Expression) -> Q:
    """The selector as a condition on the labels. Raises SelectorError."""
    found = Q()
    for key, values, wanted in _requirements(text):
        found &= _holds(LabelText(labels, key), values, wanted=wanted)
    return found


def _holds(label: LabelText, values: list[str] | None, *, wanted: bool) -> Q:
    if values is None:
        return Q(IsNull(label, not wanted))
    among = Q(In(label, [Value(value) for value in values]))
    return among if wanted else _holds(label, None, wanted=False) | ~among


def _requirements(text: str) -> Iterator[tuple[str, list[str] | None, bool]]:
    """Key, the values (None: whether it exists at all), and whether it should match."""
    position = 0
    while position < len(text):
        match = _REQUIREMENT.match(text, position)
        if match is None:
            raise SelectorError(_refusal(text, position))
        yield _requirement(match, text)
        position = match.end()
    if not text.strip() or text.rstrip().endswith(","):
        raise SelectorError(_refusal(text, len(text)))


def _requirement(match: re.Match[str], text: str) -> tuple[str, list[str] | None, bool]:
    if match["lacks"]:
        return match["lacks"], None, False
    if match["equals"]:
        return match["key"], [match["value"]], match["equals"] != "!="
    if match["set"]:
        values = [value.strip() for value in match["values"].split(",")]
        if not all(_VALUE_ALONE.fullmatch(value) for value in values):
            raise SelectorError(_refusal(text, match.start("values")))
        return match["key"], values, match["set"] == "in"
    return match["key"], None, True


def _refusal(text: str, position: int) -> str:
    return (
        f"{text!r} is no label selector from character {position + 1} on; "
        "expected for example app=train,tier in (a,b),zone!=z1,!debug"
    )
