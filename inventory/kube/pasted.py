"""Text that somebody pasted: every document that can be read, and of the others where and why not."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from inventory.kube.documents import MOST_DOCUMENTS, DocumentError, documents
from inventory.kube.manifests import LONGEST_BYTES, Manifest, ManifestError, is_list, object_of

# A document ends here wherever it stands, even inside of a block of text (YAML 1.1, 9.1).
_BETWEEN = re.compile(r"^(?:---|\.\.\.)(?=[ \t\r\n]|\Z)", re.MULTILINE)
MOST_OBJECTS = 2_000


class Pasted(msgspec.Struct, frozen=True):
    """An object with the number of its document and the line on which that begins, both from 1."""

    document: int
    line: int
    manifest: Manifest


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
    for document in documents(piece.text):
        if not isinstance(document, dict) or not isinstance(document.get("kind"), str):
            raise ManifestError("expected a Kubernetes object: a mapping with a kind")
        if not is_list(document):
            yield Pasted(piece.document, piece.line, object_of(document))
            continue
        for index, item in enumerate(document["items"]):
            try:
                yield Pasted(piece.document, piece.line, _item(item))
            except ManifestError as error:
                told = f"item {index + 1}: {error}"
                unreadable.append(Unreadable(piece.document, piece.line, told))


def _item(item: Any) -> Manifest:
    if not isinstance(item, dict) or is_list(item):
        raise ManifestError("expected an object that is no list")
    return object_of(item)
