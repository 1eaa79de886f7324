"""What each Pod had of which device, share by share, for an export to tools that put a price on it."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from django.db.models import Q

from inventory.history.allocations import Allocation, Use, allocations
from inventory.history.axis import Axis
from inventory.history.instants import FAR, Span, micros, moment
from inventory.history.sweep import ClaimKey, Device, DeviceKey, Share, Workload
from inventory.models import ShareInterval
from inventory.models.visibility import visible
from inventory.queries.usage import figures, measured, plan, recorded
from inventory.queries.usage.filters import UsageFilter, wanted
from inventory.queries.usage.groups import Groups
from inventory.queries.usage.question import Question, whole
from inventory.queries.usage.recorded import Known
from inventory.queries.usage.rows import Period, PodUse
from inventory.snapshot import by_index
from inventory.viewer import Viewer

# Shares whose Pods are looked up together.
_AT_ONCE = 1000


class Consumer(NamedTuple):
    """`number` tells two times of one Pod apart."""

    number: int
    resource: str
    name: str
    uid: str
    workload: Workload
    node: str


class _Held(NamedTuple):
    share: Share
    claim: str
    allocated_at: datetime
    released_at: datetime | None


def pods(period: Period, filters: UsageFilter, *, viewer: Viewer) -> Iterator[PodUse]:
    """In the order in which the shares began, those of which the viewer may read the names.

    Raises ValidationError, and NoLongerKept, before the first one.
    """
    conditions = wanted(filters)
    question = Question(whole(period), Groups.of(()), conditions, conditions.clusters(), viewer)
    return _Export(question).rows()


class _Export:
    def __init__(self, question: Question) -> None:
        self._question, self._known = question, Known()
        coverage = recorded.coverage(question.clusters)
        read = measured.read(question, coverage)
        found = plan.planned(question.borders, read, question.clusters, None).intervals
        self._windows = {cluster: spans for cluster, spans in found.items() if spans}
        borders = [micros(border) for border in question.borders]
        self._axes = {cluster: Axis(spans, borders) for cluster, spans in self._windows.items()}
        self._devices: defaultdict[DeviceKey, list[Device]] = defaultdict(list)
        for device in recorded.devices(self._windows, question.of_devices(), self._known):
            self._devices[device.key].append(device)

    def rows(self) -> Iterator[PodUse]:
        narrowed = self._question.of_shares() & visible(ShareInterval, self._question.viewer)
        found = recorded.share_rows(self._windows, narrowed).order_by("started_at", "pk")
        columns = ("claim_name", "started_at", "ended_at", "given_at")
        every = found.values_list(*columns, *recorded.SHARE).iterator(_AT_ONCE)
        with by_index():
            while batch := [self._held(row) for row in islice(every, _AT_ONCE)]:
                uses = self._uses(batch)
                for held in batch:
                    yield from self._of_share(held, uses[held.share.claim])

    def _held(self, row: Sequence[Any]) -> _Held:
        claim, started_at, ended_at, given_at, *share = row
        # Another clock may say that it was given after it was seen.
        allocated_at = min(given_at or started_at, started_at)
        return _Held(recorded.share(share, self._known), claim, allocated_at, ended_at)

    def _uses(self, batch: Sequence[_Held]) -> dict[ClaimKey, list[Use[Consumer]]]:
        claims = {held.share.claim for held in batch}
        windows = {cluster: self._windows[cluster] for cluster in {claim.cluster for claim in claims}}
        of_claims = Q(cluster__in=windows.keys(), claim_uid__in={claim.uid for claim in claims})
        rows = recorded.use_rows(windows, of_claims)
        found: defaultdict[ClaimKey, list[Use[Consumer]]] = defaultdict(list)
        consumer = ("pk", "resource", "pod_name", "pod_uid", "workload_kind", "workload_name", "node")
        columns = ("cluster_id", "claim_uid", "started_at", "ended_at")
        ordered = rows.order_by("started_at", "pk").values_list(*columns, *consumer)
        for cluster, uid, start, end, *about in ordered.iterator(_AT_ONCE):
            number, resource, name, pod_uid, kind, workload, node = about
            span = Span(micros(start), FAR if end is None else micros(end))
            one = Consumer(number, resource, name, pod_uid, Workload(kind, workload), node)
            found[ClaimKey(cluster, uid)].append(Use(span, one))
        return found

    def _of_share(self, held: _Held, uses: Sequence[Use[Consumer]]) -> Iterator[PodUse]:
        axis, asked = self._axes[held.share.device.cluster], self._question.wanted
        for one in allocations(held.share, self._devices[held.share.device], uses, axis):
            workload = one.consumer.workload if one.consumer else None
            if asked.has_device(one.device) and asked.has_workload(workload):
                yield self._row(held, one)

    def _row(self, held: _Held, one: Allocation[Consumer]) -> PodUse:
        share, consumer = held.share, one.consumer
        amounts = figures.use(share.device.driver, one.sums)
        return PodUse(
            cluster=self._question.clusters[share.device.cluster],
            namespace=share.namespace,
            team=share.team or None,
            claim=held.claim,
            claim_uid=share.claim.uid,
            **_about(consumer),
            node=(consumer.node if consumer else "") or one.device.node or None,
            driver=share.device.driver,
            pool=share.device.pool,
            device=share.device.device,
            product=one.device.product or None,
            dedicated=share.dedicated,
            start=moment(one.span.start),
            end=moment(one.span.end),
            read=figures.seconds(one.time),
            part=figures.seconds(one.part),
            card_equivalents=None if amounts.card_equivalents_unknown else amounts.card_equivalents,
            amounts=amounts.amounts,
            allocated_at=held.allocated_at,
            released_at=held.released_at,
        )


def _about(consumer: Consumer | None) -> dict[str, str | None]:
    if consumer is None:
        return dict.fromkeys(("resource", "pod", "pod_uid", "workload_kind", "workload_name"))
    return {
        "resource": consumer.resource,
        "pod": consumer.name,
        "pod_uid": consumer.uid or None,
        "workload_kind": consumer.workload.kind or None,
        "workload_name": consumer.workload.name or None,
    }
