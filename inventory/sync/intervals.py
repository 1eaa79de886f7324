"""The history of shares: each from when it was given until it was given back.

An interval is opened and closed in the transaction that writes its share, so that none is lost with a worker,
and none is doubled when the same is read again.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models.functions import Greatest

from inventory.kube.moments import of_allocation
from inventory.kube.objects import AllocationResult, ResourceClaim
from inventory.kube.quantity import Quantity
from inventory.models import Cluster, InstantSource, ShareInterval
from inventory.sync import bulk
from inventory.sync.allocations import allocated_at, device_classes
from inventory.sync.touched import Touched, batches

_ALL = tuple(field.attname for field in ShareInterval._meta.concrete_fields)
_KEY = ("claim_uid", "request", "driver", "pool", "device", "share_id")
Key = tuple[str, ...]
Held = tuple[ResourceClaim, AllocationResult, Mapping[str, Quantity | None]]


class Start(NamedTuple):
    """When a share began, and where that is known from."""

    at: datetime
    source: str


class Opening(NamedTuple):
    """What new intervals are written with: the team of each claim, by UID, and what is touched."""

    slugs: Mapping[str, str]
    touched: Touched


class _Moments(NamedTuple):
    """Of an interval. `given_at` is what its claim says of it, where the interval does not begin then."""

    started_at: datetime
    started_source: str
    given_at: datetime | None
    given_source: str

    @property
    def told(self) -> datetime | None:
        """The allocation timestamp, if there was one."""
        given = self.given_at is not None
        source = self.given_source if given else self.started_source
        return (self.given_at if given else self.started_at) if source == InstantSource.ALLOCATION else None

    @property
    def start(self) -> Start:
        """When the share began: not after somebody saw it."""
        if self.given_at is not None and self.given_at <= self.started_at:
            return Start(self.given_at, self.given_source)
        return Start(self.started_at, self.started_source)

    def not_before(self, end: datetime) -> "_Moments":
        """The same from `end` on, where it would begin earlier."""
        if self.started_at >= end:
            return self
        told = self.told
        given = (None, "") if told is None else (told, InstantSource.ALLOCATION.value)
        return _Moments(end, InstantSource.OBSERVED.value, *given)


class _Columns(NamedTuple):
    namespace: str
    claim_name: str
    team_slug: str
    device_class: str
    dedicated: bool
    admin_access: bool
    consumed: dict[str, str | None]
    started_not_before: datetime | None


class _Wanted(NamedTuple):
    """`made`: when its claim was."""

    moments: _Moments
    columns: _Columns
    made: datetime | None

    @property
    def amendable(self) -> tuple[Any, ...]:
        return self.columns.consumed, self.columns.device_class


class _Open(NamedTuple):
    id: int
    moments: _Moments
    amendable: tuple[Any, ...]


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
    wanted = _wanted(held, opening.slugs, now, before)
    going_on = {
        key: open_rows[key]
        for key, one in wanted.items()
        if key in open_rows and not _is_another(open_rows[key].moments, one)
    }
    opened = {key: one for key, one in wanted.items() if key not in going_on}
    ended = {key: row for key, row in open_rows.items() if key not in going_on}
    opening.touched.given_anew.update({key[0] for key in opened} & {key[0] for key in ended})
    _amend(going_on, wanted, opening.touched)
    _end_given_back(ended, opened, opening.touched, now, before)
    if opened and not nothing_yet:
        opened = _apart(cluster, opened, opening.touched)
    _insert(cluster, opened, opening.touched)
    starts = {key: row.moments.start for key, row in going_on.items()}
    starts.update((key, one.moments.start) for key, one in opened.items())
    return [starts[_key(claim, result)] for claim, result, _ in held]


def _wanted(
    held: Sequence[Held], slugs: Mapping[str, str], now: datetime, before: datetime | None
) -> dict[Key, _Wanted]:
    """What these claims hold; two results for one device and share are one."""
    found: dict[Key, _Wanted] = {}
    classes: dict[str, dict[str, str]] = {}
    for claim, result, amounts in held:
        uid, key = claim.metadata.uid, _key(claim, result)
        if key in found:
            continue
        if uid not in classes:
            classes[uid] = dict(device_classes(claim))
        moments = _moments(claim, now)
        columns = _Columns(
            namespace=claim.metadata.namespace,
            claim_name=claim.metadata.name,
            team_slug=slugs[uid],
            device_class=classes[uid].get(result.request, ""),
            dedicated=result.share_id is None,
            admin_access=bool(result.admin_access),
            consumed=_consumed(amounts),
            started_not_before=_started_not_before(claim, moments, before),
        )
        found[key] = _Wanted(moments, columns, claim.metadata.creation_timestamp)
    return found


def _moments(claim: ResourceClaim, now: datetime) -> _Moments:
    """Nothing begins after it was seen: whoever says so has another clock, and what it says is kept."""
    told = allocated_at(claim)
    if told is None:
        return _Moments(now, InstantSource.OBSERVED.value, None, "")
    if told > now:
        return _Moments(now, InstantSource.OBSERVED.value, told, InstantSource.ALLOCATION.value)
    return _Moments(told, InstantSource.ALLOCATION.value, None, "")


def _amend(going_on: Mapping[Key, _Open], wanted: Mapping[Key, _Wanted], touched: Touched) -> None:
    """What a share consumes may be read otherwise later, with a device whose dimensions are known."""
    changed = [
        (row, after) for key, row in going_on.items() if (after := wanted[key].amendable) != row.amendable
    ]
    for row, after in changed:
        touched.tells = True
        if row.amendable[0] != after[0]:
            touched.past.changed(row.moments.started_at)
    amended = [(row.id, *after, touched.generation) for row, after in changed]
    bulk.update(ShareInterval, ("consumed", "device_class", "told_in"), amended)


def _end_given_back(
    ended: Mapping[Key, _Open],
    opened: Mapping[Key, _Wanted],
    touched: Touched,
    now: datetime,
    before: datetime | None,
) -> None:
    """What the same claim holds again, by its own timestamp, it had given back by then."""
    ids: defaultdict[datetime, list[int]] = defaultdict(list)
    for key, row in ended.items():
        again = opened[key].moments.told if key in opened else None
        ids[min(again or now, now)].append(row.id)
    for at, rows in ids.items():
        _end(rows, at, before, touched)


def _apart(cluster: Cluster, opened: Mapping[Key, _Wanted], touched: Touched) -> dict[Key, _Wanted]:
    """None of them lies in the same share's last interval, whatever the clocks say.

    What was given again by its claim's own timestamp had been given back before: then the earlier end, which
    was only observed, was too late.
    """
    rows = ShareInterval.objects.filter(cluster=cluster, claim_uid__in={key[0] for key in opened})
    ended = rows.exclude(ended_at=None).order_by("ended_at", "pk")
    last = {
        tuple(key): (pk, began, end)
        for pk, began, end, *key in ended.values_list("pk", "started_at", "ended_at", *_KEY)
    }
    moved = dict(opened)
    for key, (moments, columns, made) in opened.items():
        pk, began, end = last.get(key, (0, moments.started_at, moments.started_at))
        if moments.started_at >= end:
            continue
        if moments.started_source == InstantSource.ALLOCATION:
            end = max(began, moments.started_at)
            touched.past.changed(end)
            ShareInterval.objects.filter(pk=pk).update(ended_at=end)
        moved[key] = _Wanted(moments.not_before(end), columns, made)
    return moved


def close(
    cluster: Cluster, uids: Iterable[str], touched: Touched, now: datetime, before: datetime | None
) -> None:
    """End what claims hold that are gone."""
    rows = ShareInterval.objects.filter(cluster=cluster, ended_at=None, claim_uid__in=list(uids))
    _end(list(rows.values_list("pk", flat=True)), now, before, touched)


def pass_on(cluster: Cluster, slugs: Mapping[str, str], touched: Touched, now: datetime) -> None:
    """What these claims hold is other teams' from now on: what was, stays theirs whose it was.

    The intervals that begin in this transaction have no past yet, and are put right.
    """
    new = touched.new_intervals
    rows = ShareInterval.objects.filter(cluster=cluster, ended_at=None, claim_uid__in=slugs).order_by()
    told = rows.values_list("pk", "claim_uid", "team_slug")
    wrong = {pk: slugs[uid] for pk, uid, slug in told if slug != slugs[uid]}
    put_right = [(pk, slug) for pk, slug in wrong.items() if pk in new]
    bulk.update(ShareInterval, ("team_slug",), put_right)
    held = list(ShareInterval.objects.filter(pk__in=wrong.keys() - new).order_by("pk").values(*_ALL))
    _end([row["id"] for row in held], now, None, touched)
    ids = bulk.reserve(ShareInterval, len(held))
    made = dict.fromkeys(("began_in", "told_in"), touched.generation)
    going_on = [
        {**row, **_going_on(row, now), **made, "id": pk, "team_slug": slugs[row["claim_uid"]]}
        for pk, row in zip(ids, held, strict=True)
    ]
    bulk.insert(ShareInterval, _ALL, ([row[column] for column in _ALL] for row in going_on))


def retell(cluster: Cluster, touched: Touched) -> None:
    """What these claims hold is told of again: their state is another, or they are reserved for others."""
    for batch in batches(touched.claims_retold):
        rows = ShareInterval.objects.filter(cluster=cluster, ended_at=None, claim_uid__in=batch)
        if rows.exclude(told_in=touched.generation).update(told_in=touched.generation):
            touched.tells = True


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
    columns = ("pk", *_Moments._fields, "consumed", "device_class", *_KEY)
    return {
        tuple(key): _Open(pk, _Moments(at, source, given_at, given_source), (consumed, device_class))
        for pk, at, source, given_at, given_source, consumed, device_class, *key in rows.values_list(*columns)
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


def _is_another(before: _Moments, after: _Wanted) -> bool:
    """Whether two timestamps tell of two allocations."""
    told, again = of_allocation(before.told, after.made), after.moments.told
    return told is not None and again is not None and told != again


def _consumed(amounts: Mapping[str, Quantity | None]) -> dict[str, str | None]:
    return {dimension: None if amount is None else str(amount) for dimension, amount in amounts.items()}


def _started_not_before(claim: ResourceClaim, moments: _Moments, before: datetime | None) -> datetime | None:
    known = [moment for moment in (before, claim.metadata.creation_timestamp) if moment is not None]
    observed = moments.started_source == InstantSource.OBSERVED
    # Clocks differ, and step back.
    return min(max(known), moments.started_at) if known and observed else None


def _insert(cluster: Cluster, opened: Mapping[Key, _Wanted], touched: Touched) -> None:
    if not opened:
        return
    touched.past.changed(min(one.moments.started_at for one in opened.values()))
    touched.tells = True
    ids, generation = bulk.reserve(ShareInterval, len(opened)), touched.generation
    rows = (
        (pk, cluster.pk, *key, *one.moments, *one.columns, generation, generation)
        for pk, (key, one) in zip(ids, opened.items(), strict=True)
    )
    columns = ("id", "cluster_id", *_KEY, *_Moments._fields, *_Columns._fields, "began_in", "told_in")
    bulk.insert(ShareInterval, columns, rows)
    touched.new_intervals.update(ids)


def _end(ids: Sequence[int], at: datetime, before: datetime | None, touched: Touched) -> None:
    if ids:
        touched.past.changed(at)
        touched.tells = True
    for batch in batches(ids):
        ShareInterval.objects.filter(pk__in=batch).update(
            # A clock may have stepped back, or another be ahead: nothing lasts less than nothing.
            ended_at=Greatest("started_at", at),
            ended_not_before=min(before, at) if before else None,
            ended_in=touched.generation,
            told_in=touched.generation,
        )
