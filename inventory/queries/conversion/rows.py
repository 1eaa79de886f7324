"""What is told of a conversion: rows for pages, API and command line.

Codes and values, not sentences, wherever somebody may read it in another language.
"""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from inventory.hami.converted import Rule
from inventory.hami.previews import Outcome
from inventory.hami.proposals import Lost, WithoutProposal
from inventory.hami.warnings.warning import Code, Severity
from inventory.hami.workloads import Note
from inventory.kube.objects import Raw
from inventory.kube.quantity import Quantity
from inventory.queries.fit.answers import FitRow


class OriginRow(msgspec.Struct, frozen=True):
    """A field of `object` (a claim by its name, or Pod), and where in the Pod it comes from, if anywhere."""

    object: str
    field: str
    value: str
    rule: Rule
    source: str | None
    given: str | None


class ConvertedClaimRow(msgspec.Struct, frozen=True):
    """A claim as the webhook sends it to the API server: `<rand5>` and `<hash8>` in a name are made then."""

    kind: str
    namespace: str
    name: str
    container: str
    vendor: str
    manifest: Raw
    origins: tuple[OriginRow, ...]


class FailureRow(msgspec.Struct, frozen=True):
    """The webhook denies the Pod, with this text and status; `field` and `line` say where, if known."""

    message: str
    code: int
    field: str | None
    line: int | None


class RefusalRow(msgspec.Struct, frozen=True):
    """Kubernetes would not take the object, in its own words."""

    object: str
    message: str


class WarningRow(msgspec.Struct, frozen=True):
    """`before` is what HAMi did, `after` what happens under DRA, `instead` the YAML to write, if any."""

    code: Code
    severity: Severity
    field: str
    container: str | None
    values: Mapping[str, str]
    title: str
    before: str
    after: str
    write: str
    instead: str | None


class LossRow(msgspec.Struct, frozen=True):
    """Something of the Pod that a proposal does not say."""

    lost: Lost
    field: str
    given: str


class ProposalRow(msgspec.Struct, frozen=True):
    """A claim of ours, which no webhook makes: for a vendor's own driver."""

    vendor: str
    driver: str
    container: str
    spec: Raw
    losses: tuple[LossRow, ...]


class UnavailableRow(msgspec.Struct, frozen=True):
    """A container's resources that no claim is known for."""

    vendor: str
    container: str
    resources: tuple[str, ...]
    reason: WithoutProposal


class ModelShareRow(msgspec.Struct, frozen=True):
    """What a percentage of memory is on `cards` cards of one model, of which `card` is one."""

    model: str | None
    card: str
    cards: int
    whole: Quantity
    memory: Quantity
    mebibytes: int


class MemoryShareRow(msgspec.Struct, frozen=True):
    field: str
    container: str
    given: str
    models: tuple[ModelShareRow, ...]
    problem: str | None


class DifferenceLine(msgspec.Struct, frozen=True):
    mark: str
    text: str


class HunkRow(msgspec.Struct, frozen=True):
    heading: str
    lines: tuple[DifferenceLine, ...]


class UnifiedDifferenceRow(msgspec.Struct, frozen=True):
    """`text` is what `diff -u` writes; empty where nothing changes."""

    text: str
    hunks: tuple[HunkRow, ...]


class Searched(StrEnum):
    """Whether it was looked for room."""

    YES = "yes"
    # No cluster was named.
    NO_CLUSTER = "no_cluster"
    # Nothing would be created.
    NOT_CREATED = "not_created"
    NO_TIME = "no_time"
    # Something else that the Pod names stands in the way; `fit_problem` says what.
    NOT_POSSIBLE = "not_possible"


class CorrectionRow(msgspec.Struct, frozen=True):
    """The Pod with what its warnings of these codes say to write instead, and where it would go then.

    `never_fits`: something else keeps it from running all the same.
    """

    codes: tuple[Code, ...]
    outcome: Outcome
    searched: Searched
    fit: FitRow | None
    never_fits: bool


class PodConversionRow(msgspec.Struct, frozen=True):
    """One Pod, or the Pods of one template. `path` is the template's place in the workload, empty for a Pod.

    `partial`: only those parts of the Pod are known that HAMi reads. `fit` is null unless `searched` is yes.
    """

    path: str | None
    task: str | None
    name: str
    partial: bool
    outcome: Outcome
    failure: FailureRow | None
    refusals: tuple[RefusalRow, ...]
    claims: tuple[ConvertedClaimRow, ...]
    pod: Raw
    origins: tuple[OriginRow, ...]
    warnings: tuple[WarningRow, ...]
    difference: UnifiedDifferenceRow
    proposals: tuple[ProposalRow, ...]
    alternatives: tuple[ProposalRow, ...]
    unavailable: tuple[UnavailableRow, ...]
    memory_shares: tuple[MemoryShareRow, ...]
    searched: Searched
    fit: FitRow | None
    fit_problem: str | None
    corrections: tuple[CorrectionRow, ...]


class RemarkRow(msgspec.Struct, frozen=True):
    note: Note
    field: str | None
    text: str | None


class ForRepositoryRow(msgspec.Struct, frozen=True):
    """Ours, for a repository: claim templates named after the workload, and the workload that uses them.

    `yaml` is all of it, `difference` that of the workload. `problem` says why there is none.
    """

    manifests: tuple[Raw, ...]
    yaml: str
    difference: UnifiedDifferenceRow
    remarks: tuple[RemarkRow, ...]
    problem: str | None


class ConversionRow(msgspec.Struct, frozen=True):
    """One object. `document` and `line` say where in a text it was; its outcome is its gravest Pod's."""

    document: int | None
    line: int | None
    cluster: str | None
    kind: str
    namespace: str
    name: str
    outcome: Outcome
    pods: tuple[PodConversionRow, ...]
    for_repository: ForRepositoryRow


class UnreadableRow(msgspec.Struct, frozen=True):
    """A document, or object in it, that is no manifest; `message` names the line where it can."""

    document: int | None
    line: int | None
    object: str | None
    message: str


class SummaryRow(msgspec.Struct, frozen=True):
    """Objects by outcome, and by whether they would be placed now.

    The latter is null where no cluster was asked. `fit_unknown` has those for which there was no time.
    """

    objects: int
    unchanged: int
    converted: int
    with_warnings: int
    refused: int
    unreadable: int
    fitting: int | None
    not_fitting: int | None
    fit_unknown: int | None
    nothing_to_place: int | None
    no_time: int | None


class ConversionsRow(msgspec.Struct, frozen=True):
    profile: str
    cluster: str | None
    summary: SummaryRow
    conversions: tuple[ConversionRow, ...]
    unreadable: tuple[UnreadableRow, ...]
