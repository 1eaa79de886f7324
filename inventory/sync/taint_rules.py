"""DeviceTaintRules to rows, and back to the rules that the devices are written with."""

from collections.abc import Iterable, Iterator

import msgspec

from inventory.dra.taints import Rule
from inventory.kube.decoding import Skipped
from inventory.kube.objects import DeviceTaintRule
from inventory.models import Cluster, Slice, TaintRule
from inventory.sync import bulk
from inventory.sync.changes import Changes
from inventory.sync.current import current
from inventory.sync.gone import gone_by_name
from inventory.sync.reconcile import Key, Values, reconcile
from inventory.sync.touched import Touched

_FIELDS = ("uid", "resource_version", "selector", "taint")


def write(cluster: Cluster, changes: Changes[DeviceTaintRule], touched: Touched) -> list[Skipped]:
    """What of the rules cannot be evaluated. Any rule may concern any pool, so all are put together anew."""
    scope, skipped = TaintRule.objects.filter(cluster=cluster), list[Skipped]()
    written = bulk.delete(TaintRule, gone_by_name(scope, changes))
    for chunk in changes.chunks():
        rules = current(scope, chunk, changes)
        skipped += not_understood(rules)
        desired: dict[Key, Values] = {
            (cluster.pk, one.metadata.name): (
                one.metadata.uid,
                one.metadata.resource_version,
                one.spec.device_selector,
                msgspec.to_builtins(one.spec.taint),
            )
            for one in rules
        }
        rows = scope.filter(name__in=[name for _, name in desired])
        written += reconcile(TaintRule, rows, ("cluster_id", "name"), _FIELDS, desired).changes
    if written:
        pools = Slice.objects.filter(cluster=cluster).order_by().values_list("driver", "pool_name")
        touched.pools_published.update(pools.distinct())
    touched.changes += written
    return skipped


def not_understood(rules: Iterable[DeviceTaintRule]) -> Iterator[Skipped]:
    """Rules whose selector cannot be evaluated: they taint nothing here, and that is told."""
    for one in rules:
        if unknown := Rule(one.metadata.name, one.spec.device_selector, {}).unknown:
            reason = (
                f"deviceSelector: {', '.join(unknown)} cannot be evaluated; the rule's taint is not shown"
            )
            yield Skipped(
                "DeviceTaintRule",
                "",
                one.metadata.name,
                one.metadata.uid,
                reason=reason,
                part="deviceSelector",
            )


def known(cluster: Cluster) -> list[Rule]:
    """The rules as last read; a list that fails now leaves them in force."""
    rows = TaintRule.objects.filter(cluster=cluster).order_by("name")
    return [Rule(row.name, row.selector, row.taint) for row in rows]
