"""What HAMi's Pods become: of a text, or of Pods as they were read. Nothing is written to a cluster."""

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import Enum

import msgspec

from inventory.dra.simulator.explanation import Verdict
from inventory.hami.as_written import as_written
from inventory.hami.previews import Outcome, PodPreview, Settings, pod_preview
from inventory.hami.surroundings import UNKNOWN, Surroundings
from inventory.hami.warnings.corrections import corrected
from inventory.hami.warnings.warning import Code, ConversionWarning, Severity
from inventory.hami.webhook.profiles import behaviour
from inventory.hami.webhook.reading import PodError
from inventory.hami.workloads import Part, Workload, workload
from inventory.hami.yaml_text import UnwritableError
from inventory.kube.objects import Raw
from inventory.kube.pasted import Pasted, Unreadable, pasted
from inventory.models import Claim, ClaimTemplate, Cluster, HamiPod
from inventory.queries.conversion.building import (
    brief_row,
    correction_row,
    pod_row,
    repository_row,
    without_repository,
)
from inventory.queries.conversion.fitting import Fitting, Found
from inventory.queries.conversion.rows import (
    ConversionRow,
    ConversionsRow,
    CorrectionRow,
    ForRepositoryRow,
    PodConversionRow,
    Searched,
    SummaryRow,
    UnreadableRow,
    WarningRow,
)
from inventory.queries.conversion.surroundings import KINDS_AROUND, Around
from inventory.queries.fit import answers
from inventory.viewer import Viewer

# What the answers rest on.
KINDS = tuple(dict.fromkeys((*answers.KINDS, *KINDS_AROUND)))
GRAVEST_FIRST = (Outcome.REFUSED, Outcome.WITH_WARNINGS, Outcome.CONVERTED, Outcome.UNCHANGED)


def of_text(
    text: str, settings: Settings, cluster: Cluster | None, namespace: str, *, viewer: Viewer
) -> ConversionsRow:
    """Of every object of a text; `namespace` is that of those that name none. Call it inside of a snapshot.

    What the viewer may not see of the cluster is not there. Raises ManifestError where the text is too much
    to be read at all.
    """
    found, unreadable = pasted(text)
    run = _Run(settings, cluster, namespace, viewer)
    rows, refused = list[ConversionRow](), list[UnreadableRow]()
    for one in found:
        try:
            rows.append(run.of_object(one))
        except (PodError, UnwritableError) as error:
            told = f"{one.manifest.kind} {one.manifest.name}"
            line = one.line_of(error.field) if isinstance(error, PodError) else one.line
            refused.append(UnreadableRow(one.document, line, told, str(error)))
    problems = [*map(_unreadable, unreadable), *refused]
    problems.sort(key=lambda one: (one.document or 0, one.line or 0))
    return _conversions(settings, cluster, rows, problems, asked=cluster is not None)


def of_pods(
    pods: Iterable[HamiPod], settings: Settings, *, viewer: Viewer, in_brief: bool = False
) -> ConversionsRow:
    """Of Pods that the viewer may see, as they were read, each against its own cluster; inside of a snapshot.

    `in_brief`: with outcomes, warnings and verdicts alone, which is enough for a list of thousands.
    """
    runs: dict[int, _Run] = {}
    rows, refused = list[ConversionRow](), list[UnreadableRow]()
    for pod in pods:
        if (run := runs.get(pod.cluster_id)) is None:
            run = runs[pod.cluster_id] = _Run(settings, pod.cluster, pod.namespace.name, viewer)
        try:
            rows.append(run.of_kept(pod, in_brief=in_brief))
        except (PodError, UnwritableError) as error:
            told = f"Pod {pod.namespace.name}/{pod.name}"
            refused.append(UnreadableRow(None, None, told, str(error)))
    return _conversions(settings, None, rows, refused, asked=True)


class _Run:
    """One conversion of many objects: what is taken by one is taken for the next."""

    def __init__(self, settings: Settings, cluster: Cluster | None, namespace: str, viewer: Viewer) -> None:
        self._settings, self._cluster, self._namespace = settings, cluster, namespace
        self._around = Around(cluster, viewer=viewer) if cluster is not None else None
        self._fitting = Fitting(cluster, viewer=viewer)
        templates = behaviour(settings.profile).makes_templates
        self._existing = _Existing(cluster, viewer, templates=templates)
        self._templates: dict[str, set[str]] = {}

    def of_object(self, one: Pasted) -> ConversionRow:
        """Raises PodError and UnwritableError."""
        manifest, devices = one.manifest, self._settings.devices
        namespace = manifest.namespace or self._namespace
        taken = self._templates.setdefault(namespace, set())
        found = workload(manifest.raw, devices, namespace=namespace, taken=taken)
        taken.update(template["metadata"]["name"] for template in found.templates)
        pods = tuple(self._of_part(one, part, namespace) for part in found.parts)
        return ConversionRow(
            document=one.document,
            line=one.line,
            cluster=self._cluster.name if self._cluster else None,
            kind=manifest.kind,
            namespace=namespace,
            name=manifest.name,
            outcome=_gravest(pods),
            pods=pods,
            for_repository=_for_repository(found, pods, f"{manifest.kind} {namespace}/{manifest.name}"),
        )

    def of_kept(self, pod: HamiPod, *, in_brief: bool) -> ConversionRow:
        """Raises PodError and UnwritableError."""
        raw = as_written(pod.hami_manifest)
        preview = _without_unkept(self._preview(raw, pod.namespace.name))
        found = self._fitting.of(preview)
        if in_brief:
            row = brief_row(preview, found, partial=True)
        else:
            row = pod_row(preview, found, self._corrections(preview, found), partial=True)
        return ConversionRow(
            document=None,
            line=None,
            cluster=pod.cluster.name,
            kind="Pod",
            namespace=pod.namespace.name,
            name=pod.name,
            outcome=row.outcome,
            pods=(row,),
            # Parts of a Pod are nothing to apply.
            for_repository=without_repository(""),
        )

    def _of_part(self, one: Pasted, part: Part, namespace: str) -> PodConversionRow:
        preview = self._preview(_as_created(one.manifest.raw, part, namespace), namespace)
        failure = preview.mutation.failure
        line = None
        if failure is not None and failure.field:
            line = one.line_of(f"{part.path}.{failure.field}" if part.path else failure.field)
        found = self._fitting.of(preview)
        corrections = self._corrections(preview, found)
        return pod_row(preview, found, corrections, part.path, part.task, partial=False, line=line)

    def _corrections(self, preview: PodPreview, found: Found) -> list[CorrectionRow]:
        """Where it would go with what its warnings say to write, one after the other; if it does not now."""
        if found.searched is not Searched.YES or _verdict(preview.warnings, found) is not False:
            return []
        rows, pod, codes = list[CorrectionRow](), preview.pod, list[Code]()
        for warning in preview.warnings:
            if warning.correction is None or warning.code in codes:
                continue
            alike = [one for one in preview.warnings if one.code is warning.code]
            pod, codes = corrected(pod, alike), [*codes, warning.code]
            asked = pod_preview(pod, self._settings, self._surroundings(_namespace(preview)))
            rows.append(correction_row(codes, asked, self._fitting.of(asked)))
        return rows

    def _preview(self, pod: Raw, namespace: str) -> PodPreview:
        preview = pod_preview(pod, self._settings, self._surroundings(namespace), self._existing)
        self._existing.made(preview)
        return preview

    def _surroundings(self, namespace: str) -> Surroundings:
        return UNKNOWN if self._around is None else self._around.of(namespace)


def _without_unkept(preview: PodPreview) -> PodPreview:
    """A Pod that runs has images; they are not kept, so that they are missing here is no refusal."""
    refusals = [
        msgspec.structs.replace(one, reasons=tuple(text for text in one.reasons if not _is_of_image(text)))
        for one in preview.mutation.refusals
    ]
    known = tuple(one for one in refusals if one.reasons)
    return msgspec.structs.replace(
        preview, mutation=msgspec.structs.replace(preview.mutation, refusals=known)
    )


def _is_of_image(reason: str) -> bool:
    return reason.partition(": ")[0].endswith("].image")


class _Existing:
    """Namespaces and names of claims (or templates) that are there, or that this run has made before."""

    def __init__(self, cluster: Cluster | None, viewer: Viewer, *, templates: bool) -> None:
        self._cluster, self._viewer = cluster, viewer
        self._model: type[Claim | ClaimTemplate] = ClaimTemplate if templates else Claim
        self._names: dict[str, set[str]] = {}

    def __contains__(self, place: object) -> bool:
        match place:
            case (str(namespace), str(name)):
                return name in self._of(namespace)
        return False

    def made(self, preview: PodPreview) -> None:
        if preview.mutation.failure is None:
            for claim in preview.mutation.claims:
                self._of(claim.namespace).add(claim.name)

    def _of(self, namespace: str) -> set[str]:
        if namespace not in self._names:
            self._names[namespace] = set(self._rows(namespace))
        return self._names[namespace]

    def _rows(self, namespace: str) -> Iterable[str]:
        if self._cluster is None:
            return ()
        rows = self._model.objects.visible_to(self._viewer).order_by()
        return rows.filter(cluster=self._cluster, namespace__name=namespace).values_list("name", flat=True)


def _as_created(document: Raw, part: Part, namespace: str) -> Raw:
    """As the API server hands it to the webhook: its controller names it, or has it named at random."""
    given = dict((part.pod.get("metadata") or {}) if part.path else (document.get("metadata") or {}))
    name = str((document.get("metadata") or {}).get("name") or "")
    if part.path:
        given.pop("name", None)
        kind = document.get("kind")
        if part.task:
            given["name"] = f"{name}-{part.task}-0"
        elif kind == "StatefulSet":
            given["name"] = f"{name}-0"
        else:
            given["generateName"] = f"{name}-"
    pod = part.pod if part.path else as_written(document)
    return {**pod, "metadata": {**given, "namespace": given.get("namespace") or namespace}}


def _for_repository(found: Workload, pods: Sequence[PodConversionRow], name: str) -> ForRepositoryRow:
    for pod in pods:
        if pod.failure is not None:
            return without_repository(f"the webhook denies its Pod: {pod.failure.message}")
    try:
        return repository_row(found, name)
    except UnwritableError as error:
        return without_repository(str(error))


def _gravest(pods: Sequence[PodConversionRow]) -> Outcome:
    outcomes = {pod.outcome for pod in pods}
    return next((one for one in GRAVEST_FIRST if one in outcomes), Outcome.UNCHANGED)


def _unreadable(one: Unreadable) -> UnreadableRow:
    return UnreadableRow(one.document, one.line, None, one.message)


def _conversions(
    settings: Settings,
    cluster: Cluster | None,
    rows: Sequence[ConversionRow],
    unreadable: Sequence[UnreadableRow],
    *,
    asked: bool,
) -> ConversionsRow:
    return ConversionsRow(
        profile=settings.profile.value,
        cluster=cluster.name if cluster else None,
        summary=_summary(rows, unreadable, asked=asked),
        conversions=tuple(rows),
        unreadable=tuple(unreadable),
    )


def _summary(
    rows: Sequence[ConversionRow], unreadable: Sequence[UnreadableRow], *, asked: bool
) -> SummaryRow:
    """`asked`: there are clusters that they were tried in."""
    outcomes = Counter(row.outcome for row in rows)
    fits = Counter(map(_fits, rows)) if asked else None

    def counted(*kinds: _Fits) -> int | None:
        return None if fits is None else sum(fits[kind] for kind in kinds)

    return SummaryRow(
        objects=len(rows) + len(unreadable),
        unchanged=outcomes[Outcome.UNCHANGED],
        converted=outcomes[Outcome.CONVERTED],
        with_warnings=outcomes[Outcome.WITH_WARNINGS],
        refused=outcomes[Outcome.REFUSED],
        unreadable=len(unreadable),
        fitting=counted(_Fits.YES),
        not_fitting=counted(_Fits.NO),
        fit_unknown=counted(_Fits.UNKNOWN, _Fits.NO_TIME),
        nothing_to_place=counted(_Fits.NOTHING),
        no_time=counted(_Fits.NO_TIME),
    )


class _Fits(Enum):
    """Whether all Pods of an object would be placed now, each by itself."""

    YES, NO, UNKNOWN, NO_TIME, NOTHING = range(5)


def _fits(row: ConversionRow) -> _Fits:
    placed = [pod for pod in row.pods if pod.searched is not Searched.NOT_CREATED]
    verdicts = [_verdict(pod.warnings, pod) for pod in placed]
    if not verdicts:
        return _Fits.NOTHING
    if False in verdicts:
        return _Fits.NO
    if None not in verdicts:
        return _Fits.YES
    return _Fits.NO_TIME if any(pod.searched is Searched.NO_TIME for pod in placed) else _Fits.UNKNOWN


def _verdict(
    warnings: Iterable[ConversionWarning | WarningRow], found: Found | PodConversionRow
) -> bool | None:
    """Room for its claims alone is not enough."""
    if any(one.severity is Severity.NEVER_FITS for one in warnings):
        return False
    if found.fit is None or found.fit.verdict is Verdict.CANNOT_SIMULATE:
        return None
    return found.fit.verdict is Verdict.FITS


def _namespace(preview: PodPreview) -> str:
    return str((preview.pod.get("metadata") or {}).get("namespace") or "")
