"""Text that somebody pasted: every document that can be read, and of the others where and why not."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from inventory.kube.documents import MOST_DOCUMENTS, Document, DocumentError, located
from inventory.kube.manifests import LONGEST_BYTES, Manifest, ManifestError, is_list, object_of

# A document ends here wherever it stands, even inside of a block of text (YAML 1.1, 9.1).
_BETWEEN = re.compile(r"^(?:---|\.\.\.)(?=[ \t\r\n]|\Z)", re.MULTILINE)
MOST_OBJECTS = 2_000


class Pasted(msgspec.Struct, frozen=True):
    """An object with the number of its document and the line on which it begins, both from 1."""

    document: int
    line: int
    manifest: Manifest
    # Where it is: the whole document, the place of the object in it, and the line before its first one.
    within: Document
    place: str
    above: int

    def line_of(self, path: str) -> int:
        """The line of a value at this path in the object, or of what it would be in."""
        return self.above + self.within.line(f"{self.place}.{path}" if self.place else path)


class Unreadable(msgspec.Struct, frozen=True):
    """A document, or an object of a list in it, that is left out, with the line where it went wrong."""

    document: int
    line: int
    message: str


class _Piece(msgspec.Struct, frozen=True):
    document: int
    line: int
    text: str


def pasted(text: str) -> tuple[list[Pasted], list[Unreadable]]:
    """Raises ManifestError where it is too much to be read at all."""
    if len(text.encode(errors="replace")) > LONGEST_BYTES:
        raise ManifestError(f"longer than {LONGEST_BYTES // 1024} KiB")
    found, unreadable = list[Pasted](), list[Unreadable]()
    for piece in _pieces(text):
        try:
            objects = list(_objects(piece, unreadable))
        except DocumentError as error:
            line = piece.line if error.line is None else piece.line + error.line - 1
            unreadable.append(Unreadable(piece.document, line, error.told))
            continue
        except ManifestError as error:
            unreadable.append(Unreadable(piece.document, piece.line, str(error)))
            continue
        found += objects
        if len(found) > MOST_OBJECTS:
            raise ManifestError(f"more than {MOST_OBJECTS:,} objects")
    return found, unreadable


def _pieces(text: str) -> Iterator[_Piece]:
    """The documents with anything in them; comments alone are none."""
    text = text.removeprefix("\ufeff")
    starts = [0, *(match.start() for match in _BETWEEN.finditer(text))]
    ends = [*starts[1:], len(text)]
    number, line = 0, 1
    for start, end in zip(starts, ends, strict=True):
        body = text[start:end]
        if _has_anything(body):
            number += 1
            if number > MOST_DOCUMENTS:
                raise ManifestError(f"more than {MOST_DOCUMENTS:,} documents")
            yield _Piece(number, line, body)
        line += body.count("\n")


def _has_anything(body: str) -> bool:
    lines = (line.strip() for line in body.splitlines())
    return any(line and line not in ("---", "...") and not line.startswith(("#", "--- #")) for line in lines)


def _objects(piece: _Piece, unreadable: list[Unreadable]) -> Iterator[Pasted]:
    """Raises DocumentError and ManifestError."""
    for document in located(piece.text):
        value = document.value
        if not isinstance(value, dict) or not is_list(value):
            yield _object(piece, document, "", value)
            continue
        for index, item in enumerate(value["items"]):
            place = f"items[{index}]"
            try:
                yield _object(piece, document, place, item)
            except ManifestError as error:
                line = piece.line - 1 + document.line(place)
                unreadable.append(Unreadable(piece.document, line, f"item {index + 1}: {error}"))


def _object(piece: _Piece, document: Document, place: str, value: Any) -> Pasted:
    if not isinstance(value, dict) or (place and is_list(value)):
        raise ManifestError("expected a Kubernetes object: a mapping that is no list")
    for name in ("apiVersion", "kind"):
        if not isinstance(value.get(name), str) or not value[name]:
            raise ManifestError(f"expected a Kubernetes object: it has no {name}")
    if not isinstance(value.get("metadata"), dict):
        raise ManifestError("expected a Kubernetes object: its metadata is no mapping")
    above = piece.line - 1
    line = above + document.line(place) if place else piece.line
    return Pasted(piece.document, line, object_of(value), document, place, above)
