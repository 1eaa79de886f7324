"""Where a claim or a Pod would go now, or what stopped it: rows for pages, API and command line."""

from collections.abc import Callable, Iterable, Sequence
from time import monotonic

import msgspec

from inventory.dra import attributes
from inventory.dra.simulator.allocator import Placement
from inventory.dra.simulator.claims import Claim as Wanted
from inventory.dra.simulator.claims import SpecError, UnknownFieldError
from inventory.dra.simulator.explanation import Caveat, Explanation, NodeFit, RequestAnswer, Verdict
from inventory.dra.simulator.groups import Group
from inventory.dra.simulator.nodes import NodeSelectorError
from inventory.dra.simulator.pod_rules import Obstacle, PodRule
from inventory.dra.simulator.rejections import Check
from inventory.dra.units import Unit, unit_of
from inventory.kube.manifests import Manifest
from inventory.kube.quantity import Quantity, parse
from inventory.models import Claim, Cluster, Pod
from inventory.queries.fit import questions, subjects, written
from inventory.queries.fit.questions import Question, Subject, Wait, Waiting
from inventory.queries.fit.search import searched
from inventory.queries.fit.subjects import Kind
from inventory.snapshot import snapshot
from inventory.viewer import Viewer

KINDS = (
    "resourceslices",
    "resourceclaims",
    "deviceclasses",
    "nodes",
    "pods",
    "devicetaintrules",
    "resourceclaimtemplates",
    "resourcequotas",
)
# As long as the scheduler gives itself for one node (DRASchedulerFilterTimeout).
_SECONDS = 10
# Of nodes on which it fits as many are told one by one.
_NODES = 100
# Of the Pods that wait for one claim as many that differ are looked at.
_PODS_APART = 8
# A claim goes with whichever of its Pods is scheduled first, so the best answer is that of the claim.
_BEST_FIRST = (
    Verdict.FITS,
    Verdict.CANNOT_SIMULATE,
    Verdict.POD_RULES,
    Verdict.POOLS,
    Verdict.NO_ROOM,
    Verdict.CLASS_MISSING,
    Verdict.SELECTOR_ERROR,
    Verdict.REFUSED,
    Verdict.NOTHING_TO_PLACE,
)


class PlacementRow(msgspec.Struct, frozen=True):
    """One result as the scheduler would write it; `consumed` is null for a device that is not shared."""

    claim: str
    request: str
    driver: str
    pool: str
    device: str
    product: str | None
    shared: bool
    admin_access: bool
    consumed: dict[str, Quantity] | None


class ObstacleRow(msgspec.Struct, frozen=True):
    """A rule of the Pod that leaves nodes out; `detail` names the label, taint or claim."""

    rule: PodRule
    detail: str | None


class NodeFitRow(msgspec.Struct, frozen=True):
    node: str
    obstacle: ObstacleRow | None
    placements: tuple[PlacementRow, ...]


class GroupRow(msgspec.Struct, frozen=True):
    """Devices that failed the same check. `left` is the most that one of them has of what is needed.

    `unit` is that of need and left. Of a selector, `subject` is the expression, `detail` whose it is, and
    `values` what it read of these devices. `selected` is false of devices that are held, or whose pool cannot
    be used, and that the request does not want either.
    """

    check: Check
    devices: int
    nodes: int
    subject: str | None
    need: Quantity | None
    left: Quantity | None
    detail: str | None
    values: str | None
    selected: bool
    unit: Unit | None
    examples: tuple[str, ...]


class UnmetRequestRow(msgspec.Struct, frozen=True):
    """A request that was in the way; of `wanted` devices one node had `found` at most.

    `asks` is what it asks of each device, as written; what a device would give may be rounded up.
    """

    claim: str
    request: str
    wanted: int
    found: int
    groups: tuple[GroupRow, ...]
    asks: dict[str, Quantity]


class UnusablePoolRow(msgspec.Struct, frozen=True):
    driver: str
    name: str
    reason: str
    devices: int


class ExcludedRow(msgspec.Struct, frozen=True):
    obstacle: ObstacleRow
    nodes: int


class WaitRow(msgspec.Struct, frozen=True):
    """What has to happen before the scheduler looks for devices."""

    waiting: Waiting
    names: tuple[str, ...]
    detail: str | None


class DoubtRow(msgspec.Struct, frozen=True):
    """What makes the answer less certain; `count` nodes or devices, where it is about these."""

    caveat: Caveat
    count: int | None
    detail: str | None


class WaitingPodRow(msgspec.Struct, frozen=True):
    """A Pod that waits for the claim, and what it has to wait for besides; `fits_on` so many nodes."""

    name: str
    verdict: Verdict
    fits_on: int
    waiting: Waiting | None


class FitRow(msgspec.Struct, frozen=True):
    """One answer. `nodes` and `devices` were looked at; `fits` and `elsewhere` tell the first hundred.

    `message` is the scheduler's own, on that `device`, or says what stands in our way. `claims` are placed
    together. Where a claim is asked about, `pods` are those of the `pods_waiting` for it that were looked at,
    the best first, and the answer is that of the first.
    """

    kind: str
    namespace: str
    name: str
    verdict: Verdict
    message: str | None
    device: str | None
    doubts: tuple[DoubtRow, ...]
    wait: WaitRow | None
    claims: tuple[str, ...]
    pods: tuple[WaitingPodRow, ...]
    pods_waiting: int
    fits_on: int
    fits: tuple[NodeFitRow, ...]
    fits_elsewhere_on: int
    elsewhere: tuple[NodeFitRow, ...]
    requests: tuple[UnmetRequestRow, ...]
    pools: tuple[UnusablePoolRow, ...]
    excluded: tuple[ExcludedRow, ...]
    nodes: int
    devices: int


def of_claim(claim_id: int, *, viewer: Viewer) -> FitRow | None:
    """Where a pending claim would go, with the Pod that needs it; None where it is gone, or not seen."""
    with snapshot():
        found = (
            Claim.objects.visible_to(viewer)
            .select_related("cluster", "namespace")
            .filter(pk=claim_id)
            .first()
        )
        return None if found is None else _of_claim(found, _deadline(), viewer)


def of_pod(pod_id: int, *, viewer: Viewer) -> FitRow | None:
    """Where a Pod would go that has no node yet, by the claims that it needs; None as above."""
    with snapshot():
        found = (
            Pod.objects.visible_to(viewer)
            .select_related("cluster", "namespace", "node")
            .filter(pk=pod_id)
            .first()
        )
        return None if found is None else _of_pod(found, _deadline(), viewer)


def of_name(
    cluster: Cluster, namespace: str, name: str, kind: Kind | None = None, *, viewer: Viewer
) -> FitRow:
    """Of the claim or Pod of this name, inside of a snapshot. Raises SubjectError."""
    found = subjects.named(cluster, namespace, name, kind, viewer=viewer)
    if isinstance(found, Claim):
        return _of_claim(found, _deadline(), viewer)
    return _of_pod(found, _deadline(), viewer)


def _of_claim(claim: Claim, until: float, viewer: Viewer) -> FitRow:
    """Of the Pod that waits for it and comes off best, or of the claim alone."""
    waiting = subjects.waiters(claim, _PODS_APART, viewer=viewer)
    if not waiting.pods:
        subject = Subject("ResourceClaim", claim.namespace.name, claim.name)
        return _known(claim.cluster, subject, lambda: questions.of_claim(claim, viewer=viewer), until, viewer)
    rows = [(_of_pod(alike[0], until, viewer), alike) for alike in waiting.alike]
    rows.sort(key=lambda one: _order(one[0]))
    pods = tuple(
        WaitingPodRow(pod.name, row.verdict, row.fits_on, row.wait.waiting if row.wait else None)
        for row, alike in rows
        for pod in alike
    )
    return msgspec.structs.replace(rows[0][0], pods=pods, pods_waiting=waiting.pods)


def _order(row: FitRow) -> tuple[int, bool, str]:
    return _BEST_FIRST.index(row.verdict), row.wait is not None, row.name


def _of_pod(pod: Pod, until: float, viewer: Viewer) -> FitRow:
    subject = Subject("Pod", pod.namespace.name, pod.name)
    return _known(pod.cluster, subject, lambda: questions.of_pod(pod, viewer=viewer), until, viewer)


def of_manifests(
    cluster: Cluster, objects: Sequence[Manifest], namespace: str, *, viewer: Viewer
) -> list[FitRow]:
    """Of each Pod, workload and claim of a text, in the time of one. Raises ManifestError."""
    until = _deadline()
    asked = written.of_manifests(cluster, objects, namespace, viewer=viewer)
    return [_answer(cluster, one, until, viewer) for one in asked]


def _known(
    cluster: Cluster, subject: Subject, ask: Callable[[], Question], until: float, viewer: Viewer
) -> FitRow:
    """What an API server has taken and we cannot read is no fault of who asks."""
    try:
        question = ask()
    except (SpecError, UnknownFieldError, NodeSelectorError) as error:
        return _row(Question(subject, ()), Explanation(Verdict.CANNOT_SIMULATE, str(error)))
    return _answer(cluster, question, until, viewer)


def _deadline() -> float:
    return monotonic() + _SECONDS


def _answer(cluster: Cluster, question: Question, until: float, viewer: Viewer) -> FitRow:
    """Inside of a snapshot, with the cluster as read there; the search ends at `until` (monotonic)."""
    return _row(*searched(cluster, question, until, viewer=viewer))


def _row(question: Question, found: Explanation) -> FitRow:
    claims = question.claims
    return FitRow(
        kind=question.subject.kind,
        namespace=question.subject.namespace,
        name=question.subject.name,
        verdict=found.verdict,
        message=found.message or None,
        device=found.device or None,
        doubts=tuple(DoubtRow(one.caveat, one.count or None, one.detail or None) for one in found.doubts),
        wait=_wait(question.wait),
        claims=tuple(one.name for one in claims),
        pods=(),
        pods_waiting=0,
        fits_on=len(found.fits),
        fits=_fits(found.fits, claims),
        fits_elsewhere_on=len(found.elsewhere),
        elsewhere=_fits(found.elsewhere, claims),
        requests=tuple(map(_request, found.requests)),
        pools=tuple(
            UnusablePoolRow(one.pool.driver, one.pool.name, one.reason, one.devices) for one in found.pools
        ),
        excluded=tuple(ExcludedRow(_obstacle(one.obstacle), one.nodes) for one in found.excluded),
        nodes=found.nodes,
        devices=found.devices,
    )


def _wait(wait: Wait | None) -> WaitRow | None:
    return None if wait is None else WaitRow(wait.waiting, wait.names, wait.detail or None)


def _fits(fits: Iterable[NodeFit], claims: Sequence[Wanted]) -> tuple[NodeFitRow, ...]:
    return tuple(
        NodeFitRow(
            one.node,
            _obstacle(one.obstacle) if one.obstacle else None,
            tuple(_placement(placement, claims) for placement in one.placements),
        )
        for one in tuple(fits)[:_NODES]
    )


def _obstacle(found: Obstacle) -> ObstacleRow:
    return ObstacleRow(found.rule, found.detail or None)


def _placement(placement: Placement, claims: Sequence[Wanted]) -> PlacementRow:
    device = placement.candidate
    return PlacementRow(
        claim=claims[placement.claim].name,
        request=placement.request,
        driver=device.id.driver,
        pool=device.id.pool,
        device=device.id.name,
        product=attributes.product(device.device.attributes or {}, device.id.driver) or None,
        shared=placement.shared,
        admin_access=placement.admin_access,
        consumed=None
        if placement.consumed is None
        else {name: _as_read(amount) for name, amount in placement.consumed.items()},
    )


def _request(found: RequestAnswer) -> UnmetRequestRow:
    return UnmetRequestRow(
        claim=found.claim,
        request=found.request,
        wanted=found.wanted,
        found=found.found,
        groups=tuple(map(_group, found.groups)),
        asks=dict(found.asks),
    )


def _group(group: Group) -> GroupRow:
    return GroupRow(
        check=group.check,
        devices=group.devices,
        nodes=group.nodes,
        subject=group.subject or None,
        need=None if group.need is None else _as_read(group.need),
        left=group.left,
        detail=group.detail or None,
        values=group.values or None,
        selected=group.selected,
        unit=_unit(group),
        examples=tuple(map(str, group.examples)),
    )


def _as_read(amount: Quantity) -> Quantity:
    """As it comes back from an API server: what is rounded counts as binary before, even 50 cores."""
    return parse(str(amount))


def _unit(group: Group) -> Unit | None:
    """By what the devices publish, or where that is not known, by what is needed of them."""
    if group.need is None or not group.examples:
        return None
    notation = (_as_read(group.need) if group.left is None else group.left).notation
    return unit_of(group.examples[0].driver, group.subject, notation)
