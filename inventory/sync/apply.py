"""What was read, written in one transaction: a reader sees the books before or after it, never a mix."""

from collections.abc import Mapping, Set
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count

from inventory.kube import kinds
from inventory.kube.decoding import collector_at_rest
from inventory.kube.objects import DeviceTaintRule
from inventory.models import (
    Claim,
    ClaimTemplate,
    Cluster,
    DeviceClass,
    KindState,
    Namespace,
    Node,
    Pod,
    Pool,
    Quota,
    ShareInterval,
    SkippedObject,
    Slice,
    TaintRule,
)
from inventory.ownership.rulebook import Rulebook
from inventory.sync import (
    balances,
    claim_events,
    claims,
    classes,
    coverage,
    device_intervals,
    devices,
    holdings,
    intervals,
    links,
    past,
    places,
    pod_intervals,
    pods,
    progress,
    skips,
    slices,
    taint_rules,
    teams,
)
from inventory.sync.changes import Batch, Changes, Seen
from inventory.sync.lease import Lease, confirm
from inventory.sync.parts import PARTS
from inventory.sync.progress import Size
from inventory.sync.shares import Surroundings
from inventory.sync.targets import Targets
from inventory.sync.touched import Touched

_NONE: Changes[DeviceTaintRule] = Changes("", chunks=tuple, seen=Seen(frozenset(), 0, 0))
# With the first list of these, all that was unknown of every device becomes known.
_OF_THE_BOOKS = {kinds.RESOURCE_SLICES.resource, kinds.RESOURCE_CLAIMS.resource}

_COUNTED: dict[str, tuple[type[Any], dict[str, Any]]] = {
    kinds.RESOURCE_SLICES.resource: (Slice, {}),
    kinds.DEVICE_CLASSES.resource: (DeviceClass, {}),
    kinds.DEVICE_TAINT_RULES.resource: (TaintRule, {}),
    kinds.RESOURCE_CLAIM_TEMPLATES.resource: (ClaimTemplate, {}),
    kinds.RESOURCE_CLAIMS.resource: (Claim, {}),
    kinds.PODS.resource: (Pod, {}),
    kinds.NODES.resource: (Node, {"listed": True}),
    kinds.NAMESPACES.resource: (Namespace, {"listed": True}),
    kinds.RESOURCE_QUOTAS.resource: (Quota, {}),
}


def apply(lease: Lease, batch: Batch, now: datetime) -> int:
    """Write a batch; how many rows changed. Raises LeaseLost, and then nothing is written.

    Doing it twice changes nothing the second time. A kind that is not in the batch keeps its rows.
    """
    # Many rows and few cycles: the collector would look at all of them again and again.
    with collector_at_rest(), transaction.atomic():
        cluster = confirm(lease, now)
        touched, states = Touched(cluster.revision + 1), progress.load(cluster)
        known_before = progress.known(states)
        where = places.Places(cluster, touched)
        _write_objects(cluster, batch, where, touched, now, states)
        progress.write(cluster, states, batch, _sizes(cluster, batch, states, touched), now)
        coverage.extend(cluster, states, touched.past, now)
        _derive(cluster, touched, progress.known(states), known_before, now)
        if touched.claims or touched.claims_gone or touched.pods or touched.claims_of_pods or touched.moved:
            teams.follow(cluster, where.rulebook, touched, now)
            _write_history(cluster, where.rulebook, touched, now)
            intervals.retell(cluster, touched)
        # Once it is settled whose everything is.
        holdings.write(cluster, touched)
        if touched.left:
            touched.changes += places.forget(cluster)
        past.set_back(cluster, touched.past)
        whole = len(lease.numbers) == len(PARTS)
        _finish(cluster, batch, states, now, changed=bool(touched.changes) or touched.tells, whole=whole)
    return touched.changes


def _write_objects(
    cluster: Cluster,
    batch: Batch,
    where: places.Places,
    touched: Touched,
    now: datetime,
    states: dict[str, KindState],
) -> None:
    """In an order in which whatever an object names has its row before it."""
    if found := batch.of(kinds.NAMESPACES):
        places.write_namespaces(cluster, where, found, touched)
    if nodes := batch.of(kinds.NODES):
        places.write_nodes(cluster, nodes, touched)
    if quotas := batch.of(kinds.RESOURCE_QUOTAS):
        places.write_quotas(cluster, where, quotas, touched)
    if device_classes := batch.of(kinds.DEVICE_CLASSES):
        classes.write_classes(cluster, device_classes, touched)
    if templates := batch.of(kinds.RESOURCE_CLAIM_TEMPLATES):
        classes.write_templates(cluster, where, templates, touched)
    if batch.served.taint_rules_version == "" and kinds.DEVICE_TAINT_RULES.resource in states:
        _forget_taint_rules(cluster, touched, states)
    rules = batch.of(kinds.DEVICE_TAINT_RULES)
    rules_skipped = taint_rules.write(cluster, rules, touched) if rules else []
    if published := batch.of(kinds.RESOURCE_SLICES):
        slices.write(cluster, published, touched)
        if published.seen is not None:
            touched.pools_published.update(device_intervals.forgotten(cluster))
    pools_skipped = devices.write(cluster, where, touched) if touched.pools_published else {}
    if asked := batch.of(kinds.RESOURCE_CLAIMS):
        targets = Targets(cluster, where, touched)
        state = states.get(kinds.RESOURCE_CLAIMS.resource)
        before = state.succeeded_at if state else None
        new = before is None and not ShareInterval.objects.filter(cluster=cluster).exists()
        around = Surroundings(cluster, where, targets, now, before, no_history=new)
        claims.write(around, asked, touched)
    if seen := batch.of(kinds.PODS):
        pods.write(pods.Surroundings(cluster, where, batch.owners), seen, touched)
    skips.write(cluster, batch, rules_skipped, pools_skipped, touched)


def _forget_taint_rules(cluster: Cluster, touched: Touched, states: dict[str, KindState]) -> None:
    """Where they are no longer served there are none, and what was read of them before has no effect."""
    kind = kinds.DEVICE_TAINT_RULES.resource
    taint_rules.write(cluster, _NONE, touched)
    SkippedObject.objects.filter(cluster=cluster, kind=kind).delete()
    states.pop(kind).delete()


def _derive(
    cluster: Cluster, touched: Touched, known: Set[str], known_before: Set[str], now: datetime
) -> None:
    devices.sweep(cluster, touched)
    newly_known = known - known_before
    if newly_known & _OF_THE_BOOKS:
        touched.pools.update(Pool.objects.filter(cluster=cluster).values_list("pk", flat=True))
    balances.write(cluster, touched, now)
    links.link(touched)
    if kinds.PODS.resource in newly_known:
        links.mark_all_consumers(cluster, touched)
    elif kinds.PODS.resource in known:
        links.mark_consumers(cluster, touched)


def _write_history(cluster: Cluster, book: Rulebook, touched: Touched, now: datetime) -> None:
    """Of what came before it was known whose it is, and whose Pods are here."""
    slugs = {uid: book.slug_of(team) for uid, team in touched.passed_on.items()}
    claim_events.pass_on(cluster, slugs, touched)
    pod_intervals.write(cluster, book, touched, now)


def _sizes(
    cluster: Cluster, batch: Batch, states: Mapping[str, KindState], touched: Touched
) -> dict[str, Size]:
    """How many objects of each kind are known, and how many cannot be read."""
    skipped = SkippedObject.objects.filter(cluster=cluster).order_by().values_list("kind")
    unread = dict(skipped.annotate(Count("pk")))
    return {
        kind: Size(_size(cluster, changes, states.get(kind), kind, touched), unread.get(kind, 0))
        for kind, changes in batch.changes.items()
    }


def _size(
    cluster: Cluster, changes: Changes[Any], state: KindState | None, kind: str, touched: Touched
) -> int | None:
    """Of large kinds it is kept up by what came and went: counting takes the longer the more there are."""
    if (counted := _COUNTED.get(kind)) is None:
        return None
    model, which = counted
    if changes.seen is None and state is not None and state.objects_read is not None:
        if changes.nothing:
            return state.objects_read
        if model in touched.grown:
            return state.objects_read + touched.grown[model]
    return int(model._default_manager.filter(cluster=cluster, **which).count())


def _finish(
    cluster: Cluster,
    batch: Batch,
    states: Mapping[str, KindState],
    now: datetime,
    *,
    changed: bool,
    whole: bool,
) -> None:
    """What pages and API clients go by: a revision that grows only when something they show has changed."""
    cluster.server_version = batch.served.server_version
    cluster.dra_version = batch.served.dra_version
    read = [one.succeeded_at for one in states.values() if one.state == KindState.State.READ]
    cluster.observed_at = min((one for one in read if one is not None), default=cluster.observed_at)
    # While the other part of a split cluster waits after a failure, that is not over.
    if cluster.retry_at is None or cluster.retry_at <= now or whole:
        cluster.error_reason = cluster.error_message = ""
        cluster.failures, cluster.retry_at = 0, None
    cluster.revision += changed
    cluster.save(
        update_fields=(
            "server_version",
            "dra_version",
            "observed_at",
            "error_reason",
            "error_message",
            "failures",
            "retry_at",
            "revision",
        )
    )
