"""What happened to claims: each event is told once, whatever is read again.

What is told follows from what was known of a claim before: its row, or its own earlier events where it has
none. So nothing is told twice, and nothing of a claim that is gone, whose UID never comes back. What was so
already when a cluster was first read has not happened then: of that only timestamps of the objects tell.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings

from inventory.kube.moments import of_allocation
from inventory.kube.objects import ResourceClaim
from inventory.models import Claim, ClaimEvent, Cluster
from inventory.sync import bulk
from inventory.sync.allocations import Target, allocated_at, only_node, results, target
from inventory.sync.coverage import longest_break
from inventory.sync.targets import Known as Device
from inventory.sync.targets import Targets
from inventory.sync.touched import Touched, batches

_Kind, _Source = ClaimEvent.Kind, ClaimEvent.Source
_MICROSECOND = timedelta(microseconds=1)
_RESERVED = (Claim.State.RESERVED.value, Claim.State.DELETED_RESERVED.value)
_ALLOCATED = (*_RESERVED, Claim.State.ALLOCATED.value, Claim.State.DELETED_ALLOCATED.value)


class Known(NamedTuple):
    """What has been told of a claim. `told_at`: its last allocation timestamp.

    `untold`: it was read before there were events.
    """

    allocated: bool = False
    told_at: datetime | None = None
    reserved: bool = False
    deleted: bool = False
    untold: bool = False

    @classmethod
    def of_row(
        cls, state: str, told_at: datetime | None, made_at: datetime | None, *, untold: bool = False
    ) -> "Known":
        told_at = of_allocation(told_at, made_at)
        return cls(state in _ALLOCATED, told_at, state in _RESERVED, untold=untold)

    @classmethod
    def of_claim(cls, claim: ResourceClaim) -> "Known":
        return cls(_is_allocated(claim), allocated_at(claim), _is_reserved(claim))

    def after(self, kind: str, at: datetime, source: str) -> "Known":
        if kind == _Kind.ALLOCATED:
            return Known(allocated=True, told_at=at if source == _Source.SERVER else None)
        if kind == _Kind.RESERVED:
            return self._replace(reserved=True)
        if kind in (_Kind.DEALLOCATED, _Kind.DELETED):
            return Known(told_at=self.told_at, deleted=kind == _Kind.DELETED)
        return self


class Named(NamedTuple):
    """A claim by what its events keep of it."""

    uid: str
    namespace: str
    name: str
    team_slug: str


class _Moment(NamedTuple):
    at: datetime
    source: str
    not_before: datetime | None = None


class _Given(NamedTuple):
    """Of an allocation: where its first device is, what it is, how long the claim had waited."""

    driver: str = ""
    product: str = ""
    node: str = ""
    waited_microseconds: int | None = None


class _Event(NamedTuple):
    named: Named
    kind: str
    moment: _Moment
    given: _Given


_NOT_GIVEN = _Given()
_COLUMNS = (
    "id",
    "cluster_id",
    "claim_uid",
    "namespace",
    "claim_name",
    "team_slug",
    "kind",
    *_Moment._fields,
    *_Given._fields,
)


class _Around(NamedTuple):
    """Which claims are allocated now and were not, devices, and when claims gave back what they held.

    That is None where it is not known when.
    """

    given: Set[str]
    devices: Mapping[Target, Device]
    given_back: Mapping[str, datetime | None]


class Journal:
    """One transaction's events. `before` is when the claims were last known to be as their rows say."""

    def __init__(
        self, cluster: Cluster, targets: Targets, touched: Touched, now: datetime, before: datetime | None
    ) -> None:
        self._cluster, self._targets, self._touched = cluster, targets, touched
        self._now, self._before = now, before
        self._followed = before is not None and now - before <= longest_break()
        # Before this transaction.
        self.nothing_yet = not ClaimEvent.objects.filter(cluster=cluster).exists()
        # Of claims that had other states since the last commit, what they come to.
        self._passed: dict[str, Known] = {}

    def recall(self, uids: Iterable[str]) -> dict[str, Known]:
        """What was told of claims that have no row; those that are gone, too."""
        found: dict[str, Known] = {}
        for batch in batches(uids) if not self.nothing_yet else ():
            rows = ClaimEvent.objects.filter(cluster=self._cluster, claim_uid__in=batch).order_by("pk")
            for uid, kind, at, source in rows.values_list("claim_uid", "kind", "at", "source"):
                found[uid] = found.get(uid, Known()).after(kind, at, source)
        return found

    def tell_passed(
        self, claims: Sequence[ResourceClaim], known: Mapping[str, Known], slugs: Mapping[str, str]
    ) -> None:
        """Of states that claims had between two commits."""
        self.tell(claims, known, slugs)
        self._passed.update((claim.metadata.uid, Known.of_claim(claim)) for claim in claims)

    def tell(
        self, claims: Sequence[ResourceClaim], known: Mapping[str, Known], slugs: Mapping[str, str]
    ) -> None:
        """What has happened since they were as they are `known`. What they hold is written already."""
        if self._passed:
            known = {**known, **self._passed}
        given = [claim for claim in claims if self._is_given(claim, known.get(claim.metadata.uid))]
        around = _Around(
            {claim.metadata.uid for claim in given},
            self._targets.look_up({target(one) for claim in given for one in results(claim)[:1]}),
            self._given_back(claim for claim in given if claim.metadata.uid in known),
        )
        events = []
        for claim in claims:
            metadata = claim.metadata
            named = Named(metadata.uid, metadata.namespace, metadata.name, slugs[metadata.uid])
            for kind, moment, what in self._of(claim, known.get(metadata.uid), around):
                events.append(_Event(named, kind, moment, what))
            self._touched.given_anew.discard(metadata.uid)
        self._write(events)

    def gone(self, claims: Iterable[tuple[Named, Known]]) -> None:
        """Claims that are no longer there; what they held they have given back."""
        moment, events = self._seen(self._now), []
        for named, known in claims:
            if self._passed.get(named.uid, known).allocated:
                events.append(_Event(named, _Kind.DEALLOCATED.value, moment, _NOT_GIVEN))
            events.append(_Event(named, _Kind.DELETED.value, moment, _NOT_GIVEN))
        self._write(events)

    def _of(
        self, claim: ResourceClaim, earlier: Known | None, around: _Around
    ) -> Iterator[tuple[str, _Moment, _Given]]:
        """What has happened to one claim, in order."""
        if (created := self._created(claim, earlier)) is not None:
            yield _Kind.CREATED.value, created, _NOT_GIVEN
        told = allocated_at(claim)
        if earlier is not None and earlier.allocated and not self._goes_on(claim, earlier):
            given_back = self._seen(min(told or self._now, self._now), claim)
            yield _Kind.DEALLOCATED.value, given_back, _NOT_GIVEN
        given = claim.metadata.uid in around.given
        if given and (moment := self._allocated(claim, told, earlier)) is not None:
            yield _Kind.ALLOCATED.value, moment, self._where(claim, earlier, around)
        if self._is_reserved_anew(claim, earlier, given=given):
            yield _Kind.RESERVED.value, self._seen(self._now, claim, told), _NOT_GIVEN

    def _is_reserved_anew(self, claim: ResourceClaim, earlier: Known | None, *, given: bool) -> bool:
        if earlier is None:
            return self._before is not None and _is_reserved(claim)
        return (given or not earlier.reserved) and not earlier.untold and _is_reserved(claim)

    def _goes_on(self, claim: ResourceClaim, earlier: Known) -> bool:
        """Whether it is the same allocation still."""
        told = allocated_at(claim)
        another = told is not None and earlier.told_at is not None and told != earlier.told_at
        return _is_allocated(claim) and not another and claim.metadata.uid not in self._touched.given_anew

    def _is_given(self, claim: ResourceClaim, earlier: Known | None) -> bool:
        if not _is_allocated(claim):
            return False
        if earlier is None:
            return True
        told = allocated_at(claim)
        if earlier.deleted and told is not None and told == earlier.told_at:
            # It is back from another past, a restored backup, and so is this.
            return False
        if earlier.untold and told is not None:
            return True
        return not earlier.allocated or not self._goes_on(claim, earlier)

    def _created(self, claim: ResourceClaim, earlier: Known | None) -> _Moment | None:
        if earlier is not None and not earlier.untold:
            return None
        at = claim.metadata.creation_timestamp
        if at is not None and at <= self._now:
            return _Moment(at, _Source.SERVER.value)
        return self._seen(self._now) if self._witnessed(earlier) else None

    def _allocated(
        self, claim: ResourceClaim, told: datetime | None, earlier: Known | None
    ) -> _Moment | None:
        """Nothing has happened after it was seen, whatever another clock says."""
        if told is None or told > self._now:
            return self._seen(self._now, claim) if self._witnessed(earlier) else None
        if self._witnessed(earlier):
            self._touched.given_at[claim.metadata.uid] = told
        return _Moment(told, _Source.SERVER.value)

    def _witnessed(self, earlier: Known | None) -> bool:
        """Whether it is known of a claim that it was not so before."""
        return self._before is not None if earlier is None else not earlier.untold

    def _seen(
        self, at: datetime, claim: ResourceClaim | None = None, told: datetime | None = None
    ) -> _Moment:
        created = claim.metadata.creation_timestamp if claim else None
        known = [moment for moment in (self._before, created, told) if moment is not None]
        return _Moment(at, _Source.OBSERVED.value, min(max(known), at) if known else None)

    def _where(self, claim: ResourceClaim, earlier: Known | None, around: _Around) -> _Given:
        waited = self._waited(claim, earlier, around.given_back)
        first = next(iter(results(claim)), None)
        if first is None:
            return _Given("", "", only_node(claim), waited)
        device = around.devices.get(target(first))
        node = (device.node if device else "") or only_node(claim)
        return _Given(first.driver, device.product if device else "", node, waited)

    def _waited(
        self, claim: ResourceClaim, earlier: Known | None, given_back: Mapping[str, datetime | None]
    ) -> int | None:
        """Since it was made, or had given back what it held before. None where not all of that was seen.

        The claim of a Pod is allocated for it alone, so that its own timestamps say all.
        """
        untold = earlier is not None and earlier.untold
        since = given_back.get(claim.metadata.uid, claim.metadata.creation_timestamp)
        if since is None or (earlier is not None and earlier.allocated and not untold):
            return None
        told = allocated_at(claim)
        if told is not None and since <= self._now < told:
            # Another clock's: it cannot have waited for longer than until it was seen.
            told = None
        if not (self._followed and not untold) and (told is None or not _is_of_a_pod(claim)):
            return None
        waited = ((told or self._now) - since) // _MICROSECOND
        return waited if waited >= 0 else None

    def _given_back(self, given: Iterable[ResourceClaim]) -> dict[str, datetime | None]:
        """When these claims last gave back what they had held.

        What was only observed, and later than the claim's own timestamp says that it was allocated again, had
        happened by then.
        """
        told = {claim.metadata.uid: allocated_at(claim) for claim in given}
        found: dict[str, datetime | None] = {}
        earlier: list[tuple[int, datetime]] = []
        columns = ("pk", "claim_uid", "kind", "at", "source", "not_before")
        for batch in batches(told):
            rows = ClaimEvent.objects.filter(cluster=self._cluster, claim_uid__in=batch).order_by("pk")
            for pk, uid, kind, at, source, not_before in rows.values_list(*columns):
                again = told[uid]
                late = again is not None and source == _Source.OBSERVED and at > again
                if again is not None and late and not_before is not None:
                    earlier.append((pk, max(again, not_before)))
                if kind == _Kind.DEALLOCATED:
                    found[uid] = None if late else at
        bulk.update(ClaimEvent, ("at",), earlier)
        return found

    def _write(self, events: Sequence[_Event]) -> None:
        # What is older would be deleted again at once.
        kept_from = self._now - timedelta(days=settings.SLICEBOARD_EVENT_DAYS)
        events = [one for one in events if one.moment.at >= kept_from]
        ids = bulk.reserve(ClaimEvent, len(events))
        rows = (
            (pk, self._cluster.pk, *one.named, one.kind, *one.moment, *one.given)
            for pk, one in zip(ids, events, strict=True)
        )
        bulk.insert(ClaimEvent, _COLUMNS, rows)
        if events and self._touched.first_event is None:
            self._touched.first_event = ids[0]


def pass_on(cluster: Cluster, slugs: Mapping[str, str], touched: Touched) -> None:
    """What has only now been told of these claims, by UID, is these teams'; what was, stays as it is."""
    if touched.first_event is None:
        return
    new = ClaimEvent.objects.filter(cluster=cluster, pk__gte=touched.first_event, claim_uid__in=slugs)
    rows = new.order_by().values_list("pk", "claim_uid", "team_slug")
    wrong = [(pk, slugs[uid]) for pk, uid, slug in rows if slug != slugs[uid]]
    bulk.update(ClaimEvent, ("team_slug",), wrong)


def _is_allocated(claim: ResourceClaim) -> bool:
    return bool(claim.status and claim.status.allocation)


def _is_reserved(claim: ResourceClaim) -> bool:
    return _is_allocated(claim) and bool(claim.status and claim.status.reserved_for)


def _is_of_a_pod(claim: ResourceClaim) -> bool:
    return any(owner.kind == "Pod" for owner in claim.metadata.owner_references or ())
