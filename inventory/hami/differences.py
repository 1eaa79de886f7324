"""What changes from one object to the other, line by line of their YAML."""

from collections.abc import Iterator
from difflib import unified_diff
from enum import StrEnum
from itertools import groupby, zip_longest

import msgspec

from inventory.hami.yaml_text import yaml_text
from inventory.kube.objects import Raw

_CONTEXT = 3


class Mark(StrEnum):
    """How a line of a difference begins."""

    CONTEXT = " "
    ADDED = "+"
    REMOVED = "-"


class Line(msgspec.Struct, frozen=True):
    """`text` is the line of the YAML, without its mark and line feed."""

    mark: Mark
    text: str


class Row(msgspec.Struct, frozen=True):
    """Before and after, side by side; None where the one has no such line."""

    before: str | None
    after: str | None


class Hunk(msgspec.Struct, frozen=True):
    """Lines that follow one another; `heading` says where they stand: @@ -4,7 +4,9 @@."""

    heading: str
    lines: tuple[Line, ...]

    def rows(self) -> Iterator[Row]:
        """What goes stands beside what comes in its place."""
        for is_context, lines in groupby(self.lines, key=lambda line: line.mark is Mark.CONTEXT):
            if is_context:
                yield from (Row(line.text, line.text) for line in lines)
                continue
            changed = list(lines)
            gone, come = (
                [line.text for line in changed if line.mark is mark] for mark in (Mark.REMOVED, Mark.ADDED)
            )
            yield from (Row(*pair) for pair in zip_longest(gone, come))


class Difference(msgspec.Struct, frozen=True):
    """Of one object, named as `kind namespace/name`. Without hunks nothing has changed."""

    name: str
    hunks: tuple[Hunk, ...]

    def text(self) -> str:
        """As `diff -u` writes it; empty where nothing has changed."""
        return "".join(f"{line}\n" for line in self._lines()) if self.hunks else ""

    def _lines(self) -> Iterator[str]:
        yield f"--- {self.name}"
        yield f"+++ {self.name}"
        for hunk in self.hunks:
            yield hunk.heading
            yield from (f"{line.mark}{line.text}" for line in hunk.lines)


def difference(name: str, before: Raw | None, after: Raw | None, context: int = _CONTEXT) -> Difference:
    """None stands for an object that is not there. Raises UnwritableError."""
    # By line feeds alone: what else ends a line for Python is escaped in YAML.
    old, new = ([] if one is None else yaml_text(one).split("\n")[:-1] for one in (before, after))
    return Difference(name, tuple(_hunks(unified_diff(old, new, n=context, lineterm=""))))


def _hunks(lines: Iterator[str]) -> Iterator[Hunk]:
    heading, found = "", list[Line]()
    # The names of the two files come first, and every hunk begins with its place.
    for line in list(lines)[2:]:
        if line.startswith("@@"):
            if heading:
                yield Hunk(heading, tuple(found))
            heading, found = line, []
        else:
            found.append(Line(Mark(line[0]), line[1:]))
    if heading:
        yield Hunk(heading, tuple(found))
