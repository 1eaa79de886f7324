"""Pods: what each one holds, and what it waits for."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec
from django.db.models import (
    Case,
    CharField,
    Exists,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    TextChoices,
    Value,
    When,
    prefetch_related_objects,
)

from inventory.models import Claim, Pod, PodClaim, Share
from inventory.models.pods import FINISHED
from inventory.models.visibility import is_visible
from inventory.queries.briefs import ClaimBrief, Workload, claim_brief, node_name, team_slug, workload
from inventory.queries.filters import (
    Filters,
    LabelSelector,
    Names,
    Ordering,
    Related,
    Search,
    States,
    cluster_filter,
    team_filter,
)
from inventory.queries.pending import Pending
from inventory.queries.results import PREFETCHED, RELATED, AllocationResult, allocation_result
from inventory.reasons import Reason
from inventory.viewer import Viewer

KINDS = ("resourceslices", "resourceclaims", "pods")


class PodState(TextChoices):
    FINISHED = "finished", "has ended"
    WAITING = "waiting", "waits for a node"
    HOLDING = "holding", "holds shares"
    PLACED = "placed", "on a node, holds no share"


class PodClaimRow(msgspec.Struct, frozen=True):
    """A claim that the Pod names; null while it has not been made from its template.

    `withheld`: it is not the viewer's to see, and so neither are its name and its shares.
    """

    name: str | None
    claim: ClaimBrief | None
    claim_name: str | None
    template: str | None
    reserved: bool
    containers: tuple[Any, ...]
    withheld: bool


class PodShare(msgspec.Struct, frozen=True):
    """A share that the Pod holds; `pods` is how many Pods hold the same one."""

    claim: str
    pods: int
    result: AllocationResult


class PodRow(msgspec.Struct, frozen=True):
    """A Pod; `withheld`: its team, or claims of it, are not the viewer's to see."""

    id: int
    cluster: str
    namespace: str
    name: str
    uid: str
    node: str | None
    phase: str | None
    state: str
    team: str | None
    workload: Workload | None
    claims: tuple[PodClaimRow, ...]
    shares: tuple[PodShare, ...]
    waiting: Pending | None
    labels: dict[str, Any]
    hami_resources: dict[str, Any]
    created_at: datetime | None
    deleted_at: datetime | None
    withheld: bool


def _held(column: str) -> Related:
    """A condition on a share that the Pod holds."""
    claim = "pod_claims__claim"
    return Related(
        field_name=f"{claim}__shares__device__{column}",
        also={"pod_claims__reserved": True},
        whose=(Claim, claim),
    )


class PodFilter(Filters):
    cluster = cluster_filter()
    namespace = Names(field_name="namespace__name")
    team = team_filter("team__slug")
    node = Names(field_name="node__name")
    driver = _held("pool__driver")
    pool = _held("pool__name")
    device = _held("name")
    product = _held("product")
    pod = Names(field_name="name")
    claim = Related(field_name="pod_claims__claim__name", whose=(Claim, "pod_claims__claim"))
    state = States(field_name="state", choices=PodState.choices)
    phase = Names(field_name="phase")
    uid = Names(field_name="uid")
    workload = Names(field_name="workload_name")
    q = Search("name", "namespace__name", "workload_name", "node__name")
    label_selector = LabelSelector(field_name="labels")
    ordering = Ordering(
        fields={
            "id": "id",
            "name": "name",
            "namespace__name": "namespace",
            "team__slug": "team",
            "node__name": "node",
            "phase": "phase",
            "created_at": "created_at",
        }
    )

    class Meta:
        model = Pod
        fields = ()


def queryset(*, viewer: Viewer) -> QuerySet[Any]:
    found = Pod.objects.visible_to(viewer).select_related("cluster", "namespace", "team", "node")
    return found.annotate(state=_state())


def waiting() -> Q:
    """Pods in the state of waiting, without working out the states of others."""
    return Q(node__isnull=True) & ~Q(phase__in=FINISHED)


def _state() -> Case:
    shares = PodClaim.objects.filter(pod=OuterRef("pk"), reserved=True, claim__shares__isnull=False)
    return Case(
        When(phase__in=FINISHED, then=Value(PodState.FINISHED)),
        When(node__isnull=True, then=Value(PodState.WAITING)),
        When(Exists(shares), then=Value(PodState.HOLDING)),
        default=Value(PodState.PLACED),
        output_field=CharField(),
    )


def rows(page: Iterable[Pod], *, viewer: Viewer) -> list[PodRow]:
    """The Pods as `queryset` gives them: their state is worked out there."""
    pods = list(page)
    shares = (
        Share.objects.select_related("claim", *RELATED).prefetch_related(*PREFETCHED).order_by("position")
    )
    reserved: QuerySet[PodClaim] = PodClaim.objects.filter(reserved=True)
    uses: QuerySet[PodClaim] = PodClaim.objects.select_related("claim__namespace").prefetch_related(
        Prefetch("claim__shares", shares),
        Prefetch("claim__pod_claims", reserved),
    )
    prefetch_related_objects(pods, Prefetch("pod_claims", uses))
    return [_row(pod, viewer) for pod in pods]


def one(pod_id: int, *, viewer: Viewer) -> PodRow | None:
    return next(iter(rows(queryset(viewer=viewer).filter(pk=pod_id), viewer=viewer)), None)


def _row(pod: Any, viewer: Viewer) -> PodRow:
    slug, uses = team_slug(pod.team, viewer), list(pod.pod_claims.all())
    claims = tuple(_claim(use, viewer) for use in uses)
    return PodRow(
        id=pod.pk,
        cluster=pod.cluster.name,
        namespace=pod.namespace.name,
        name=pod.name,
        uid=pod.uid,
        node=node_name(pod.node),
        phase=pod.phase or None,
        state=pod.state,
        team=slug,
        workload=workload(pod),
        claims=claims,
        shares=_shares(use for use in uses if use.claim and is_visible(use.claim, viewer)),
        waiting=_waiting(pod),
        labels=pod.labels,
        hami_resources=pod.hami_resources,
        created_at=pod.created_at,
        deleted_at=pod.deleted_at,
        withheld=(pod.team is not None and slug is None) or any(one.withheld for one in claims),
    )


def _claim(use: PodClaim, viewer: Viewer) -> PodClaimRow:
    if use.claim is not None and not is_visible(use.claim, viewer):
        return PodClaimRow(use.name or None, None, None, None, use.reserved, (), withheld=True)
    return PodClaimRow(
        name=use.name or None,
        claim=claim_brief(use.claim) if use.claim else None,
        claim_name=use.claim.name if use.claim else use.claim_name or None,
        template=use.template_name or None,
        reserved=use.reserved,
        containers=tuple(use.containers),
        withheld=False,
    )


def _shares(uses: Iterable[PodClaim]) -> tuple[PodShare, ...]:
    """Each share once, though the Pod may name its claim twice."""
    claims = {use.claim.pk: use.claim for use in uses if use.claim and use.reserved}
    return tuple(
        PodShare(claim.name, len({use.pod_id for use in claim.pod_claims.all()}), allocation_result(share))
        for claim in claims.values()
        for share in claim.shares.all()
    )


def _waiting(pod: Any) -> Pending | None:
    if pod.state != PodState.WAITING:
        return None
    return not_placed(pod.scheduling_reason, pod.scheduling_message)


def not_placed(reason: str, message: str) -> Pending:
    """What a Pod without a node waits for, by what the scheduler has said."""
    if message:
        return Pending(reason or "Unschedulable", message, "scheduler")
    return Pending("NotScheduledYet", Reason.POD_NOT_SCHEDULED.value, "sliceboard")
