"""The slow comparison in the background: every row against the API server at the very same moment.

The API server is asked for each kind as it was at our cursor (resourceVersionMatch=Exact), and our rows are
read in one snapshot together with the cursor. So what differs is a fault of ours, and never a matter of time.
"""

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from inventory.dra.pools import pools
from inventory.kube import kinds
from inventory.kube.client import Client
from inventory.kube.connection import Source, connect
from inventory.kube.discovery import Served, discover
from inventory.kube.errors import ClusterError
from inventory.kube.kinds import Kind
from inventory.kube.listing import list_chunks
from inventory.kube.objects import Metadata, ResourceClaim, ResourceSlice
from inventory.models import (
    Claim,
    ClaimTemplate,
    Cluster,
    ConsumedCapacity,
    Device,
    DeviceClass,
    Difference,
    KindState,
    Namespace,
    Node,
    Pod,
    Quota,
    Share,
    ShareInterval,
    SkippedObject,
    Slice,
    TaintRule,
)
from inventory.models.amounts import to_quantity
from inventory.snapshot import snapshot
from inventory.sync import check, check_history, check_teams, progress, slices, teams
from inventory.sync.allocations import amount, results
from inventory.sync.parts import PARTS, kinds_of
from inventory.sync.read import concerns_us
from inventory.sync.schedule import may_be_compared
from inventory.sync.touched import batches

logger = logging.getLogger(__name__)

# Of one comparison; how many there are in all is counted.
_KEPT = 100

_ROWS: Mapping[str, Any] = {
    kinds.RESOURCE_SLICES.resource: Slice.objects,
    kinds.DEVICE_CLASSES.resource: DeviceClass.objects,
    kinds.DEVICE_TAINT_RULES.resource: TaintRule.objects,
    kinds.RESOURCE_CLAIM_TEMPLATES.resource: ClaimTemplate.objects.annotate(place=F("namespace__name")),
    kinds.RESOURCE_CLAIMS.resource: Claim.objects.annotate(place=F("namespace__name")),
    kinds.PODS.resource: Pod.objects.annotate(place=F("namespace__name")),
    kinds.NODES.resource: Node.objects.filter(listed=True),
    kinds.NAMESPACES.resource: Namespace.objects.filter(listed=True),
    kinds.RESOURCE_QUOTAS.resource: Quota.objects.annotate(place=F("namespace__name")),
}


class Found(NamedTuple):
    """One difference."""

    kind: str
    what: str


class _Row(NamedTuple):
    resource_version: str
    name: str
    namespace: str


# What a claim holds: request, driver, pool, device, share ID, and what of each dimension in nanos.
_Holding = tuple[str, str, str, str, str, tuple[tuple[str, int | None], ...]]


def compare_cluster(cluster_id: int) -> int | None:
    """Compare, tell what differs, and have it read anew; how many differences there are.

    None where it cannot be compared now: another comparison runs or has just failed, the cluster cannot be
    read, or the API server has already forgotten the moment.
    """
    now = timezone.now()
    mine = Cluster.objects.filter(may_be_compared(now), pk=cluster_id).update(comparison_begun_at=now)
    cluster = Cluster.objects.filter(pk=cluster_id).first() if mine else None
    if cluster is None:
        return None
    try:
        with connect(Source(cluster.kubeconfig, cluster.context, cluster.in_cluster)) as client:
            served = discover(client)
            with snapshot():
                found = differences(cluster, client, served)
                kept = list(islice(found, _KEPT))
                count = len(kept) + sum(1 for _ in found)
    except ClusterError as error:
        logger.warning("not compared cluster=%s reason=%s message=%s", cluster.pk, error.reason, error)
        return None
    _tell(cluster, kept, count)
    return count


def differences(cluster: Cluster, client: Client, served: Served) -> Iterator[Found]:
    """Inside a snapshot. Raises ClusterError."""
    states = KindState.objects.filter(
        cluster=cluster, state=KindState.State.READ, layout=progress.LAYOUT
    ).exclude(resource_version="")
    cursors = dict(states.values_list("kind", "resource_version"))
    for kind in kinds_of(PARTS, served):
        if (cursor := cursors.get(kind.resource)) is not None:
            for what in _of_kind(cluster, client, served, kind, cursor):
                yield Found(kind.resource, what)
    for what in (*_of_devices(cluster), *check.differences(cluster)):
        yield Found("ledger", what)
    for what in check_teams.differences(cluster):
        yield Found("teams", what)
    for what in check_history.differences(cluster):
        yield Found("history", what)


def _of_kind(cluster: Cluster, client: Client, served: Served, kind: Kind[Any], cursor: str) -> Iterator[str]:
    rows = _rows(cluster, kind)
    unread = SkippedObject.objects.filter(cluster=cluster, kind=kind.resource, part="")
    unread_uids = set(unread.values_list("uid", flat=True))
    for chunk in list_chunks(client, kind, served, exactly_at=cursor):
        objects = [one for one in chunk.objects if concerns_us(one)]
        known = [one for one in objects if one.metadata.uid in rows]
        for one in objects:
            yield from _of_object(one.metadata, rows.pop(one.metadata.uid, None))
        if kind is kinds.RESOURCE_CLAIMS:
            yield from _of_claims(cluster, known)
        elif kind is kinds.RESOURCE_SLICES:
            yield from _of_slices(cluster, known)
    # What cannot be read keeps its row; of some not even the UID can be read.
    for uid, row in rows.items() if "" not in unread_uids else ():
        if uid not in unread_uids:
            yield f"{_place(row)} ({uid}) is stored, and the cluster does not have it"


def _rows(cluster: Cluster, kind: Kind[Any]) -> dict[str, _Row]:
    rows = _ROWS[kind.resource].filter(cluster=cluster).order_by()
    columns = ("uid", "resource_version", "name", *(["place"] if kind.namespaced else []))
    found = rows.values_list(*columns)
    return {uid: _Row(version, name, *(place or ("",))) for uid, version, name, *place in found.iterator()}


def _of_object(metadata: Metadata, row: _Row | None) -> Iterator[str]:
    if row is None:
        yield f"{_place(metadata)} ({metadata.uid}) is in the cluster and not stored"
    elif row.resource_version != metadata.resource_version:
        yield (
            f"{_place(metadata)} is stored as of resourceVersion {row.resource_version}; "
            f"at that moment it had {metadata.resource_version}"
        )


def _place(named: Metadata | _Row) -> str:
    return f"{named.namespace}/{named.name}" if named.namespace else named.name


def _of_claims(cluster: Cluster, claims: Sequence[ResourceClaim]) -> Iterator[str]:
    uids = [claim.metadata.uid for claim in claims]
    stored, intervals = _stored_holdings(cluster, uids), _open_intervals(cluster, uids)
    for claim in claims:
        uid, held = claim.metadata.uid, sorted(_holdings(claim))
        if held != sorted(stored[uid]):
            yield f"{_place(claim.metadata)} holds {held}; stored is {sorted(stored[uid])}"
        if {holding[:5] for holding in held} != intervals[uid]:
            yield f"{_place(claim.metadata)}: the open intervals of its history are {sorted(intervals[uid])}"


def _holdings(claim: ResourceClaim) -> Iterator[_Holding]:
    for result in results(claim):
        amounts = {name: amount(value) for name, value in (result.consumed_capacity or {}).items()}
        yield (
            result.request,
            result.driver,
            result.pool,
            result.device,
            result.share_id or "",
            tuple(sorted((name, found.nanos if found else None) for name, found in amounts.items())),
        )


def _stored_holdings(cluster: Cluster, uids: Sequence[str]) -> defaultdict[str, list[_Holding]]:
    shares = Share.objects.filter(cluster=cluster, claim__uid__in=uids).order_by()
    consumed: defaultdict[int, list[tuple[str, int | None]]] = defaultdict(list)
    amounts = ConsumedCapacity.objects.filter(share__in=shares).order_by()
    columns = ("share_id", "dimension", "amount", "exponent", "notation")
    for share, dimension, stored, exponent, notation in amounts.values_list(*columns):
        quantity = to_quantity(stored, exponent, notation)
        consumed[share].append((dimension, quantity.nanos if quantity else None))
    found: defaultdict[str, list[_Holding]] = defaultdict(list)
    of_device = ("device__pool__driver", "device__pool__name", "device__name")
    for pk, uid, problem, *holding in shares.values_list(
        "pk", "claim__uid", "problem", "request", *of_device, "share_id"
    ):
        # Where it cannot be read, every dimension of the device is stored as unknown.
        told = () if problem == "consumed capacity cannot be read" else tuple(sorted(consumed[pk]))
        found[uid].append((*holding, told))
    return found


def _open_intervals(cluster: Cluster, uids: Sequence[str]) -> defaultdict[str, set[tuple[str, ...]]]:
    rows = ShareInterval.objects.filter(cluster=cluster, claim_uid__in=uids, ended_at=None).order_by()
    found: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
    for uid, *key in rows.values_list("claim_uid", "request", "driver", "pool", "device", "share_id"):
        found[uid].add(tuple(key))
    return found


def _of_slices(cluster: Cluster, found: Sequence[ResourceSlice]) -> Iterator[str]:
    names = [one.metadata.name for one in found]
    stored = {one.metadata.name: one for one in slices.named(cluster, names)}
    parts = SkippedObject.objects.filter(cluster=cluster, kind=kinds.RESOURCE_SLICES.resource, name__in=names)
    incomplete = set(parts.exclude(part="").values_list("name", flat=True))
    for one in found:
        name = one.metadata.name
        # A device that cannot be read is stored as it was before.
        if name not in incomplete and stored.get(name) != one:
            yield f"{name} is stored otherwise than it is published"


def _of_devices(cluster: Cluster) -> Iterator[str]:
    """Devices against the slices that they come from."""
    places = Slice.objects.filter(cluster=cluster).order_by().values_list("driver", "pool_name").distinct()
    for batch in batches(list(places), 200):
        published = {
            (view.driver, view.name, placed.device.name, view.usable)
            for view in pools(slices.of_pools(cluster, set(batch)))
            for placed in view.devices
        }
        rows = Device.objects.filter(
            cluster=cluster,
            listed=True,
            pool__driver__in={driver for driver, _ in batch},
            pool__name__in={name for _, name in batch},
        ).order_by()
        columns = ("pool__driver", "pool__name", "name", "published")
        stored = {row for row in rows.values_list(*columns) if row[:2] in set(batch)}
        for driver, pool, name, _ in sorted(published ^ stored):
            yield f"device {driver}/{pool}/{name} is stored otherwise than its slices publish it"


def _tell(cluster: Cluster, found: Sequence[Found], count: int) -> None:
    for one in found:
        logger.error("difference found cluster=%s kind=%s what=%s", cluster.pk, one.kind, one.what)
    with transaction.atomic():
        Difference.objects.filter(cluster=cluster).delete()
        Difference.objects.bulk_create(
            [Difference(cluster=cluster, kind=one.kind, what=one.what) for one in found]
        )
        Cluster.objects.filter(pk=cluster.pk).update(
            compared_at=timezone.now(), differences=count, comparison_begun_at=None
        )
        if count:
            # The lock under which polls write.
            Cluster.objects.select_for_update().get(pk=cluster.pk)
            progress.begin_anew(cluster)
            teams.assign(cluster, timezone.now())
