"""A conversion as text, for a terminal, in the words of its rows."""

from collections.abc import Iterator

from dashboard.words import conversion as words
from dashboard.words import fit as fit_words
from dashboard.words.conversion import RULE
from inventory.queries.conversion.files import unreadable
from inventory.queries.conversion.rows import (
    ConversionRow,
    ConversionsRow,
    ConvertedClaimRow,
    CorrectionRow,
    FailureRow,
    PodConversionRow,
    Searched,
    SummaryRow,
    WarningRow,
)

_SEARCHED = {
    Searched.NO_CLUSTER: "not asked: name a cluster with --cluster",
    Searched.NO_TIME: "not asked: there was no time left",
    Searched.NOT_POSSIBLE: "cannot be asked",
}


def lines(found: ConversionsRow) -> Iterator[str]:
    yield summary(found.summary)
    for one in found.unreadable:
        yield ""
        yield f"error: {unreadable(one)}"
    for row in found.conversions:
        yield ""
        yield from _object(row)


def summary(row: SummaryRow) -> str:
    """`2 objects as HAMi-DRA 0.2.3 …: 1 converted, 1 refused`; what there is none of is not named."""
    counts = (
        (row.converted, "converted"),
        (row.with_warnings, "converted with warnings"),
        (row.refused, "refused"),
        (row.unchanged, "unchanged"),
        (row.unreadable, "unreadable"),
        (row.fitting, "would fit now"),
        (row.not_fitting, "would not fit now"),
        (row.no_time, "not tried, for lack of time"),
    )
    told = ", ".join(f"{count:,} {what}" for count, what in counts if count)
    return f"{row.objects:,} {'object' if row.objects == 1 else 'objects'}" + (f": {told}" if told else "")


def _object(row: ConversionRow) -> Iterator[str]:
    yield f"{row.kind} {row.namespace}/{row.name}: {row.outcome.replace('_', ' ')}"
    for pod in row.pods:
        if pod.path:
            yield f"  Pod of {pod.path}"
        yield from (f"  {line}" for line in _pod(pod))
    for remark in row.for_repository.remarks:
        yield f"  {words.remark(remark)}" + (f" ({remark.field})" if remark.field else "")
    if row.for_repository.problem:
        yield f"  no manifests for a repository: {row.for_repository.problem}"


def _pod(pod: PodConversionRow) -> Iterator[str]:
    if pod.failure is not None:
        yield f"the webhook denies it with {pod.failure.code}: {pod.failure.message}{_place(pod.failure)}"
    for refusal in pod.refusals:
        yield f"Kubernetes refuses {refusal.object}: {refusal.message}"
    for claim in pod.claims:
        yield from _claim(claim)
    for warning in pod.warnings:
        yield from _warning(warning)
    for proposal in pod.proposals:
        yield f"a proposal of ours for container {proposal.container}: {proposal.driver}"
    for one in pod.unavailable:
        yield f"not converted in container {one.container}: {', '.join(one.resources)} ({one.vendor})"
    if pod.fit is not None:
        told = iter(fit_words.lines(pod.fit))
        yield f"would it fit now? {next(told).partition(': ')[2]}"
        yield from told
        yield from map(_correction, pod.corrections)
    elif pod.searched in _SEARCHED:
        yield f"would it fit now? {': '.join(filter(None, (_SEARCHED[pod.searched], pod.fit_problem)))}"


def _place(failure: FailureRow) -> str:
    line = f", line {failure.line}" if failure.line else ""
    return f" ({failure.field}{line})" if failure.field else ""


def _correction(row: CorrectionRow) -> str:
    """Each with what was written before it."""
    told = f"with what is said of {', '.join(row.codes)}:"
    if row.fit is None or row.never_fits:
        return f"  {told} no"
    return f"  {told} {row.fit.verdict.replace('_', ' ')}, nodes: {row.fit.fits_on}"


def _claim(claim: ConvertedClaimRow) -> Iterator[str]:
    yield f"{claim.kind} {claim.namespace}/{claim.name} for container {claim.container}"
    for origin in claim.origins:
        came = (
            f"  <- {origin.source} {origin.given} ({RULE[origin.rule]})"
            if origin.source
            else f"  ({RULE[origin.rule]})"
        )
        yield f"  {origin.field}: {origin.value}{came}"


def _warning(warning: WarningRow) -> Iterator[str]:
    yield f"{warning.severity.replace('_', ' ')}: {warning.title} ({warning.field})"
    yield f"  HAMi: {warning.before}"
    yield f"  DRA:  {warning.after}"
    yield f"  write: {warning.write}"
    for line in (warning.instead or "").splitlines():
        yield f"    {line}"
