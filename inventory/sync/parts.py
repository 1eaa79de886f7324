"""The parts of a cluster that one worker, or several, may follow."""

from collections.abc import Iterable
from typing import Any

from inventory.kube import kinds
from inventory.kube.discovery import Served
from inventory.kube.kinds import Kind

DEVICES, PODS = "devices", "pods"
PARTS = (DEVICES, PODS)
# ReplicaSets and Jobs are looked up for Pods and not followed.
_LOOKED_UP = (kinds.REPLICA_SETS, kinds.JOBS)


def kinds_of(parts: Iterable[str], served: Served) -> list[Kind[Any]]:
    """The kinds that are followed, in the order in which they are read.

    Pods are a part of their own: in a large cluster they are most of what there is to read.
    """
    wanted = set(parts)
    return [
        kind
        for kind in kinds.KINDS
        if kind not in _LOOKED_UP
        and (PODS if kind is kinds.PODS else DEVICES) in wanted
        and not (kind is kinds.DEVICE_TAINT_RULES and not served.taint_rules_version)
    ]
