"""Resource claims to claims, shares and consumers."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from inventory.kube.objects import ResourceClaim
from inventory.models import Claim, Consumer, Share
from inventory.ownership.described import Described, kept
from inventory.ownership.rulebook import Subject
from inventory.sync import bulk, intervals, shares, teams
from inventory.sync.allocations import consumed, results
from inventory.sync.changes import Changes, not_older
from inventory.sync.current import current
from inventory.sync.gone import gone_by_uid
from inventory.sync.intervals import Opening
from inventory.sync.links import GANG
from inventory.sync.places import Places
from inventory.sync.reconcile import Key, Values, reconcile
from inventory.sync.shares import Surroundings
from inventory.sync.touched import Touched, batches

_POD_CLAIM_NAME = "resource.kubernetes.io/pod-claim-name"
_EXTENDED_RESOURCE = "resource.kubernetes.io/extended-resource-claim"


class ClaimColumns(NamedTuple):
    namespace_id: int
    name: str
    resource_version: str
    state: str
    spec: dict[str, Any]
    created_at: datetime | None
    deleted_at: datetime | None
    allocated_at: datetime | None
    node_selector: dict[str, Any] | None
    device_status: list[Any]
    owner_kind: str
    owner_name: str
    owner_uid: str
    pod_claim_name: str
    extended_resource: bool
    labels: dict[str, str]
    annotations: dict[str, str]
    team_id: int | None


# `gone` is written once Pods are known.
_CONSUMER_FIELDS = ("api_group", "resource", "name", "uid")


def write(around: Surroundings, changes: Changes[ResourceClaim], touched: Touched) -> None:
    """Write the claims with all that hangs on them."""
    scope = Claim.objects.filter(cluster=around.cluster)
    _write_passed(around, changes, touched)
    for batch in batches(gone_by_uid(scope, changes)):
        _remove(around, batch, touched)
    nothing_yet = not scope.exists()
    for chunk in changes.chunks():
        _write(around, current(scope, chunk, changes), touched, nothing_yet=nothing_yet)


def _write_passed(around: Surroundings, changes: Changes[ResourceClaim], touched: Touched) -> None:
    """What claims held between two commits is in no row but those of history."""
    uids = [claim.metadata.uid for claim in changes.passed]
    if not uids:
        return
    columns = ("uid", "pk", "resource_version")
    rows = Claim.objects.filter(cluster=around.cluster, uid__in=uids).values_list(*columns)
    passed = not_older(changes.passed, {uid: version for uid, _, version in rows})
    slugs = _slugs(around.places, _teams(passed, around.places, {uid: pk for uid, pk, _ in rows}))
    opening = Opening(slugs, touched.new_intervals)
    for claims in _one_after_the_other(passed):
        held = [
            (claim, result, dict(consumed(result, frozenset())))
            for claim in claims
            for result in results(claim)
        ]
        intervals.write(around.cluster, claims, held, opening, around.now, around.before)
    # One that came and went since the last commit has no row by which it would be found.
    intervals.close(around.cluster, changes.gone & set(uids), around.now, around.before)


def _one_after_the_other(passed: Iterable[ResourceClaim]) -> Iterable[list[ResourceClaim]]:
    """The first states of all claims, then the second ones of those that had another, and so on."""
    states: defaultdict[str, list[ResourceClaim]] = defaultdict(list)
    for claim in passed:
        states[claim.metadata.uid].append(claim)
    for number in range(max(map(len, states.values()), default=0)):
        yield [of_one[number] for of_one in states.values() if number < len(of_one)]


def _remove(around: Surroundings, claim_ids: Sequence[int], touched: Touched) -> None:
    going = Claim.objects.filter(pk__in=claim_ids)
    _touch(going, touched)
    intervals.close(around.cluster, going.values_list("uid", flat=True), around.now, around.before)
    deleted = bulk.delete(Claim, claim_ids)
    touched.grown[Claim] -= deleted
    touched.left = True
    touched.changes += deleted


def _touch(claims: QuerySet[Claim], touched: Touched) -> None:
    """The devices that these claims hold, and the Pods that know them by name."""
    held = Share.objects.filter(claim__in=claims).order_by()
    touched.pools.update(held.values_list("device__pool_id", flat=True).distinct())
    columns = ("namespace_id", "name", "owner_kind", "owner_name")
    for namespace, name, owner_kind, owner_name in claims.order_by().values_list(*columns):
        touched.claim_names.add((namespace, name))
        if owner_kind == GANG:
            touched.pod_groups.add((namespace, owner_name))


def _write(
    around: Surroundings, claims: Sequence[ResourceClaim], touched: Touched, *, nothing_yet: bool
) -> None:
    cluster, uids = around.cluster, [claim.metadata.uid for claim in claims]
    scope = None if nothing_yet else Claim.objects.filter(cluster=cluster, uid__in=uids)
    columns = ("uid", "pk", "team_id")
    known = {} if scope is None else {uid: one for uid, *one in scope.values_list(*columns)}
    existing = {pk for pk, _ in known.values()}
    if existing:
        _touch(Claim.objects.filter(pk__in=existing), touched)
    namespaces = around.places.namespaces({claim.metadata.namespace for claim in claims})
    owners = _teams(claims, around.places, {uid: pk for uid, (pk, _) in known.items()})
    touched.passed_on.update(
        (uid, team) for uid, team in owners.items() if uid in known and known[uid][1] != team
    )
    desired: dict[Key, ClaimColumns] = {
        (cluster.pk, claim.metadata.uid): _claim(claim, around.places, namespaces, owners[claim.metadata.uid])
        for claim in claims
    }
    rows = reconcile(Claim, scope, ("cluster_id", "uid"), ClaimColumns._fields, desired)
    ids = {uid: pk for (_, uid), pk in rows.ids.items()}
    touched.changes += rows.changes
    touched.grown[Claim] += rows.created
    touched.claims.update(ids.values())
    for row in desired.values():
        touched.claim_names.add((row.namespace_id, row.name))
        if row.owner_kind == GANG:
            touched.pod_groups.add((row.namespace_id, row.owner_name))
    shares.write(around, claims, ids, existing, _slugs(around.places, owners), touched)
    _write_consumers(claims, ids, existing, touched)


def _teams(
    claims: Sequence[ResourceClaim], places: Places, known: Mapping[str, int]
) -> dict[str, int | None]:
    """Whose the claims are, by UID, as far as it is known now: more of their Pods may come.

    `known` are those that have a row.
    """
    places.namespaces({claim.metadata.namespace for claim in claims})
    users = teams.users_of(places.rulebook, known.values())
    return {
        (uid := claim.metadata.uid): _team(claim, places, users.get(known.get(uid, 0), ()))
        for claim in claims
    }


def _team(claim: ResourceClaim, places: Places, users: Iterable[Described]) -> int | None:
    metadata, keys = claim.metadata, places.kept_annotations[Subject.CLAIM]
    owner = places.rulebook.of_claim(
        Described(metadata.labels or {}, kept(metadata.annotations, keys)), users
    )
    return owner.team if owner else places.team_of(metadata.namespace)


def _slugs(places: Places, owners: Mapping[str, int | None]) -> dict[str, str]:
    return {uid: places.rulebook.slug_of(team) for uid, team in owners.items()}


def state(claim: ResourceClaim) -> str:
    """As `kubectl get resourceclaims` prints it (printers.go, printResourceClaim)."""
    allocated = bool(claim.status and claim.status.allocation)
    deleted = claim.metadata.deletion_timestamp is not None
    parts = [
        *(["deleted"] if deleted else []),
        *(["allocated"] if allocated else []),
        *(["reserved"] if allocated and claim.status and claim.status.reserved_for else []),
    ]
    return ",".join(parts) or "pending"


def _claim(
    claim: ResourceClaim, places: Places, namespace_ids: Mapping[str, int], team_id: int | None
) -> ClaimColumns:
    metadata, status = claim.metadata, claim.status
    annotations = metadata.annotations or {}
    owner = metadata.controller()
    allocation = status.allocation if status else None
    return ClaimColumns(
        namespace_id=namespace_ids[metadata.namespace],
        name=metadata.name,
        resource_version=metadata.resource_version,
        state=state(claim),
        spec=claim.spec,
        created_at=metadata.creation_timestamp,
        deleted_at=metadata.deletion_timestamp,
        allocated_at=allocation.allocation_timestamp if allocation else None,
        node_selector=allocation.node_selector if allocation else None,
        device_status=(status.devices if status else None) or [],
        owner_kind=owner.kind if owner else "",
        owner_name=owner.name if owner else "",
        owner_uid=owner.uid if owner else "",
        pod_claim_name=annotations.get(_POD_CLAIM_NAME, ""),
        extended_resource=annotations.get(_EXTENDED_RESOURCE) == "true",
        labels=metadata.labels or {},
        annotations=kept(annotations, places.kept_annotations[Subject.CLAIM]),
        team_id=team_id,
    )


def _write_consumers(
    claims: Sequence[ResourceClaim], claim_ids: Mapping[str, int], existing: set[int], touched: Touched
) -> None:
    desired: dict[Key, Values] = {
        (claim_ids[claim.metadata.uid], position): (one.api_group, one.resource, one.name, one.uid)
        for claim in claims
        for position, one in enumerate((claim.status.reserved_for if claim.status else None) or ())
    }
    scope = Consumer.objects.filter(claim__in=existing) if existing else None
    rows = reconcile(Consumer, scope, ("claim_id", "position"), _CONSUMER_FIELDS, desired)
    touched.changes += rows.changes
