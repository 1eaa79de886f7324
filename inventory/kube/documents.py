"""YAML as the values that JSON has, with the scalars that kubectl reads, and with nothing that makes it dear.

One pass over the parser's events: no tag is looked up, and nothing is made that the text does not spell out.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import msgspec
import yaml

from inventory.kube.untrusted import DEEPEST

MOST_DOCUMENTS = 1_000
# Maps, lists, keys and scalars of all documents.
MOST_VALUES = 200_000
LONGEST_NUMBER = 400
_LONGEST_TOLD = 80

# As kubectl's parser has them (YAML 1.1); dates stay texts, and there is no base 60.
_WORDS: Mapping[str, bool | None] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
_INTEGER = re.compile(r"[-+]?(?:0[bB][01]+|(0[oO]?[0-7]+)|0[xX][0-9a-fA-F]+|0|[1-9][0-9]*)")
# A step of a path: a key after a dot, an index, or a key in quotes.
_STEP = re.compile(r"""\.?([^.\[\]"]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]""")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


class DocumentError(ValueError):
    """The text cannot be read; `line` says where, from 1, where that is known, and `told` why."""

    def __init__(self, told: str, line: int | None = None) -> None:
        super().__init__(told if line is None else f"line {line}: {told}")
        self.told, self.line = told, line


# Where a value is: the place of what it is in, and its key or index there; None for the whole document.
Place = tuple["Place", str | int] | None


class Document(msgspec.Struct, frozen=True):
    """What a document holds, and on which line each value in it begins, from 1."""

    value: Any
    lines: Mapping[Place, int]

    def line(self, path: str) -> int:
        """Of the value at a path such as `items[2].spec.limits["a/b"]`, or else of what it would be in."""
        place: Place = None
        for found in _STEP.finditer(path):
            if (inner := (place, _step(found))) not in self.lines:
                break
            place = inner
        return self.lines[place]


class _Open(msgspec.Struct):
    """A map or list that is being read; `key` is that of the map's next value."""

    value: dict[str, Any] | list[Any]
    place: Place = None
    key: str | None = None

    def next(self) -> Place:
        return self.place, len(self.value) if self.key is None else self.key


def documents(text: str) -> list[Any]:
    """What the documents hold, without the empty ones. Raises DocumentError."""
    return [one.value for one in located(text)]


def located(text: str) -> list[Document]:
    """The same with the lines. Raises DocumentError."""
    reading = _Reading()
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            reading.take(event)
    except yaml.YAMLError as error:
        raise _syntax_error(error) from error
    except UnicodeError as error:
        raise DocumentError("a character that is none") from error
    return reading.documents


class _Reading:
    def __init__(self) -> None:
        self.documents: list[Document] = []
        self._open: list[_Open] = []
        self._lines: dict[Place, int] = {}
        self._begun = self._values = 0

    def take(self, event: yaml.Event) -> None:
        match event:
            case yaml.AliasEvent():
                raise _fault(event, "YAML aliases are not read")
            case yaml.ScalarEvent():
                self._count(event)
                self._put(event, _scalar(event))
            case yaml.MappingStartEvent():
                self._begin(event, {})
            case yaml.SequenceStartEvent():
                self._begin(event, [])
            case yaml.CollectionEndEvent():
                self._open.pop()
            case yaml.DocumentStartEvent():
                self._begun += 1
                if self._begun > MOST_DOCUMENTS:
                    raise _fault(event, f"more than {MOST_DOCUMENTS:,} documents")

    def _count(self, event: yaml.NodeEvent) -> None:
        self._values += 1
        if self._values > MOST_VALUES:
            raise _fault(event, f"more than {MOST_VALUES:,} values")

    def _begin(self, event: yaml.CollectionStartEvent, value: dict[str, Any] | list[Any]) -> None:
        self._count(event)
        _refuse_tag(event, event.tag)
        if self._open and self._awaits_key(self._open[-1]):
            raise _fault(event, "a key that is a map or list")
        if len(self._open) >= DEEPEST:
            raise _fault(event, f"more than {DEEPEST} levels are not read")
        place = self._open[-1].next() if self._open else None
        self._put(event, value)
        self._open.append(_Open(value, place))

    @staticmethod
    def _awaits_key(within: _Open) -> bool:
        return isinstance(within.value, dict) and within.key is None

    def _put(self, event: yaml.NodeEvent, value: Any) -> None:
        if not self._open:
            self._lines = {None: _line(event)}
            self.documents += [] if value is None else [Document(value, self._lines)]
            return
        within = self._open[-1]
        if isinstance(within.value, dict) and within.key is None:
            within.key = _key(event, value, within.value)
            return
        self._lines[within.next()] = _line(event)
        if isinstance(within.value, list):
            within.value.append(value)
        elif within.key is not None:
            within.value[within.key], within.key = value, None


def _key(event: yaml.NodeEvent, value: Any, among: Mapping[str, Any]) -> str:
    """JSON has texts only; what is given twice kubectl refuses."""
    if value is None:
        raise _fault(event, "a key that is empty")
    if isinstance(event, yaml.ScalarEvent) and event.implicit[0] and value == "<<":
        raise _fault(event, "YAML merge keys are not read")
    key = str(value).lower() if isinstance(value, bool) else str(value)
    if key in among:
        raise _fault(event, f"{key[:_LONGEST_TOLD]} is given twice")
    return key


def _scalar(event: yaml.ScalarEvent) -> Any:
    _refuse_tag(event, event.tag)
    text = event.value
    if not event.implicit[0]:
        # In quotes, or a block.
        return text
    if text in _WORDS:
        return _WORDS[text]
    return _number(event, text) if text[0] in "+-.0123456789" else text


def _number(event: yaml.ScalarEvent, text: str) -> Any:
    """Or the text itself."""
    digits = text.replace("_", "")
    whole = _INTEGER.fullmatch(digits)
    if whole is None and _DECIMAL.fullmatch(digits) is None:
        return text
    if len(digits) > LONGEST_NUMBER:
        raise _fault(event, f"a number of {len(digits):,} characters")
    if whole is not None:
        return int(digits, 8 if whole[1] else 0)
    try:
        return Decimal(digits)
    except ArithmeticError as error:
        raise _fault(event, f"a number that is too large: {digits[:_LONGEST_TOLD]}") from error


def _refuse_tag(event: yaml.Event, tag: str | None) -> None:
    if tag is not None:
        raise _fault(event, "YAML tags are not read")


def _step(found: re.Match[str]) -> str | int:
    key, index, quoted = found.groups()
    if index is not None:
        return int(index)
    if key is not None:
        return str(key)
    try:
        return str(msgspec.json.decode(f'"{quoted}"'))
    except msgspec.DecodeError:
        # Go has escapes that JSON does not have: then the line is that of what the value is in.
        return str(quoted)


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _fault(event: yaml.Event, told: str) -> DocumentError:
    return DocumentError(told, _line(event))


def _syntax_error(error: yaml.YAMLError) -> DocumentError:
    mark = getattr(error, "problem_mark", None)
    problem = " ".join(str(getattr(error, "problem", None) or error).split())
    return DocumentError(problem, mark.line + 1 if mark is not None else None)
