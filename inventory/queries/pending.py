"""What is known of why a claim has not been allocated."""

from collections.abc import Collection, Iterable, Sequence

import msgspec

from inventory.models import Claim, PodClaim
from inventory.queries.requests import RequestRow
from inventory.reasons import Reason


class Pending(msgspec.Struct, frozen=True):
    """`source` is who says so: `scheduler`, by a Pod's condition, or `sliceboard`, from the objects read."""

    reason: str
    message: str
    source: str


def why_pending(
    claim: Claim, uses: Sequence[PodClaim], asked: Iterable[RequestRow], classes: Collection[tuple[int, str]]
) -> Pending | None:
    """None for a claim that is not pending. `classes` are the device classes of its cluster.

    `uses` are those by Pods that may be named.
    """
    if claim.state != Claim.State.PENDING:
        return None
    return _class_missing(claim, asked, classes) or _scheduler(uses) or _waiting(claim, uses)


def _class_missing(
    claim: Claim, asked: Iterable[RequestRow], classes: Collection[tuple[int, str]]
) -> Pending | None:
    """Without any class of the cluster known, their list may not have been readable: then nothing is said."""
    known = {name for cluster, name in classes if cluster == claim.cluster_id}
    wanted = list(asked)
    missing = [row.device_class for row in wanted if row.device_class and row.device_class not in known]
    # A firstAvailable may still be met by another of its entries.
    if not known or not missing or len(missing) < len(wanted):
        return None
    names = ", ".join(sorted(set(missing)))
    return Pending("DeviceClassMissing", Reason.CLASS_MISSING.format(names=names), "sliceboard")


def _scheduler(uses: Iterable[PodClaim]) -> Pending | None:
    for use in uses:
        if use.pod.scheduling_message:
            reason = use.pod.scheduling_reason or "Unschedulable"
            return Pending(reason, use.pod.scheduling_message, "scheduler")
    return None


def _waiting(claim: Claim, uses: Iterable[PodClaim]) -> Pending:
    if not claim.pod_claims.all():
        return Pending("NoConsumer", Reason.NO_CONSUMER.value, "sliceboard")
    names = ", ".join(sorted({use.pod.name for use in uses}))
    named = Reason.PODS_NOT_SCHEDULED_NAMED.format(names=names)
    message = named if names else Reason.PODS_NOT_SCHEDULED.value
    return Pending("NotScheduledYet", message, "sliceboard")
