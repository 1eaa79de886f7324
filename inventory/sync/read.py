"""One reading of a cluster, before anything is written."""

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from inventory.hami.vendors import RESOURCE_NAMES
from inventory.kube import kinds
from inventory.kube.client import Client
from inventory.kube.discovery import Served, discover
from inventory.kube.errors import ClusterError, KubeconfigError, TimedOutError, TlsError, UnreachableError
from inventory.kube.kinds import Kind
from inventory.kube.listing import Listing, list_all
from inventory.kube.objects import Pod
from inventory.kube.pods import concerns_devices

logger = logging.getLogger(__name__)

# What ends the whole reading; anything else the API server says of one kind concerns that kind alone.
_OF_THE_CONNECTION = (KubeconfigError, UnreachableError, TlsError)

_OWNERS = {"ReplicaSet": kinds.REPLICA_SETS, "Job": kinds.JOBS}


@dataclass(frozen=True)
class KindReading:
    """The list of one kind, or why there is none."""

    seconds: float
    listing: Listing[Any] | None = None
    error: ClusterError | None = None


@dataclass(frozen=True)
class Reading:
    """All kinds of a cluster. `observed_at` is the instant before the first list."""

    observed_at: datetime
    served: Served
    kinds: dict[str, KindReading] = field(default_factory=dict)

    def objects(self, kind: Kind[Any]) -> list[Any] | None:
        """None: the kind could not be read."""
        reading = self.kinds.get(kind.resource)
        return None if reading is None or reading.listing is None else reading.listing.objects


def read(client: Client, clock: Callable[[], datetime]) -> Reading:
    """Read every kind. Raises ClusterError when nothing at all can be read."""
    served = discover(client)
    reading = Reading(clock(), served)
    for kind in kinds.KINDS:
        if kind in _OWNERS.values() or (kind is kinds.DEVICE_TAINT_RULES and not served.taint_rules_version):
            continue
        keep = _interesting if kind is kinds.PODS else None
        reading.kinds[kind.resource] = _read_kind(client, kind, served, keep)
        _give_up_in_time(reading)
    for kind in _owner_kinds(reading.objects(kinds.PODS) or ()):
        reading.kinds[kind.resource] = _read_kind(client, kind, served, None)
        _give_up_in_time(reading)
    return reading


def _give_up_in_time(reading: Reading) -> None:
    """Raises the error that every kind met, or a second time-out: the lease does not last for more."""
    errors = [one.error for one in reading.kinds.values() if one.error]
    timeouts = [error for error in errors if isinstance(error, TimedOutError)]
    if len(timeouts) > 1:
        raise timeouts[0]
    if len(errors) == len(kinds.KINDS) - len(_OWNERS) - (not reading.served.taint_rules_version):
        raise errors[0]


def _interesting(pod: Pod) -> bool:
    return concerns_devices(pod, RESOURCE_NAMES)


def _owner_kinds(pods: Iterable[Pod]) -> list[Kind[Any]]:
    owners = {owner.kind for pod in pods if (owner := pod.metadata.controller())}
    return [kind for name, kind in _OWNERS.items() if name in owners]


def _read_kind(
    client: Client, kind: Kind[Any], served: Served, keep: Callable[[Pod], bool] | None
) -> KindReading:
    started = time.perf_counter()
    try:
        listing = list_all(client, kind, served, keep=keep)
    except _OF_THE_CONNECTION:
        raise
    except ClusterError as error:
        logger.warning("kind not read kind=%s reason=%s message=%s", kind.resource, error.reason, error)
        return KindReading(time.perf_counter() - started, error=error)
    return KindReading(time.perf_counter() - started, listing=listing)
