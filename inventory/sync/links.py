"""Which Pod uses which claim: what Pods name, claims say and reservations hold, put together.

Claims and Pods come one after the other and each may be the newer; so this is done last, for all that was
touched on either side.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet

from inventory.models import Claim, Cluster, Consumer, Pod, PodClaim
from inventory.sync import bulk
from inventory.sync.touched import Touched, batches

LINK_FIELDS = ("claim_id", "reserved")
_USE_COLUMNS = (
    "name",
    "claim_name",
    "template_name",
    "pod__uid",
    "pod__namespace_id",
    "pod__pod_group",
)
# A gang's claim is found by the name of the gang.
GANG = "PodGroup"


class Use(NamedTuple):
    """What a Pod says of a claim that it uses."""

    name: str
    claim_name: str
    template_name: str
    pod_uid: str
    namespace_id: int
    pod_group: str


Link = tuple[int | None, bool]
"""A claim, if there is one, and whether it is reserved for the Pod."""


class _ClaimRow(NamedTuple):
    id: int
    namespace_id: int
    name: str
    owner_kind: str
    owner_name: str
    owner_uid: str
    pod_claim_name: str


@dataclass(frozen=True)
class _Claims:
    """Claims as Pods refer to them, and who they are reserved for."""

    by_name: Mapping[tuple[int, str], _ClaimRow]
    of_group: Mapping[tuple[int, str, str], _ClaimRow]
    reserved: Mapping[int, frozenset[tuple[str, str]]]


def link(touched: Touched) -> None:
    """Point the uses by other Pods at the claims that were touched; Pods that were touched are linked."""
    for ids in batches(_touched_uses(touched)):
        rows = PodClaim.objects.filter(pk__in=ids).order_by().values_list("pk", *LINK_FIELDS, *_USE_COLUMNS)
        before = {pk: (claim, reserved) for pk, claim, reserved, *_ in rows}
        after = dict(zip(before, links([Use(*row[3:]) for row in rows]), strict=True))
        wrong = [(pk, *link) for pk, link in after.items() if link != before[pk]]
        touched.changes += bulk.update(PodClaim, LINK_FIELDS, wrong)


def links(uses: Sequence[Use]) -> list[Link]:
    """The claim of each use, as the rows of claims and consumers say."""
    claims = _claims(uses)
    return [_wanted(use, claims) for use in uses]


def _touched_uses(touched: Touched) -> set[int]:
    found: set[int] = set()
    if touched.only_new_pods:
        return found
    # By names alone, whatever the cluster: its namespaces tell it apart, and few others have the names.
    uses = PodClaim.objects.order_by()
    for names in batches(touched.claim_names):
        rows = uses.filter(claim_name__in={name for _, name in names})
        columns = ("pk", "pod_id", "pod__namespace_id", "claim_name")
        found.update(_in_namespace(rows.values_list(*columns), names, touched))
    for groups in batches(touched.pod_groups):
        rows = uses.filter(
            pod__namespace__in={namespace for namespace, _ in groups},
            pod__pod_group__in={name for _, name in groups},
        )
        columns = ("pk", "pod_id", "pod__namespace_id", "pod__pod_group")
        found.update(_in_namespace(rows.values_list(*columns), groups, touched))
    return found


def _in_namespace(
    rows: Iterable[tuple[int, int, int, str]], wanted: list[tuple[int, str]], touched: Touched
) -> list[int]:
    named = set(wanted)
    return [pk for pk, pod, namespace, name in rows if (namespace, name) in named and pod not in touched.pods]


def _claims(uses: Sequence[Use]) -> _Claims:
    wanted = Q(
        name__in={use.claim_name for use in uses if use.claim_name},
        namespace__in={use.namespace_id for use in uses},
    )
    if groups := {use.pod_group for use in uses if use.pod_group}:
        wanted |= Q(owner_kind=GANG, owner_name__in=groups)
    columns = ("pk", "namespace_id", "name", "owner_kind", "owner_name", "owner_uid", "pod_claim_name")
    rows = [_ClaimRow(*row) for row in Claim.objects.filter(wanted).order_by("pk").values_list(*columns)]
    return _Claims(
        by_name={(row.namespace_id, row.name): row for row in rows},
        of_group={
            (row.namespace_id, row.owner_name, row.pod_claim_name): row
            for row in rows
            if row.owner_kind == GANG
        },
        reserved=_reserved([row.id for row in rows]),
    )


def _reserved(claim_ids: list[int]) -> dict[int, frozenset[tuple[str, str]]]:
    """Pods by UID; a gang by its name, since its Pods do not carry its UID."""
    found: defaultdict[int, set[tuple[str, str]]] = defaultdict(set)
    consumers = Consumer.objects.filter(claim__in=claim_ids).order_by()
    for claim, resource, name, uid in consumers.values_list("claim_id", "resource", "name", "uid"):
        found[claim].add((resource, name if resource == "podgroups" else uid))
    return {claim: frozenset(consumers) for claim, consumers in found.items()}


def _wanted(use: Use, claims: _Claims) -> Link:
    claim = claims.by_name.get((use.namespace_id, use.claim_name))
    if use.template_name:
        if claim is not None and not _made_for(claim, use):
            # A claim of that name which was made for another Pod is not this Pod's (IsForPod upstream).
            claim = None
        if claim is None:
            claim = claims.of_group.get((use.namespace_id, use.pod_group, use.name))
    if claim is None:
        return None, False
    consumers = claims.reserved.get(claim.id, frozenset())
    of_group = bool(use.pod_group) and ("podgroups", use.pod_group) in consumers
    return claim.id, ("pods", use.pod_uid) in consumers or of_group


def _made_for(claim: _ClaimRow, use: Use) -> bool:
    if claim.owner_kind == GANG:
        return claim.owner_name == use.pod_group
    return claim.owner_uid == use.pod_uid


def mark_all_consumers(cluster: Cluster, touched: Touched) -> None:
    """Say of each consumer that is a Pod whether it is there, once Pods are known for the first time."""
    of_pods = Consumer.objects.filter(claim__cluster=cluster, resource="pods").order_by()
    there = Exists(Pod.objects.filter(cluster=cluster, uid=OuterRef("uid")))
    for gone, found in ((False, of_pods.filter(there)), (True, of_pods.exclude(there))):
        touched.changes += found.exclude(gone=gone).update(gone=gone)


def mark_consumers(cluster: Cluster, touched: Touched) -> None:
    """The same for the consumers of touched claims, and for those that are Pods that came or went."""
    of_pods = Consumer.objects.filter(resource="pods").order_by()
    for claims in batches(touched.claims):
        _mark(cluster, of_pods.filter(claim__in=claims), touched)
    for uids in batches(touched.pod_uids):
        _mark(cluster, of_pods.filter(uid__in=uids), touched)


def _mark(cluster: Cluster, consumers: QuerySet[Consumer], touched: Touched) -> None:
    rows = [
        (pk, uid, gone)
        for pk, uid, gone, of_cluster in consumers.values_list("pk", "uid", "gone", "claim__cluster_id")
        if of_cluster == cluster.pk
    ]
    pods = Pod.objects.filter(cluster=cluster, uid__in={uid for _, uid, _ in rows})
    there = set(pods.values_list("uid", flat=True))
    wrong = [(pk, uid not in there) for pk, uid, gone in rows if gone is not (uid not in there)]
    touched.changes += bulk.update(Consumer, ("gone",), wrong)
