"""One reading written in one transaction: a reader sees the snapshot before or the one after, never a mix."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction

from inventory.dra.accelerators import parse
from inventory.kube import kinds
from inventory.kube.decoding import Skipped
from inventory.kube.errors import ForbiddenError
from inventory.kube.kinds import Kind
from inventory.kube.objects import DeviceTaintRule
from inventory.models import Cluster, KindState, Share, SkippedObject
from inventory.sync import balances, claims, devices, places, pods, taint_rules
from inventory.sync.lease import Lease, confirm
from inventory.sync.read import KindReading, Reading
from inventory.sync.reconcile import Key, Reconciled, Values, reconcile
from inventory.sync.unread import Unread

_NAMESPACED = (kinds.RESOURCE_CLAIMS, kinds.RESOURCE_CLAIM_TEMPLATES, kinds.PODS, kinds.RESOURCE_QUOTAS)


def apply(lease: Lease, reading: Reading, now: datetime) -> int:
    """Write a reading; how many rows changed. Raises LeaseLost, and then nothing is written.

    A kind that could not be read keeps the rows of its last reading.
    """
    with transaction.atomic():
        cluster = confirm(lease)
        namespace_rows = places.namespaces(
            cluster,
            reading.objects(kinds.NAMESPACES),
            _namespaces_named(reading),
            _unread(reading, kinds.NAMESPACES),
        )
        node_rows = places.nodes(
            cluster, reading.objects(kinds.NODES), _nodes_named(reading), _unread(reading, kinds.NODES)
        )
        changes = namespace_rows.changes + node_rows.changes
        skipped, written = _write_objects(cluster, reading, namespace_rows, node_rows)
        _write_kind_states(cluster, reading, now)
        changes += written + balances.write(cluster) + places.forget(namespace_rows.kept, node_rows.kept)
        changes += _write_skipped(cluster, reading, skipped)
        _finish(cluster, reading, changes)
    return changes


def _write_objects(
    cluster: Cluster, reading: Reading, namespace_rows: Reconciled, node_rows: Reconciled
) -> tuple[list[Skipped], int]:
    namespaces, nodes = namespace_rows.ids, node_rows.ids
    skipped, written, changes = _write_devices(cluster, reading, nodes)
    if (classes := reading.objects(kinds.DEVICE_CLASSES)) is not None:
        changes += claims.write_classes(cluster, classes, _unread(reading, kinds.DEVICE_CLASSES))
    if (templates := reading.objects(kinds.RESOURCE_CLAIM_TEMPLATES)) is not None:
        unread = _unread(reading, kinds.RESOURCE_CLAIM_TEMPLATES)
        changes += claims.write_templates(cluster, templates, namespaces, unread)
    if (found := reading.objects(kinds.RESOURCE_CLAIMS)) is not None:
        unread = _unread(reading, kinds.RESOURCE_CLAIMS)
        changes += claims.write_claims(cluster, found, namespaces, written, unread)
    if (seen := reading.objects(kinds.PODS)) is not None:
        around = pods.Surroundings(cluster, namespaces, nodes, _owners(reading))
        changes += pods.write(around, seen, _unread(reading, kinds.PODS))
    if (quotas := reading.objects(kinds.RESOURCE_QUOTAS)) is not None:
        changes += places.quotas(cluster, quotas, namespaces, _unread(reading, kinds.RESOURCE_QUOTAS))
    return skipped, changes


def _write_devices(
    cluster: Cluster, reading: Reading, nodes: Mapping[Key, int]
) -> tuple[list[Skipped], devices.Written, int]:
    rules, changes = _taint_rules(reading), 0
    if rules is not None:
        changes = taint_rules.write(cluster, rules, _unread(reading, kinds.DEVICE_TAINT_RULES))
    found = reading.objects(kinds.RESOURCE_CLAIMS) or ()
    written = devices.write(
        devices.Surroundings(
            cluster=cluster,
            node_ids=nodes,
            accelerators=[parse(text) for text in settings.SLICEBOARD_ACCELERATORS],
            taint_rules=taint_rules.known(cluster),
            nodes_of_targets=claims.nodes_of_targets(found),
        ),
        reading.objects(kinds.RESOURCE_SLICES),
        {*claims.targets(found), *_targets_kept(cluster, reading)},
        _unread(reading, kinds.RESOURCE_SLICES),
    )
    skipped = [*written.skipped, *taint_rules.not_understood(rules or ())]
    return skipped, written, changes + written.changes


def _taint_rules(reading: Reading) -> list[DeviceTaintRule] | None:
    """None: there are rules, but they could not be read. Where they are not served there are none."""
    return [] if reading.served.taint_rules_version == "" else reading.objects(kinds.DEVICE_TAINT_RULES)


def _namespaces_named(reading: Reading) -> set[str]:
    return {
        one.metadata.namespace
        for kind in _NAMESPACED
        for one in reading.objects(kind) or ()
        if one.metadata.namespace
    }


def _nodes_named(reading: Reading) -> set[str]:
    names = {pod.spec.node_name for pod in reading.objects(kinds.PODS) or () if pod.spec.node_name}
    return names | set(devices.node_names(reading.objects(kinds.RESOURCE_SLICES) or ()))


def _targets_kept(cluster: Cluster, reading: Reading) -> Iterator[devices.Target]:
    """Devices named by shares whose claims are not written now, since they could not be read."""
    shares = Share.objects.filter(cluster=cluster)
    if reading.objects(kinds.RESOURCE_CLAIMS) is not None:
        unread = _unread(reading, kinds.RESOURCE_CLAIMS)
        if not unread.anything:
            shares = shares.filter(claim__uid__in=unread.uids)
    columns = ("device__pool__driver", "device__pool__name", "device__name")
    yield from shares.order_by().values_list(*columns).distinct()


def _unread(reading: Reading, kind: Kind[Any]) -> Unread:
    one = reading.kinds.get(kind.resource)
    return Unread.of(one.listing.skipped if one and one.listing else ())


def _owners(reading: Reading) -> pods.Owners:
    read = {kind.kind: reading.objects(kind) for kind in (kinds.REPLICA_SETS, kinds.JOBS)}
    return pods.Owners(
        known={(kind, one.metadata.uid): one for kind, objects in read.items() for one in objects or ()},
        unread=frozenset(kind for kind, objects in read.items() if objects is None),
    )


def _write_skipped(cluster: Cluster, reading: Reading, not_understood: Iterable[Skipped]) -> int:
    """What could not be read; of a kind whose list failed, what is known from before."""
    resources = {kind.kind: kind.resource for kind in kinds.KINDS}
    listed = {kind: one.listing for kind, one in reading.kinds.items() if one.listing is not None}
    found = [*(one for listing in listed.values() for one in listing.skipped), *not_understood]
    desired: dict[Key, Values] = {
        (cluster.pk, resources[one.kind], one.namespace, one.name, one.uid, one.part, one.reason): ()
        for one in found
    }
    scope = SkippedObject.objects.filter(cluster=cluster, kind__in=listed)
    key = ("cluster_id", "kind", "namespace", "name", "uid", "part", "reason")
    return reconcile(SkippedObject, scope, key, (), desired).changes


def _write_kind_states(cluster: Cluster, reading: Reading, now: datetime) -> None:
    KindState.objects.filter(cluster=cluster).exclude(kind__in=reading.kinds).delete()
    for kind, one in reading.kinds.items():
        KindState.objects.update_or_create(
            cluster=cluster, kind=kind, defaults=_kind_state(one, reading, now)
        )


def _kind_state(one: KindReading, reading: Reading, now: datetime) -> dict[str, Any]:
    took = {"seconds": _seconds(one.seconds)}
    if one.listing is None:
        forbidden = isinstance(one.error, ForbiddenError)
        return took | {
            "state": KindState.State.FORBIDDEN if forbidden else KindState.State.FAILED,
            "failed_at": now,
            "error_reason": one.error.reason if one.error else "",
            "error_message": str(one.error or ""),
        }
    return took | {
        "state": KindState.State.READ,
        "objects_read": len(one.listing.objects),
        "objects_skipped": len(one.listing.skipped),
        "resource_version": one.listing.resource_version,
        "succeeded_at": reading.observed_at,
        "error_reason": "",
        "error_message": "",
        "bytes_read": one.listing.bytes,
    }


def _seconds(seconds: float) -> Decimal:
    return Decimal(round(seconds * 1000)) / 1000


def _finish(cluster: Cluster, reading: Reading, changes: int) -> None:
    """What pages and API clients go by: a revision that grows only when something they show has changed."""
    cluster.server_version = reading.served.server_version
    cluster.dra_version = reading.served.dra_version
    cluster.observed_at = reading.observed_at
    cluster.error_reason = cluster.error_message = ""
    cluster.revision += bool(changes)
    cluster.save(
        update_fields=(
            "server_version",
            "dra_version",
            "observed_at",
            "error_reason",
            "error_message",
            "revision",
        )
    )
