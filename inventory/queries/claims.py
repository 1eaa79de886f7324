"""Claims: what was asked for, what was allocated, who uses it, and what a pending one waits for."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.db.models import Prefetch, QuerySet, prefetch_related_objects

from inventory.models import Claim, Consumer, DeviceClass, PodClaim, Share
from inventory.queries.briefs import PodBrief, pod_brief
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
    """A claim. `age_seconds` is its age when its cluster was read: it belongs to the same snapshot."""

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
    pod = Related(field_name="pod_claims__pod__name")
    claim = Names(field_name="name")
    state = States(field_name="state", choices=Claim.State.choices)
    uid = Names(field_name="uid")
    q = Search("name", "namespace__name", "owner_name")
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


def queryset(filters: ClaimFilter | None = None) -> QuerySet[Claim]:
    found = Claim.objects.select_related("cluster", "namespace", "team")
    return found if filters is None else filters.filter_queryset(found)


def rows(page: Iterable[Claim]) -> list[ClaimRow]:
    claims = list(page)
    uses = PodClaim.objects.select_related("pod__namespace", "pod__node")
    shares = (
        Share.objects.select_related("claim", *RELATED).prefetch_related(*PREFETCHED).order_by("position")
    )
    prefetch_related_objects(claims, "consumers", Prefetch("pod_claims", uses), Prefetch("shares", shares))
    classes = _classes(claims)
    return [_row(claim, classes) for claim in claims]


def one(claim_id: int) -> ClaimRow | None:
    return next(iter(rows(queryset().filter(pk=claim_id))), None)


def _classes(claims: Iterable[Claim]) -> set[tuple[int, str]]:
    clusters = {claim.cluster_id for claim in claims}
    return set(DeviceClass.objects.filter(cluster__in=clusters).order_by().values_list("cluster_id", "name"))


def _row(claim: Claim, classes: set[tuple[int, str]]) -> ClaimRow:
    asked = requests(claim.spec)
    team = claim.team
    return ClaimRow(
        id=claim.pk,
        cluster=claim.cluster.name,
        namespace=claim.namespace.name,
        name=claim.name,
        uid=claim.uid,
        team=team.slug if team else None,
        state=claim.state,
        requests=asked,
        allocation=tuple(allocation_result(share) for share in claim.shares.all()),
        node_selector=claim.node_selector,
        consumers=tuple(_consumer(consumer) for consumer in claim.consumers.all()),
        pods=_pods(claim),
        owner=Owner(claim.owner_kind, claim.owner_name, claim.owner_uid) if claim.owner_kind else None,
        extended_resource=claim.extended_resource,
        labels=claim.labels,
        created_at=claim.created_at,
        allocated_at=claim.allocated_at,
        deleted_at=claim.deleted_at,
        age_seconds=_seconds(claim.created_at, claim.cluster.observed_at),
        seconds_to_allocate=_seconds(claim.created_at, claim.allocated_at),
        pending=why_pending(claim, asked, classes),
    )


def _consumer(consumer: Consumer) -> ConsumerRow:
    return ConsumerRow(
        consumer.api_group, consumer.resource, consumer.name, consumer.uid or None, consumer.gone
    )


def _pods(claim: Claim) -> tuple[ClaimPod, ...]:
    """Each Pod once, though it may name the claim twice."""
    uses = sorted(claim.pod_claims.all(), key=lambda use: use.reserved)
    return tuple({use.pod_id: ClaimPod(pod_brief(use.pod), use.reserved) for use in uses}.values())


def _seconds(start: datetime | None, end: datetime | None) -> int | None:
    if start is None or end is None:
        return None
    return max(0, (end - start) // timedelta(seconds=1))
