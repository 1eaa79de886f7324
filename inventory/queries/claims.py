"""Claims: what was asked for, what was allocated, who uses it, and what a pending one waits for."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.db.models import Prefetch, QuerySet, prefetch_related_objects

from inventory.kube.moments import of_allocation
from inventory.models import Claim, Consumer, DeviceClass, Pod, PodClaim, Share
from inventory.models.visibility import is_visible
from inventory.queries.briefs import PodBrief, pod_brief, team_slug
from inventory.queries.filters import (
    Filters,
    Held,
    LabelSelector,
    Names,
    Ordering,
    Related,
    Search,
    States,
    cluster_filter,
    team_filter,
)
from inventory.queries.pending import Pending, why_pending
from inventory.queries.requested import RequestedClass
from inventory.queries.requests import RequestRow, requests
from inventory.queries.results import PREFETCHED, RELATED, AllocationResult, allocation_result
from inventory.viewer import Viewer

KINDS = ("resourceclaims", "pods")


class ConsumerRow(msgspec.Struct, frozen=True):
    """An entry of reservedFor; `gone` where it names a Pod that is no longer there, null: not known."""

    api_group: str
    resource: str
    name: str
    uid: str | None
    gone: bool | None


class ClaimPod(msgspec.Struct, frozen=True):
    """A Pod that names the claim; `reserved` once it may use it."""

    pod: PodBrief
    reserved: bool


class Owner(msgspec.Struct, frozen=True):
    """What the claim was made for, and goes with."""

    kind: str
    name: str
    uid: str


class ClaimRow(msgspec.Struct, frozen=True):
    """A claim. `age_seconds` is its age when its cluster was read: it belongs to the same snapshot.

    `withheld`: its team, or Pods, consumers or an owner of it, are not the viewer's to see.
    """

    id: int
    cluster: str
    namespace: str
    name: str
    uid: str
    team: str | None
    state: str
    requests: tuple[RequestRow, ...]
    allocation: tuple[AllocationResult, ...]
    node_selector: dict[str, Any] | None
    consumers: tuple[ConsumerRow, ...]
    pods: tuple[ClaimPod, ...]
    owner: Owner | None
    extended_resource: bool
    labels: dict[str, Any]
    created_at: datetime | None
    allocated_at: datetime | None
    deleted_at: datetime | None
    age_seconds: int | None
    seconds_to_allocate: int | None
    pending: Pending | None
    withheld: bool


class ClaimFilter(Filters):
    held_through = "claim"

    cluster = cluster_filter()
    namespace = Names(field_name="namespace__name")
    team = team_filter("team__slug")
    node = Held(field_name="device__node__name")
    driver = Held(field_name="device__pool__driver")
    pool = Held(field_name="device__pool__name")
    device = Held(field_name="device__name")
    device_class = RequestedClass(spec="spec")
    product = Held(field_name="device__product")
    pod = Related(field_name="pod_claims__pod__name", whose=(Pod, "pod_claims__pod"))
    claim = Names(field_name="name")
    state = States(field_name="state", choices=Claim.State.choices)
    uid = Names(field_name="uid")
    q = Search("name", "namespace__name", in_namespace=("owner_name",))
    label_selector = LabelSelector(field_name="labels")
    ordering = Ordering(
        fields={
            "id": "id",
            "name": "name",
            "namespace__name": "namespace",
            "team__slug": "team",
            "state": "state",
            "created_at": "created_at",
            "allocated_at": "allocated_at",
        }
    )

    class Meta:
        model = Claim
        fields = ()


def queryset(*, viewer: Viewer) -> QuerySet[Claim]:
    return Claim.objects.visible_to(viewer).select_related("cluster", "namespace", "team")


def rows(page: Iterable[Claim], *, viewer: Viewer) -> list[ClaimRow]:
    """Of claims that the viewer may see."""
    claims = list(page)
    uses = PodClaim.objects.select_related("pod__namespace", "pod__node")
    shares = (
        Share.objects.select_related("claim", *RELATED).prefetch_related(*PREFETCHED).order_by("position")
    )
    prefetch_related_objects(claims, "consumers", Prefetch("pod_claims", uses), Prefetch("shares", shares))
    classes = _classes(claims)
    return [_row(claim, classes, viewer) for claim in claims]


def one(claim_id: int, *, viewer: Viewer) -> ClaimRow | None:
    return next(iter(rows(queryset(viewer=viewer).filter(pk=claim_id), viewer=viewer)), None)


def _classes(claims: Iterable[Claim]) -> set[tuple[int, str]]:
    clusters = {claim.cluster_id for claim in claims}
    return set(DeviceClass.objects.filter(cluster__in=clusters).order_by().values_list("cluster_id", "name"))


def _row(claim: Claim, classes: set[tuple[int, str]], viewer: Viewer) -> ClaimRow:
    asked, slug = requests(claim.spec), team_slug(claim.team, viewer)
    uses = [use for use in claim.pod_claims.all() if is_visible(use, viewer)]
    # In a namespace of others, all that is seen is the claim itself and what is told of Pods that are seen.
    is_inside = is_visible(claim.namespace, viewer)
    seen = None if is_inside else {use.pod.uid for use in uses}
    left_out = not is_inside and (
        bool(claim.owner_kind) or any(one.uid not in (seen or ()) for one in claim.consumers.all())
    )
    return ClaimRow(
        id=claim.pk,
        cluster=claim.cluster.name,
        namespace=claim.namespace.name,
        name=claim.name,
        uid=claim.uid,
        team=slug,
        state=claim.state,
        requests=asked,
        allocation=tuple(allocation_result(share) for share in claim.shares.all()),
        node_selector=claim.node_selector,
        consumers=tuple(_consumer(one) for one in claim.consumers.all() if seen is None or one.uid in seen),
        pods=_pods(uses),
        owner=_owner(claim) if is_inside else None,
        extended_resource=claim.extended_resource,
        labels=claim.labels,
        created_at=claim.created_at,
        allocated_at=claim.allocated_at,
        deleted_at=claim.deleted_at,
        age_seconds=_seconds(claim.created_at, claim.cluster.observed_at),
        seconds_to_allocate=_seconds(claim.created_at, of_allocation(claim.allocated_at, claim.created_at)),
        pending=why_pending(claim, uses, asked, classes),
        withheld=left_out
        or len(uses) < len(claim.pod_claims.all())
        or (claim.team is not None and slug is None),
    )


def _owner(claim: Claim) -> Owner | None:
    return Owner(claim.owner_kind, claim.owner_name, claim.owner_uid) if claim.owner_kind else None


def _consumer(consumer: Consumer) -> ConsumerRow:
    return ConsumerRow(
        consumer.api_group, consumer.resource, consumer.name, consumer.uid or None, consumer.gone
    )


def _pods(uses: Iterable[PodClaim]) -> tuple[ClaimPod, ...]:
    """Each Pod once, though it may name the claim twice."""
    ordered = sorted(uses, key=lambda use: use.reserved)
    return tuple({use.pod_id: ClaimPod(pod_brief(use.pod), use.reserved) for use in ordered}.values())


def _seconds(start: datetime | None, end: datetime | None) -> int | None:
    if start is None or end is None:
        return None
    return max(0, (end - start) // timedelta(seconds=1))
