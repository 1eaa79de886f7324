"""What history says is open now, compared with the rows of what is there now."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Exists, OuterRef

from inventory.kube import kinds
from inventory.models import Claim, Cluster, KindState, PodInterval, Share, ShareInterval
from inventory.sync import device_intervals, pod_intervals, progress, teams
from inventory.sync.sheets import PoolSheet
from inventory.sync.touched import batches

_Key = tuple[str, ...]
_SHARE = ("request", "device__pool__driver", "device__pool__name", "device__name", "share_id")
_INTERVAL = ("request", "driver", "pool", "device", "share_id")


def differences(cluster: Cluster) -> Iterator[str]:
    """Shares and consumers without an open interval, and open intervals without them, in words."""
    if not _is_kept(cluster, kinds.RESOURCE_CLAIMS.resource):
        return
    book = teams.rulebook(cluster)
    for batch in batches(Claim.objects.filter(cluster=cluster).order_by("pk").values_list("pk", flat=True)):
        claims = pod_intervals.named(batch, book)
        uids = [claim.uid for claim in claims.values()]
        held, told = _held(batch), _told(cluster, uids)
        yield from (
            f"claim {uid}: it holds {sorted(held[uid])}, its open intervals say {sorted(told[uid])}"
            for uid in uids
            if held[uid] != told[uid]
        )
        yield from _of_consumers(pod_intervals.desired(cluster, claims), pod_intervals.stored(cluster, uids))
    yield from _of_nobody(cluster)


def of_devices(cluster: Cluster, derived: Sequence[PoolSheet]) -> Iterator[str]:
    """Devices that are published otherwise than their open interval says."""
    if not _is_kept(cluster, kinds.RESOURCE_SLICES.resource):
        return
    stored = device_intervals.stored(cluster, {sheet.place for sheet in derived})
    wanted = device_intervals.desired(derived)
    for key in sorted(stored.keys() | wanted.keys()):
        row, now = stored.get(key), wanted.get(key)
        if row is None or row.columns != now:
            said = "nothing" if row is None else tuple(row.columns)
            yield f"device {'/'.join(key)}: its open interval says {said}, it is {now and tuple(now)}"


def of_pools(cluster: Cluster) -> Iterator[str]:
    """Pools that are gone, with devices of which an interval is open."""
    for driver, pool in sorted(device_intervals.forgotten(cluster)):
        yield f"pool {driver}/{pool} is gone, and intervals of its devices are open"


def _is_kept(cluster: Cluster, kind: str) -> bool:
    """Rows from before there was this history get theirs when they are read anew."""
    return KindState.objects.filter(cluster=cluster, kind=kind, layout=progress.LAYOUT).exists()


def _held(claim_ids: Sequence[int]) -> defaultdict[str, set[_Key]]:
    found: defaultdict[str, set[_Key]] = defaultdict(set)
    rows = Share.objects.filter(claim__in=claim_ids).order_by()
    for uid, *key in rows.values_list("claim__uid", *_SHARE):
        found[uid].add(tuple(key))
    return found


def _told(cluster: Cluster, uids: Sequence[str]) -> defaultdict[str, set[_Key]]:
    found: defaultdict[str, set[_Key]] = defaultdict(set)
    rows = ShareInterval.objects.filter(cluster=cluster, ended_at=None, claim_uid__in=uids).order_by()
    for uid, *key in rows.values_list("claim_uid", *_INTERVAL):
        found[uid].add(tuple(key))
    return found


def _of_consumers(
    wanted: Mapping[_Key, pod_intervals.Wanted], stored: Mapping[_Key, pod_intervals.Open]
) -> Iterator[str]:
    for key in sorted(wanted.keys() | stored.keys()):
        uid, resource, _, name = key
        row, now, named = stored.get(key), wanted.get(key), f"claim {uid}, {resource} {name}"
        if row is None:
            yield f"{named}: reserved, and no interval is open"
        elif now is None:
            yield f"{named}: not reserved, and an interval is open"
        elif row.where != row.where.known_with(now.where) or row.team_slug != now.team_slug:
            yield f"{named}: its open interval says {row}, it is {now}"


def _of_nobody(cluster: Cluster) -> Iterator[str]:
    there = Exists(Claim.objects.filter(cluster=cluster, uid=OuterRef("claim_uid")))
    models: tuple[type[Any], ...] = (ShareInterval, PodInterval)
    for model in models:
        rows = model.objects.filter(cluster=cluster, ended_at=None).exclude(there).order_by("claim_uid")
        for uid in rows.values_list("claim_uid", flat=True).distinct():
            yield f"claim {uid} is gone, and its {model._meta.verbose_name} is open"
