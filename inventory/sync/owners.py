"""The workloads that Pods belong to: a Deployment by way of a ReplicaSet, a CronJob by way of a Job.

ReplicaSets and Jobs are looked up and not followed: of those of a whole cluster few own a Pod with devices,
and the owner of one that exists does not change.
"""

import logging
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from django.db.models import Min

from inventory.kube import kinds
from inventory.kube.client import Client
from inventory.kube.discovery import Served
from inventory.kube.errors import ClusterError
from inventory.kube.kinds import Kind
from inventory.kube.listing import find_named, list_chunks
from inventory.kube.objects import Owned, OwnerReference, Pod
from inventory.models import Cluster
from inventory.models import Pod as PodRow
from inventory.sync.changes import Changes, Owners
from inventory.sync.controllers import BETWEEN, Controller
from inventory.sync.read import OF_THE_CONNECTION
from inventory.sync.touched import batches

logger = logging.getLogger(__name__)

_KINDS: Mapping[str, Kind[Owned]] = {"ReplicaSet": kinds.REPLICA_SETS, "Job": kinds.JOBS}
RESOURCES = frozenset(kind.resource for kind in _KINDS.values())
# From here on one list costs the API server less than a question for each.
_MANY = 50


class Found(NamedTuple):
    """The owners, and the kinds of them that could not be asked for."""

    owners: Owners
    failures: Mapping[str, ClusterError]


class Lookup:
    """Finds the controllers of controllers; what it has found once it does not ask for again."""

    def __init__(self, client: Client, served: Served, cluster: Cluster) -> None:
        self._client, self._served, self._cluster = client, served, cluster
        self._known: dict[str, OwnerReference | None] = {}

    def of(self, pods: Changes[Pod] | None) -> Found:
        """Raises ClusterError where the connection is gone."""
        wanted = {one.uid: one for one in (pods.controllers if pods else ())}
        # A Pod that came earlier has asked already.
        self._recall([uid for uid in wanted if uid not in self._known])
        failures: dict[str, ClusterError] = {}
        for name, kind in _KINDS.items():
            missing = {uid: one for uid, one in wanted.items() if one.kind == name and uid not in self._known}
            try:
                self._ask(kind, missing)
            except OF_THE_CONNECTION:
                raise
            except ClusterError as error:
                logger.warning(
                    "owners not read kind=%s reason=%s message=%s", kind.resource, error.reason, error
                )
                failures[kind.resource] = error
        known = {uid: self._known[uid] for uid in wanted if uid in self._known}
        return Found(Owners(known, wanted.keys() - known.keys()), failures)

    def _recall(self, uids: Iterable[str]) -> None:
        # One that stands alone may only have been out of reach then.
        rows = PodRow.objects.filter(cluster=self._cluster).exclude(workload_kind__in=BETWEEN).order_by()
        for batch in batches(uids):
            # Any one of its Pods will do, and it may have thousands.
            of_each = rows.filter(controller_uid__in=batch).values("controller_uid").annotate(one=Min("pk"))
            ids = [one for _, one in of_each.values_list("controller_uid", "one")]
            found = PodRow.objects.filter(pk__in=ids).order_by()
            for uid, kind, name in found.values_list("controller_uid", "workload_kind", "workload_name"):
                self._known[uid] = OwnerReference(kind=kind, name=name)

    def _ask(self, kind: Kind[Owned], missing: Mapping[str, Controller]) -> None:
        if len(missing) > _MANY:
            found = {
                one.metadata.uid: one.metadata.controller()
                for chunk in list_chunks(self._client, kind, self._served, streaming=False)
                for one in chunk.objects
                if one.metadata.uid in missing
            }
            self._known.update({uid: found.get(uid) for uid in missing})
            return
        for uid, controller in missing.items():
            one = find_named(self._client, kind, self._served, controller.namespace, controller.name)
            same = one is not None and one.metadata.uid == uid
            self._known[uid] = one.metadata.controller() if one is not None and same else None
