"""The history of shares: each from when it was given until it was given back.

An interval is opened and closed in the transaction that writes its share, so that none is lost with a worker,
and none is doubled when the same is read again.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models.functions import Greatest

from inventory.kube.objects import AllocationResult, ResourceClaim
from inventory.kube.quantity import Quantity
from inventory.models import Cluster, InstantSource, ShareInterval
from inventory.sync import bulk
from inventory.sync.touched import batches

_ALL = tuple(field.attname for field in ShareInterval._meta.concrete_fields)
_KEY = ("claim_uid", "request", "driver", "pool", "device", "share_id")
Key = tuple[str, ...]
Held = tuple[ResourceClaim, AllocationResult, Mapping[str, Quantity | None]]


class Start(NamedTuple):
    """When a share began, and where that is known from."""

    at: datetime
    source: str


class Opening(NamedTuple):
    """What begins: the team of each claim, by UID, and where the new intervals are added to."""

    slugs: Mapping[str, str]
    intervals: set[int]


class _Columns(NamedTuple):
    namespace: str
    claim_name: str
    team_slug: str
    dedicated: bool
    admin_access: bool
    consumed: dict[str, str | None]
    started_at: datetime
    started_source: str
    started_not_before: datetime | None
    given_at: datetime | None = None
    given_source: str = ""

    def not_before(self, at: datetime) -> "_Columns":
        """The same from then on; a claim's own timestamp stays with it, by which the share is known again."""
        if self.started_at >= at:
            return self
        if self.started_source == InstantSource.OBSERVED:
            return self._replace(started_at=at)
        return self._replace(
            started_at=at,
            started_source=InstantSource.OBSERVED,
            given_at=self.started_at,
            given_source=self.started_source,
        )

    @property
    def start(self) -> Start:
        return Start(self.given_at or self.started_at, self.given_source or self.started_source)


class _Open(NamedTuple):
    id: int
    start: Start
    consumed: Any


def write(
    cluster: Cluster,
    claims: Sequence[ResourceClaim],
    held: Sequence[Held],
    opening: Opening,
    now: datetime,
    before: datetime | None,
    *,
    nothing_yet: bool = False,
) -> list[Start]:
    """Open and close the intervals of these claims; when each held share began, in order.

    `now` is when it was learned, `before` when the claims were last known to be as the rows say.
    `nothing_yet`: the cluster has no history.
    """
    open_rows = {} if nothing_yet else _open(cluster, [claim.metadata.uid for claim in claims])
    starts: dict[Key, Start] = {}
    opened: dict[Key, _Columns] = {}
    amended: list[tuple[Any, ...]] = []
    ended: defaultdict[datetime, list[int]] = defaultdict(list)
    keys = [_key(claim, result) for claim, result, _ in held]
    for key, (claim, result, amounts) in zip(keys, held, strict=True):
        if key in starts:
            continue
        row, told, consumed = open_rows.pop(key, None), _allocated_at(claim), _consumed(amounts)
        if row is not None and not _is_another(row.start, told):
            starts[key] = row.start
            if row.consumed != consumed:
                amended.append((row.id, consumed))
            continue
        if row is not None:
            # The same device, but given anew.
            ended[min(told or now, now)].append(row.id)
        starts[key] = (
            Start(now, InstantSource.OBSERVED) if told is None else Start(told, InstantSource.ALLOCATION)
        )
        opened[key] = _columns(claim, result, consumed, starts[key], before, opening.slugs)
    ended[now] += [row.id for row in open_rows.values()]
    for at, ids in ended.items():
        _end(ids, at, before)
    bulk.update(ShareInterval, ("consumed",), amended)
    if opened and not nothing_yet:
        for key, at in _apart(cluster, {key: starts[key] for key in opened}).items():
            opened[key] = opened[key].not_before(at)
            starts[key] = opened[key].start
    opening.intervals.update(_insert(cluster, opened))
    return [starts[key] for key in keys]


def _apart(cluster: Cluster, starts: Mapping[Key, Start]) -> dict[Key, datetime]:
    """Where the same share's last interval ends, of those that start before that, whatever the clocks say.

    What was given again by its claim's own timestamp had been given back before: then the earlier end, which
    was only observed, was too late.
    """
    rows = ShareInterval.objects.filter(cluster=cluster, claim_uid__in={key[0] for key in starts})
    ended = rows.exclude(ended_at=None).order_by("ended_at", "pk")
    last = {
        tuple(key): (pk, began, end)
        for pk, began, end, *key in ended.values_list("pk", "started_at", "ended_at", *_KEY)
    }
    found: dict[Key, datetime] = {}
    for key, start in starts.items():
        pk, began, end = last.get(key, (0, start.at, start.at))
        if start.at >= end:
            continue
        if start.source == InstantSource.ALLOCATION:
            end = max(began, start.at)
            ShareInterval.objects.filter(pk=pk).update(ended_at=end)
        found[key] = end
    return found


def close(cluster: Cluster, uids: Iterable[str], now: datetime, before: datetime | None) -> None:
    """End what claims hold that are gone."""
    rows = ShareInterval.objects.filter(cluster=cluster, ended_at=None, claim_uid__in=list(uids))
    _end(list(rows.values_list("pk", flat=True)), now, before)


def pass_on(cluster: Cluster, slugs: Mapping[str, str], now: datetime, new: Set[int]) -> None:
    """What these claims hold is other teams' from now on: what was, stays theirs whose it was.

    The intervals that are `new` have no past yet, and are put right.
    """
    rows = ShareInterval.objects.filter(cluster=cluster, ended_at=None, claim_uid__in=slugs).order_by()
    told = rows.values_list("pk", "claim_uid", "team_slug")
    wrong = {pk: slugs[uid] for pk, uid, slug in told if slug != slugs[uid]}
    put_right = [(pk, slug) for pk, slug in wrong.items() if pk in new]
    bulk.update(ShareInterval, ("team_slug",), put_right)
    held = list(ShareInterval.objects.filter(pk__in=wrong.keys() - new).order_by("pk").values(*_ALL))
    _end([row["id"] for row in held], now, None)
    ids = bulk.reserve(ShareInterval, len(held))
    going_on = [
        {**row, **_going_on(row, now), "id": pk, "team_slug": slugs[row["claim_uid"]]}
        for pk, row in zip(ids, held, strict=True)
    ]
    bulk.insert(ShareInterval, _ALL, ([row[column] for column in _ALL] for row in going_on))


def _going_on(row: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    return {
        "started_at": max(row["started_at"], now),
        "started_source": InstantSource.OBSERVED.value,
        "started_not_before": None,
        "given_at": row["given_at"] or row["started_at"],
        "given_source": row["given_source"] or row["started_source"],
    }


def _open(cluster: Cluster, uids: Sequence[str]) -> dict[Key, _Open]:
    rows = ShareInterval.objects.filter(cluster=cluster, ended_at=None, claim_uid__in=uids).order_by()
    columns = ("pk", "started_at", "started_source", "given_at", "given_source", "consumed", *_KEY)
    return {
        tuple(key): _Open(pk, Start(given_at or at, given_source or source), consumed)
        for pk, at, source, given_at, given_source, consumed, *key in rows.values_list(*columns)
    }


def _key(claim: ResourceClaim, result: AllocationResult) -> Key:
    return (
        claim.metadata.uid,
        result.request,
        result.driver,
        result.pool,
        result.device,
        result.share_id or "",
    )


def _allocated_at(claim: ResourceClaim) -> datetime | None:
    allocation = claim.status.allocation if claim.status else None
    return allocation.allocation_timestamp if allocation else None


def _is_another(start: Start, told: datetime | None) -> bool:
    return start.source == InstantSource.ALLOCATION and told is not None and told != start.at


def _consumed(amounts: Mapping[str, Quantity | None]) -> dict[str, str | None]:
    return {dimension: None if amount is None else str(amount) for dimension, amount in amounts.items()}


def _columns(
    claim: ResourceClaim,
    result: AllocationResult,
    consumed: dict[str, str | None],
    start: Start,
    before: datetime | None,
    slugs: Mapping[str, str],
) -> _Columns:
    known = [moment for moment in (before, claim.metadata.creation_timestamp) if moment is not None]
    observed = start.source == InstantSource.OBSERVED
    return _Columns(
        namespace=claim.metadata.namespace,
        claim_name=claim.metadata.name,
        team_slug=slugs[claim.metadata.uid],
        dedicated=result.share_id is None,
        admin_access=bool(result.admin_access),
        consumed=consumed,
        started_at=start.at,
        started_source=start.source,
        # Clocks differ, and step back.
        started_not_before=min(max(known), start.at) if known and observed else None,
    )


def _insert(cluster: Cluster, opened: Mapping[Key, _Columns]) -> Sequence[int]:
    ids = bulk.reserve(ShareInterval, len(opened))
    rows = ((pk, cluster.pk, *key, *opened[key]) for pk, key in zip(ids, opened, strict=True))
    bulk.insert(ShareInterval, ("id", "cluster_id", *_KEY, *_Columns._fields), rows)
    return ids


def _end(ids: Sequence[int], at: datetime, before: datetime | None) -> None:
    for batch in batches(ids):
        rows = ShareInterval.objects.filter(pk__in=batch)
        # A clock may have stepped back, or the API server's may be ahead: nothing lasts less than nothing.
        rows.update(ended_at=Greatest("started_at", at), ended_not_before=min(before, at) if before else None)
