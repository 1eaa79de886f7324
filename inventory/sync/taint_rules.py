"""DeviceTaintRules to rows, and back to the rules that the devices are written with."""

from collections.abc import Iterable

import msgspec

from inventory.dra.taints import Rule
from inventory.kube.objects import DeviceTaintRule
from inventory.models import Cluster, TaintRule
from inventory.sync.reconcile import Key, Values, reconcile
from inventory.sync.unread import Unread


def write(cluster: Cluster, rules: Iterable[DeviceTaintRule], unread: Unread) -> int:
    """How many rows changed."""
    desired: dict[Key, Values] = {
        (cluster.pk, one.metadata.name): (
            one.metadata.uid,
            one.spec.device_selector,
            msgspec.to_builtins(one.spec.taint),
        )
        for one in rules
    }
    scope, key = TaintRule.objects.filter(cluster=cluster), ("cluster_id", "name")
    fields = ("uid", "selector", "taint")
    return reconcile(
        TaintRule, scope, key, fields, desired, keep=lambda key: unread.holds(name=key[1])
    ).changes


def known(cluster: Cluster) -> list[Rule]:
    """The rules as last read; a list that fails now leaves them in force."""
    rows = TaintRule.objects.filter(cluster=cluster).order_by("name")
    return [Rule(row.name, row.selector, row.taint) for row in rows]
