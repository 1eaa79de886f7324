"""Shares: which claim, and so which Pods, hold which slice of which device."""

from collections.abc import Iterable
from datetime import datetime

import msgspec
from django.db.models import Prefetch, QuerySet, prefetch_related_objects

from inventory.models import Balance, Claim, ConsumedCapacity, InstantSource, Pod, PodClaim, Share
from inventory.models.visibility import VisibleQuerySet, is_visible
from inventory.queries.briefs import ClaimBrief, DeviceBrief, PodBrief, claim_brief, pod_brief, team_slug
from inventory.queries.filters import (
    Filters,
    LabelSelector,
    Names,
    Ordering,
    Related,
    Search,
    States,
    Truth,
    cluster_filter,
    team_filter,
)
from inventory.queries.requested import RequestedClass
from inventory.queries.results import PREFETCHED, RELATED, Amounts, allocation_result
from inventory.viewer import Viewer

KINDS = ("resourceslices", "resourceclaims", "pods")


class ShareRow(msgspec.Struct, frozen=True):
    """A share. A claim that many Pods use is one share with many Pods.

    `started_source` says where `started_at` is known from: `allocation` is the claim's allocationTimestamp,
    `observed` the moment at which Sliceboard first saw the share. `withheld`: its team, or Pods that use it,
    are not the viewer's to see.
    """

    id: int
    cluster: str
    device: DeviceBrief
    share_id: str | None
    request: str
    device_class: str | None
    dedicated: bool
    admin_access: bool
    consumed: Amounts
    held: Amounts
    problem: str | None
    claim: ClaimBrief
    pods: tuple[PodBrief, ...]
    team: str | None
    withheld: bool
    started_at: datetime
    started_source: InstantSource
    ended_at: datetime | None
    source: str


class ShareFilter(Filters):
    cluster = cluster_filter()
    namespace = Names(field_name="claim__namespace__name")
    team = team_filter("claim__team__slug")
    node = Names(field_name="device__node__name")
    driver = Names(field_name="device__pool__driver")
    pool = Names(field_name="device__pool__name")
    device = Names(field_name="device__name")
    device_class = RequestedClass(spec="claim__spec", request="request")
    product = Names(field_name="device__product")
    pod = Related(
        field_name="claim__pod_claims__pod__name",
        also={"claim__pod_claims__reserved": True},
        whose=(Pod, "claim__pod_claims__pod"),
    )
    claim = Names(field_name="claim__name")
    state = States(field_name="claim__state", choices=Claim.State.choices)
    share_id = Names(field_name="share_id")
    uuid = Names(field_name="device__uuid")
    dedicated = Truth(field_name="dedicated")
    admin_access = Truth(field_name="admin_access")
    accelerator = Truth(field_name="device__accelerator")
    q = Search("device__name", "claim__name", "claim__namespace__name", "share_id")
    label_selector = LabelSelector(field_name="claim__labels")
    ordering = Ordering(
        fields={
            "id": "id",
            "started_at": "started_at",
            "device__name": "device",
            "device__node__name": "node",
            "device__product": "product",
            "claim__name": "claim",
            "claim__namespace__name": "namespace",
            "claim__team__slug": "team",
        }
    )

    class Meta:
        model = Share
        fields = ()


def queryset(*, viewer: Viewer) -> QuerySet[Share]:
    return everyones().visible_to(viewer)


def everyones() -> VisibleQuerySet[Share]:
    """Whoever shows these names only what the viewer may see of them: see `inventory.queries.held`."""
    return Share.objects.select_related("cluster", "claim__namespace", "claim__team", *RELATED)


def rows(page: Iterable[Share], *, viewer: Viewer) -> list[ShareRow]:
    """Of shares that the viewer may see."""
    shares = list(page)
    prefetch_related_objects(shares, *PREFETCHED, users_of("claim"))
    return [_row(share, viewer) for share in shares]


def one(share_id: int, *, viewer: Viewer) -> ShareRow | None:
    return next(iter(rows(queryset(viewer=viewer).filter(pk=share_id), viewer=viewer)), None)


def dimension_names(found: QuerySet[Share]) -> list[str]:
    """The dimensions that any of the shares consumes or holds, by name."""
    ids = found.order_by().values("pk")
    consumed = ConsumedCapacity.objects.filter(share__in=ids).order_by().values_list("dimension", flat=True)
    balances = (
        Balance.objects.filter(device__held_shares__in=ids).order_by().values_list("dimension", flat=True)
    )
    return sorted({*consumed.distinct(), *balances.distinct()})


def users_of(path: str) -> "Prefetch[str, QuerySet[PodClaim], str]":
    """The Pods for which a claim is reserved, each with what its brief form needs."""
    reserved = PodClaim.objects.filter(reserved=True).select_related("pod__namespace", "pod__node")
    return Prefetch(f"{path}__pod_claims", reserved, to_attr="uses")


def _users(claim: Claim) -> list[Pod]:
    """Each Pod once, though it may name the claim twice."""
    uses: list[PodClaim] = getattr(claim, "uses", [])
    return list({use.pod_id: use.pod for use in uses}.values())


def _row(share: Share, viewer: Viewer) -> ShareRow:
    team, users = share.claim.team, _users(share.claim)
    seen = [pod for pod in users if is_visible(pod, viewer)]
    slug = team_slug(team, viewer)
    return ShareRow(
        **msgspec.structs.asdict(allocation_result(share)),
        cluster=share.cluster.name,
        claim=claim_brief(share.claim),
        pods=tuple(map(pod_brief, seen)),
        team=slug,
        withheld=len(seen) < len(users) or (team is not None and slug is None),
        started_at=share.started_at,
        started_source=InstantSource(share.started_source),
        ended_at=None,
        source="dra",
    )
