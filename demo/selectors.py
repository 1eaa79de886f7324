"""Label and field selectors of list and watch requests."""

import re
from collections.abc import Callable
from typing import Any

import msgspec

from demo.refusals import bad_request
from demo.resources import Resource
from demo.store import Record

Condition = Callable[[dict[str, Any]], bool]

_ALWAYS_SELECTABLE = ("metadata.name", "metadata.namespace")
_NAME = r"[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?"
_OUTSIDE_PARENTHESES = re.compile(r",(?![^(]*\))")
_SET = re.compile(rf"(?P<key>{_NAME})\s+(?P<operator>in|notin)\s*\((?P<values>[^()]*)\)")
_EQUALITY = re.compile(rf"(?P<key>{_NAME})\s*(?P<operator>==|!=|=)\s*(?P<value>[-A-Za-z0-9_.]*)")
_EXISTENCE = re.compile(rf"(?P<absent>!?)\s*(?P<key>{_NAME})")
_FIELD = re.compile(r"(?P<path>[A-Za-z.]+)(?P<operator>==|!=|=)(?P<value>.*)")


class Selection(msgspec.Struct, frozen=True):
    """The conditions of one request; no condition selects everything."""

    conditions: tuple[Condition, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.conditions)

    def admits(self, record: Record) -> bool:
        if not self.conditions:
            return True
        obj = record.object()
        return all(condition(obj) for condition in self.conditions)


def selection(resource: Resource, version: str, labels: str, fields: str) -> Selection:
    """Raises Refusal for a selector that cannot be read or names a field that cannot be selected by."""
    return Selection(
        (
            *(_label_condition(part.strip()) for part in _parts(labels)),
            *(_field_condition(resource, version, part) for part in _parts(fields)),
        )
    )


def _parts(selector: str) -> list[str]:
    return [part for part in _OUTSIDE_PARENTHESES.split(selector) if part.strip()]


def _label_condition(text: str) -> Condition:
    if match := _SET.fullmatch(text):
        values = {value.strip() for value in match["values"].split(",")}
        return _labelled(match["key"], values, wanted=match["operator"] == "in")
    if match := _EQUALITY.fullmatch(text):
        return _labelled(match["key"], {match["value"]}, wanted=match["operator"] != "!=")
    if match := _EXISTENCE.fullmatch(text):
        key, wanted = match["key"], not match["absent"]
        return lambda obj: (key in _labels(obj)) is wanted
    raise bad_request(f'unable to parse requirement: found "{text}"')


def _labelled(key: str, values: set[str], *, wanted: bool) -> Condition:
    """`!=` and `notin` also admit objects without the label, as Kubernetes does."""
    return lambda obj: (_labels(obj).get(key) in values) is wanted


def _labels(obj: dict[str, Any]) -> dict[str, str]:
    return obj["metadata"].get("labels") or {}


def _field_condition(resource: Resource, version: str, text: str) -> Condition:
    match = _FIELD.fullmatch(text.strip())
    if match is None:
        raise bad_request(f'invalid selector: "{text}"; can\'t understand "{text}"')
    path, value, wanted = match["path"], match["value"], match["operator"] != "!="
    if path not in (*_ALWAYS_SELECTABLE, *resource.selectable):
        raise bad_request(
            f'Unable to find "{resource.group}/{version}, Resource={resource.plural}" that match '
            f'label selector "", field selector "{text}": field label not supported: {path}'
        )
    return lambda obj: (_field(obj, path) == value) is wanted


def _field(obj: dict[str, Any], path: str) -> str:
    found: Any = obj
    for step in path.split("."):
        found = found.get(step, "") if isinstance(found, dict) else ""
    return str(found)
