"""What could not be read, told until it can be."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from inventory.kube import kinds
from inventory.kube.decoding import Skipped
from inventory.models import Cluster, SkippedObject
from inventory.sync.changes import Batch, Changes
from inventory.sync.reconcile import Key, Values, reconcile
from inventory.sync.touched import Touched, batches

_KEY = ("cluster_id", "kind", "namespace", "name", "uid", "part", "reason", "pool")
_RESOURCES = {kind.kind: kind.resource for kind in kinds.KINDS}


def write(
    cluster: Cluster,
    batch: Batch,
    rules: Iterable[Skipped],
    pools: Mapping[str, Sequence[Skipped]],
    touched: Touched,
) -> None:
    """Replace what was told of the objects that were read now.

    `rules` are taint rules that cannot be evaluated; `pools` has what was found in putting pools together.
    """
    beside = {kinds.DEVICE_TAINT_RULES.resource: list(rules)}
    of_cluster = SkippedObject.objects.filter(cluster=cluster).order_by()
    told = set(of_cluster.values_list("kind", flat=True).distinct())
    for kind, changes in batch.changes.items():
        skipped = [*changes.skipped, *beside.get(kind, ())]
        if not skipped and kind not in told:
            continue
        scope: QuerySet[Any] = SkippedObject.objects.filter(cluster=cluster, kind=kind, pool="")
        if changes.seen is None:
            scope = _of_these(scope, changes, skipped)
        _write(cluster, scope, [(one, "") for one in skipped], touched)
    if not any(pools.values()) and kinds.RESOURCE_SLICES.resource not in told:
        return
    for names in batches(sorted(pools)):
        scope = SkippedObject.objects.filter(cluster=cluster, pool__in=names)
        _write(cluster, scope, [(one, name) for name in names for one in pools[name]], touched)


def _of_these(
    scope: QuerySet[SkippedObject], changes: Changes[Any], skipped: Iterable[Skipped]
) -> QuerySet[SkippedObject]:
    """Rows of the objects that these events are about."""
    told = list(scope.values_list("pk", "uid", "namespace", "name"))
    if not told:
        return scope.none()
    metadata = [one.metadata for chunk in changes.chunks() for one in chunk]
    uids = {*changes.gone, *(one.uid for one in metadata), *(one.uid for one in skipped if one.uid)}
    names = {(one.namespace, one.name) for one in [*metadata, *skipped]}
    return scope.filter(pk__in=[pk for pk, uid, *place in told if uid in uids or tuple(place) in names])


def _write(
    cluster: Cluster,
    scope: QuerySet[SkippedObject],
    found: Iterable[tuple[Skipped, str]],
    touched: Touched,
) -> None:
    desired: dict[Key, Values] = {
        (
            cluster.pk,
            _RESOURCES[one.kind],
            one.namespace,
            one.name,
            one.uid,
            one.part,
            one.reason,
            pool,
        ): ()
        for one, pool in found
    }
    touched.changes += reconcile(SkippedObject, scope, _KEY, (), desired).changes
