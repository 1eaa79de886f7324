"""DeviceTaintRules to rows, and back to the rules that the devices are written with."""

from collections.abc import Iterable, Iterator

import msgspec

from inventory.dra.taints import Rule
from inventory.kube.decoding import Skipped
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
        TaintRule, scope, key, fields, desired, keep=lambda key: unread.holds_name(key[1])
    ).changes


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
