"""A conversion as files: to keep in a repository, or to apply."""

from collections.abc import Callable, Iterator
from enum import StrEnum

import msgspec

from inventory.hami.warnings.warning import Severity
from inventory.hami.yaml_text import UnwritableError, yaml_stream
from inventory.queries.conversion.rows import ConversionRow, ConversionsRow, PodConversionRow, UnreadableRow


class What(StrEnum):
    # Ours: claim templates, and the workloads that use them; what has nothing to convert as it is.
    REPOSITORY = "repository"
    # The claims and the Pods as the webhook makes them; what it does not change is left out.
    WEBHOOK = "webhook"


class Grade(StrEnum):
    # Left out, or refused where it is applied.
    ERROR = "error"
    # It comes to mean something else.
    WARNING = "warning"


class Notice(msgspec.Struct, frozen=True):
    grade: Grade
    text: str


class File(msgspec.Struct, frozen=True):
    """YAML, a document for each object, and what has to be said beside it."""

    text: str
    notices: tuple[Notice, ...]


def file_of(rows: ConversionsRow, what: What) -> File:
    notices, documents = list(_unreadable(rows)), list[str]()
    for row in rows.conversions:
        notices += _notices(row)
        try:
            documents += _DOCUMENTS[what](row)
        except UnwritableError as error:
            notices.append(Notice(Grade.ERROR, f"{_name(row)} is left out: {error}"))
    return File("---\n".join(documents), tuple(notices))


def unreadable(row: UnreadableRow) -> str:
    """In one line: where, what, and why."""
    place = f"document {row.document}, line {row.line}" if row.document else ""
    return ": ".join(part for part in (place, row.object or "", row.message) if part)


def _name(row: ConversionRow) -> str:
    return f"{row.kind} {row.namespace}/{row.name}"


def _unreadable(rows: ConversionsRow) -> Iterator[Notice]:
    for one in rows.unreadable:
        yield Notice(Grade.ERROR, f"{unreadable(one)}; it is left out")


def _notices(row: ConversionRow) -> Iterator[Notice]:
    for pod in row.pods:
        yield from (Notice(grade, f"{_name(row)}: {text}") for grade, text in _of_pod(pod))


def _of_pod(pod: PodConversionRow) -> Iterator[tuple[Grade, str]]:
    if pod.failure is not None:
        place = f" ({pod.failure.field})" if pod.failure.field else ""
        yield Grade.ERROR, f"the webhook denies it: {pod.failure.message}{place}"
    for refusal in pod.refusals:
        yield Grade.ERROR, f"Kubernetes refuses {refusal.object}: {refusal.message}"
    for warning in pod.warnings:
        if warning.severity is not Severity.NOTE:
            yield Grade.WARNING, f"{warning.title} ({warning.field})"


def _for_repository(row: ConversionRow) -> Iterator[str]:
    if row.for_repository.problem:
        raise UnwritableError(row.for_repository.problem)
    if row.for_repository.yaml:
        yield row.for_repository.yaml


def _of_webhook(row: ConversionRow) -> Iterator[str]:
    for pod in row.pods:
        if pod.claims:
            yield yaml_stream([*(claim.manifest for claim in pod.claims), pod.pod])


_DOCUMENTS: dict[What, Callable[[ConversionRow], Iterator[str]]] = {
    What.REPOSITORY: _for_repository,
    What.WEBHOOK: _of_webhook,
}
