"""The filters of a page as a GET form, and what is set as chips that take it off again."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.http import HttpRequest, QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from dashboard.words.states import Badge

# These are no conditions: they stay when filters are cleared, but for the page number.
_NOT_CONDITIONS = ("view", "ordering", "show", "group_by", "step", "tz", "period", "until")
_NEVER_KEPT = ("page", "at")


class Choice(NamedTuple):
    value: str
    label: str | Promise
    selected: bool


class Field(NamedTuple):
    """`choices` is empty for a field to write in; `always`: one of them holds, there is no “all”;
    `empty` is what that is called here."""

    name: str
    label: str
    value: str
    choices: Sequence[Choice] = ()
    hint: str = ""
    always: bool = False
    empty: str = ""


class Chip(NamedTuple):
    name: str
    text: str
    href: str


class Form(NamedTuple):
    """`kept` are pairs that the form must send along; `clear` leads to the page without conditions."""

    fields: Sequence[Field]
    kept: Sequence[tuple[str, str]]
    chips: Sequence[Chip]
    clear: str


def form(request: HttpRequest, fields: Sequence[Field]) -> Form:
    query = request.GET
    shown = {field.name: field for field in fields}
    pairs = [(name, value) for name in query for value in query.getlist(name) if value]
    conditions = [(name, value) for name, value in pairs if name not in (*_NOT_CONDITIONS, *_NEVER_KEPT)]
    return Form(
        fields=fields,
        kept=[
            (name, value)
            for name, value in pairs
            if name not in _NEVER_KEPT and (name not in shown or value != shown[name].value)
        ],
        chips=[
            Chip(_label(shown, name), _word(shown, name, value), _without(query, name, value))
            for name, value in conditions
        ],
        clear=_clear(query),
    )


def choose(request: HttpRequest, name: str, label: str, options: Iterable[str | tuple[str, Any]]) -> Field:
    """A select; a value in the URL that is not among the options is offered too, so that it is not lost."""
    value = request.GET.get(name, "")
    pairs = [(one, one) if isinstance(one, str) else one for one in options]
    if value and value not in [one for one, _label in pairs]:
        pairs.append((value, value))
    return Field(name, label, value, [Choice(one, word, one == value) for one, word in pairs])


def write(request: HttpRequest, name: str, label: str, hint: str = "") -> Field:
    return Field(name, label, request.GET.get(name, ""), hint=hint)


def states(known: Mapping[Any, Badge]) -> list[tuple[str, str | Promise]]:
    return [(str(value), badge.word) for value, badge in known.items()]


def _label(shown: Mapping[str, Field], name: str) -> str:
    if name in shown:
        return shown[name].label
    words = {
        "node": _("Node"),
        "pool": _("Pool"),
        "device": _("Device"),
        "namespace": _("Namespace"),
        "claim": _("Claim"),
        "pod": _("Pod"),
        "tainted": _("Tainted"),
        "from": _("From"),
        "to": _("To"),
    }
    return words.get(name, name)


def _word(shown: Mapping[str, Field], name: str, value: str) -> str:
    choices = shown[name].choices if name in shown else ()
    return next((str(choice.label) for choice in choices if choice.value == value), value)


def _without(query: QueryDict, name: str, value: str) -> str:
    kept = query.copy()
    kept.setlist(name, [one for one in query.getlist(name) if one != value])
    for never in _NEVER_KEPT:
        kept.pop(never, None)
    return f"?{kept.urlencode()}"


def _clear(query: QueryDict) -> str:
    kept = QueryDict(mutable=True)
    for name in _NOT_CONDITIONS:
        kept.setlist(name, query.getlist(name))
    return f"?{kept.urlencode()}"
