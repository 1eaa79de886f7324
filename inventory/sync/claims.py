"""Resource claims to claims, shares and consumers."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, QuerySet

from inventory.kube.objects import ResourceClaim
from inventory.models import Claim, Consumer, PodInterval, Share, ShareInterval
from inventory.ownership.described import Described, kept
from inventory.ownership.rulebook import Subject
from inventory.sync import bulk, intervals, shares, teams
from inventory.sync.allocations import consumed, results
from inventory.sync.changes import Changes, not_older
from inventory.sync.claim_events import Journal, Known, Named
from inventory.sync.current import current
from inventory.sync.gone import gone_by_uid
from inventory.sync.intervals import Opening
from inventory.sync.links import GANG
from inventory.sync.places import Places
from inventory.sync.reconcile import Key, Values, reconcile
from inventory.sync.shares import Surroundings
from inventory.sync.touched import Reservation, Touched, batches

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


class _Row(NamedTuple):
    """A claim as it was before."""

    id: int
    team_id: int | None
    state: str
    known: Known


def write(around: Surroundings, changes: Changes[ResourceClaim], touched: Touched) -> None:
    """Write the claims with all that hangs on them."""
    scope = Claim.objects.filter(cluster=around.cluster)
    journal = Journal(around.cluster, around.targets, touched, around.now, around.before)
    _write_passed(around, changes, journal, touched)
    for batch in batches(gone_by_uid(scope, changes)):
        _remove(around, batch, journal, touched)
    nothing_yet = not scope.exists()
    for chunk in changes.chunks():
        claims = current(scope, chunk, changes)
        rows = {} if nothing_yet else _rows(around, claims, journal)
        if changes.seen is None:
            claims = _not_gone(claims, rows, journal)
        _write(around, claims, rows, journal, touched)
    if changes.seen is not None and not nothing_yet:
        _end_forgotten(around, touched)


def _end_forgotten(around: Surroundings, touched: Touched) -> None:
    """What is open of claims that have no row, nothing else would end."""
    of_claim = Claim.objects.filter(cluster=around.cluster, uid=OuterRef("claim_uid"))
    models: tuple[type[Any], ...] = (ShareInterval, PodInterval)
    for model in models:
        rows = model.objects.filter(cluster=around.cluster, ended_at=None).order_by()
        touched.claims_gone.update(rows.exclude(Exists(of_claim)).values_list("claim_uid", flat=True))
    intervals.close(around.cluster, touched.claims_gone, touched, around.now, around.before)


def _rows(around: Surroundings, claims: Sequence[ResourceClaim], journal: Journal) -> dict[str, _Row]:
    scope = Claim.objects.filter(cluster=around.cluster, uid__in=[claim.metadata.uid for claim in claims])
    columns = ("uid", "pk", "team_id", "state", "allocated_at", "created_at")
    return {
        uid: _Row(pk, team, state, Known.of_row(state, *times, untold=journal.nothing_yet))
        for uid, pk, team, state, *times in scope.values_list(*columns)
    }


def _not_gone(
    claims: Sequence[ResourceClaim], rows: Mapping[str, _Row], journal: Journal
) -> list[ResourceClaim]:
    """Without those that have gone: what is told of them later is late. Only a list may bring one back."""
    told = journal.recall(uid for claim in claims if (uid := claim.metadata.uid) not in rows)
    return [claim for claim in claims if not told.get(claim.metadata.uid, Known()).deleted]


def _write_passed(
    around: Surroundings, changes: Changes[ResourceClaim], journal: Journal, touched: Touched
) -> None:
    """What claims held between two commits is in no row but those of history."""
    if not changes.passed:
        return
    rows = _rows(around, changes.passed, journal)
    versions = Claim.objects.filter(cluster=around.cluster, uid__in=rows).values_list(
        "uid", "resource_version"
    )
    passed = _not_gone(not_older(changes.passed, dict(versions)), rows, journal)
    slugs = _slugs(around.places, _teams(passed, around.places, {uid: row.id for uid, row in rows.items()}))
    opening, known = Opening(slugs, touched), _known(passed, rows, journal)
    touched.claims_passed.update(slugs)
    for claims in _one_after_the_other(passed):
        held = [
            (claim, result, dict(consumed(result, frozenset())))
            for claim in claims
            for result in results(claim)
        ]
        intervals.write(around.cluster, claims, held, opening, around.now, around.before)
        journal.tell_passed(claims, known, slugs)
        touched.passed_reservations.update(
            (one, slugs[claim.metadata.uid]) for claim in claims for one in _reservations(claim)
        )
    # One that came and went since the last commit has no row by which it would be found.
    gone = {claim.metadata.uid: claim for claim in passed if claim.metadata.uid in changes.gone - rows.keys()}
    intervals.close(around.cluster, gone, touched, around.now, around.before)
    journal.gone(
        (Named(uid, claim.metadata.namespace, claim.metadata.name, slugs[uid]), Known())
        for uid, claim in gone.items()
    )
    touched.claims_gone.update(gone)


def _known(claims: Iterable[ResourceClaim], rows: Mapping[str, _Row], journal: Journal) -> dict[str, Known]:
    """What was told of them before."""
    without = {claim.metadata.uid for claim in claims} - rows.keys()
    return {**{uid: row.known for uid, row in rows.items()}, **journal.recall(without)}


def _reservations(claim: ResourceClaim) -> Iterable[Reservation]:
    metadata = claim.metadata
    for one in (claim.status.reserved_for if claim.status else None) or ():
        yield Reservation(metadata.uid, metadata.namespace, metadata.name, one.resource, one.name, one.uid)


def _one_after_the_other(passed: Iterable[ResourceClaim]) -> Iterable[list[ResourceClaim]]:
    """The first states of all claims, then the second ones of those that had another, and so on."""
    states: defaultdict[str, list[ResourceClaim]] = defaultdict(list)
    for claim in passed:
        states[claim.metadata.uid].append(claim)
    for number in range(max(map(len, states.values()), default=0)):
        yield [of_one[number] for of_one in states.values() if number < len(of_one)]


def _remove(around: Surroundings, claim_ids: Sequence[int], journal: Journal, touched: Touched) -> None:
    going = Claim.objects.filter(pk__in=claim_ids)
    _touch(going, touched)
    columns = ("uid", "namespace__name", "name", "team_id", "state", "allocated_at", "created_at")
    rows = [
        (Named(uid, namespace, name, around.places.rulebook.slug_of(team)), Known.of_row(*state))
        for uid, namespace, name, team, *state in going.order_by("pk").values_list(*columns)
    ]
    uids = {named.uid for named, _ in rows}
    intervals.close(around.cluster, uids, touched, around.now, around.before)
    journal.gone(rows)
    touched.claims_gone.update(uids)
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
    around: Surroundings,
    claims: Sequence[ResourceClaim],
    before: Mapping[str, _Row],
    journal: Journal,
    touched: Touched,
) -> None:
    """`before` are the claims that have a row."""
    cluster = around.cluster
    existing = {row.id for row in before.values()}
    scope = Claim.objects.filter(cluster=cluster, uid__in=before) if existing else None
    if existing:
        _touch(Claim.objects.filter(pk__in=existing), touched)
    namespaces = around.places.namespaces({claim.metadata.namespace for claim in claims})
    owners = _teams(claims, around.places, {uid: row.id for uid, row in before.items()})
    touched.passed_on.update(
        (uid, team)
        for uid, team in owners.items()
        if uid in touched.claims_passed or (uid in before and before[uid].team_id != team)
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
    touched.claims_retold.update(
        uid for (_, uid), row in desired.items() if uid in before and before[uid].state != row.state
    )
    for row in desired.values():
        touched.claim_names.add((row.namespace_id, row.name))
        if row.owner_kind == GANG:
            touched.pod_groups.add((row.namespace_id, row.owner_name))
    slugs = _slugs(around.places, owners)
    shares.write(around, claims, ids, existing, slugs, touched)
    journal.tell(claims, _known(claims, before, journal), slugs)
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
