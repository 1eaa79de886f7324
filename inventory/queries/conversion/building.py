"""From what the conversion says to rows."""

from collections.abc import Iterable

import msgspec

from inventory.hami.converted import ConvertedClaim, Mutation, Origin
from inventory.hami.differences import Difference, difference
from inventory.hami.previews import MemoryShare, PodPreview
from inventory.hami.proposals import Proposal, Unavailable
from inventory.hami.warnings.warning import Code, ConversionWarning, Severity
from inventory.hami.warnings.wording import worded
from inventory.hami.workloads import Workload
from inventory.hami.yaml_text import yaml_stream
from inventory.queries.conversion.fitting import Found
from inventory.queries.conversion.rows import (
    ConvertedClaimRow,
    CorrectionRow,
    DifferenceLine,
    FailureRow,
    ForRepositoryRow,
    HunkRow,
    LossRow,
    MemoryShareRow,
    ModelShareRow,
    OriginRow,
    PodConversionRow,
    ProposalRow,
    RefusalRow,
    RemarkRow,
    UnavailableRow,
    UnifiedDifferenceRow,
    WarningRow,
)
from inventory.queries.fit.answers import FitRow

_NOT_TOLD = UnifiedDifferenceRow("", ())


def pod_row(
    preview: PodPreview,
    found: Found,
    corrections: Iterable[CorrectionRow] = (),
    path: str = "",
    task: str = "",
    *,
    partial: bool,
    line: int | None = None,
) -> PodConversionRow:
    """`line` is that of the field for which the Pod is denied. Raises UnwritableError."""
    mutation = preview.mutation
    # What a denied Pod leaves behind is told by the webhook's calls, not as a conversion.
    claims = () if mutation.failure else mutation.claims
    return PodConversionRow(
        path=path or None,
        task=task or None,
        name=_name(preview),
        partial=partial,
        outcome=preview.outcome,
        failure=_failure(mutation, line),
        refusals=_refusals(mutation),
        claims=tuple(map(_claim, claims)),
        pod=mutation.pod,
        origins=_origins(mutation.origins),
        warnings=tuple(map(_warning, preview.warnings)),
        difference=difference_row(preview.difference()),
        proposals=tuple(map(_proposal, preview.proposals.claims)),
        alternatives=tuple(map(_proposal, preview.alternatives)),
        unavailable=tuple(map(_unavailable, preview.proposals.unavailable)),
        memory_shares=tuple(map(_memory_share, preview.memory_shares)),
        searched=found.searched,
        fit=found.fit,
        fit_problem=found.problem,
        corrections=tuple(corrections),
    )


def brief_row(preview: PodPreview, found: Found, *, partial: bool) -> PodConversionRow:
    """What its line in a list tells: the outcome, the warnings and the verdict.

    Claims, differences and places of thousands of Pods are much to make and to keep.
    """
    return PodConversionRow(
        path=None,
        task=None,
        name=_name(preview),
        partial=partial,
        outcome=preview.outcome,
        failure=_failure(preview.mutation, None),
        refusals=_refusals(preview.mutation),
        claims=(),
        pod={},
        origins=(),
        warnings=tuple(map(_warning, preview.warnings)),
        difference=_NOT_TOLD,
        proposals=(),
        alternatives=(),
        unavailable=(),
        memory_shares=(),
        searched=found.searched,
        fit=None if found.fit is None else _verdict(found.fit),
        fit_problem=found.problem,
        corrections=(),
    )


def correction_row(codes: Iterable[Code], preview: PodPreview, found: Found) -> CorrectionRow:
    still = any(one.severity is Severity.NEVER_FITS for one in preview.warnings)
    fit = None if found.fit is None else _verdict(found.fit)
    return CorrectionRow(tuple(codes), preview.outcome, found.searched, fit, never_fits=still)


def _verdict(row: FitRow) -> FitRow:
    return msgspec.structs.replace(row, fits=(), elsewhere=(), excluded=(), requests=(), pools=(), doubts=())


def repository_row(workload: Workload, name: str) -> ForRepositoryRow:
    """Raises UnwritableError."""
    manifests = workload.manifests()
    return ForRepositoryRow(
        manifests=manifests,
        yaml=yaml_stream(manifests),
        difference=difference_row(difference(name, workload.before, workload.raw)),
        remarks=tuple(RemarkRow(one.note, one.field or None, one.text or None) for one in workload.remarks),
        problem=None,
    )


def without_repository(problem: str) -> ForRepositoryRow:
    return ForRepositoryRow((), "", _NOT_TOLD, (), problem)


def difference_row(found: Difference) -> UnifiedDifferenceRow:
    hunks = tuple(
        HunkRow(hunk.heading, tuple(DifferenceLine(line.mark, line.text) for line in hunk.lines))
        for hunk in found.hunks
    )
    return UnifiedDifferenceRow(found.text(), hunks)


def _name(preview: PodPreview) -> str:
    metadata = preview.pod.get("metadata") or {}
    return str(metadata.get("name") or metadata.get("generateName") or "")


def _failure(mutation: Mutation, line: int | None) -> FailureRow | None:
    failure = mutation.failure
    return FailureRow(failure.message, failure.code, failure.field or None, line) if failure else None


def _refusals(mutation: Mutation) -> tuple[RefusalRow, ...]:
    return tuple(RefusalRow(one.object, one.message) for one in mutation.refusals)


def _claim(claim: ConvertedClaim) -> ConvertedClaimRow:
    return ConvertedClaimRow(
        claim.kind,
        claim.namespace,
        claim.name,
        claim.container,
        claim.vendor,
        claim.raw,
        _origins(claim.origins),
    )


def _origins(origins: Iterable[Origin]) -> tuple[OriginRow, ...]:
    return tuple(
        OriginRow(one.object, one.field, one.value, one.rule, one.source or None, one.given or None)
        for one in origins
    )


def _warning(warning: ConversionWarning) -> WarningRow:
    wording = worded(warning)
    return WarningRow(
        code=warning.code,
        severity=warning.severity,
        field=warning.field,
        container=warning.container or None,
        values=warning.values,
        title=wording.title,
        before=wording.before,
        after=wording.after,
        write=wording.write,
        instead=warning.instead or None,
    )


def _proposal(proposal: Proposal) -> ProposalRow:
    return ProposalRow(
        vendor=proposal.driver.vendor,
        driver=proposal.driver.driver,
        container=proposal.need.container,
        spec=proposal.need.spec,
        losses=tuple(LossRow(one.lost, one.field, one.given) for one in proposal.losses),
    )


def _unavailable(found: Unavailable) -> UnavailableRow:
    return UnavailableRow(found.vendor, found.container, found.resources, found.reason)


def _memory_share(share: MemoryShare) -> MemoryShareRow:
    models = tuple(
        ModelShareRow(one.model or None, str(one.card), one.cards, one.whole, one.memory, one.mebibytes)
        for one in share.models
    )
    return MemoryShareRow(share.field, share.container, share.given, models, share.problem or None)
