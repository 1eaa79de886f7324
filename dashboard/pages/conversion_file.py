"""A conversion as a file to apply, or to keep in a repository."""

from collections.abc import Callable, Iterator
from enum import StrEnum

from django.http import HttpResponse

from inventory.hami.yaml_text import UnwritableError, yaml_stream
from inventory.kube.untrusted import printable
from inventory.queries.conversion.rows import ConversionRow, ConversionsRow

_LONGEST_REMARK = 400


class What(StrEnum):
    # Ours: claim templates, and the workloads that use them.
    REPOSITORY = "repository"
    # The claims and the Pods as the webhook makes them.
    WEBHOOK = "webhook"


def answer(rows: ConversionsRow, what: What) -> HttpResponse:
    response = HttpResponse(_text(rows, what), content_type="application/yaml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="converted-{what}.yaml"'
    response["Cache-Control"] = "no-store"
    return response


def _text(rows: ConversionsRow, what: What) -> str:
    """What is left out is told at the top, as comments."""
    remarks, documents = list(_unreadable(rows)), list[str]()
    for row in rows.conversions:
        remarks += _refused(row)
        try:
            documents += _DOCUMENTS[what](row)
        except UnwritableError as error:
            remarks.append(f"Left out, {_name(row)}: {error}")
    told = "".join(f"# {printable(one, _LONGEST_REMARK)}\n" for one in remarks)
    return told + "---\n".join(documents)


def _name(row: ConversionRow) -> str:
    return f"{row.kind} {row.namespace}/{row.name}"


def _unreadable(rows: ConversionsRow) -> Iterator[str]:
    for one in rows.unreadable:
        place = f"document {one.document}, line {one.line}" if one.document else one.object or ""
        yield f"Left out, {place}: {one.message}"


def _refused(row: ConversionRow) -> Iterator[str]:
    for pod in row.pods:
        if pod.failure is not None:
            yield f"Not converted, {_name(row)}: {pod.failure.message}"


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
