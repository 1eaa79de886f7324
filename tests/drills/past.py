"""What is wrong with what history says of devices, Pods and claims, read in plain SQL."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

Rows = Callable[[str], list[tuple[Any, ...]]]
Span = tuple[Any, Any]

_DEVICES = """
SELECT pool.driver, pool.name, device.name
FROM inventory_device device JOIN inventory_pool pool ON pool.id = device.pool_id
WHERE device.cluster_id = {cluster} AND device.listed
"""
_DEVICE_INTERVALS = """
SELECT driver, pool, device, started_at, ended_at
FROM inventory_deviceinterval WHERE cluster_id = {cluster}
"""
_CONSUMERS = """
SELECT claim.uid, consumer.resource, consumer.uid, consumer.name
FROM inventory_consumer consumer JOIN inventory_claim claim ON claim.id = consumer.claim_id
WHERE claim.cluster_id = {cluster}
"""
_POD_INTERVALS = """
SELECT claim_uid, resource, pod_uid, pod_name, started_at, ended_at
FROM inventory_podinterval WHERE cluster_id = {cluster}
"""
_CLAIMS = "SELECT uid, state FROM inventory_claim WHERE cluster_id = {cluster}"
_EVENTS = "SELECT claim_uid, kind FROM inventory_claimevent WHERE cluster_id = {cluster} ORDER BY id"
_COVERAGE = "SELECT started_at, ended_at FROM inventory_coverage WHERE cluster_id = {cluster}"
# What may come after what; a claim that was there at first may have been in any state.
_AFTER = {
    "": {"created", "allocated", "reserved", "deallocated", "deleted"},
    "created": {"allocated", "reserved", "deallocated", "deleted"},
    "allocated": {"reserved", "deallocated"},
    "reserved": {"reserved", "deallocated"},
    "deallocated": {"allocated", "deleted"},
    "deleted": set(),
}


def past_faults(rows: Rows, *, cluster: int = 1) -> list[str]:
    """Of all but shares, whose intervals `reader.history_faults` looks at. Empty when all is well."""
    return list(_faults(rows, cluster))


def _faults(rows: Rows, cluster: int) -> Iterator[str]:
    for there, told in ((_DEVICES, _DEVICE_INTERVALS), (_CONSUMERS, _POD_INTERVALS)):
        yield from _of_intervals(
            {tuple(row) for row in rows(there.format(cluster=cluster))}, rows(told.format(cluster=cluster))
        )
    yield from faults_in_time("the cluster is read", rows(_COVERAGE.format(cluster=cluster)))
    yield from _of_events(dict(rows(_CLAIMS.format(cluster=cluster))), rows(_EVENTS.format(cluster=cluster)))


def faults_in_time(name: str, spans: Iterable[Any]) -> Iterator[str]:
    """Their instants compare as they come: as text in one form on SQLite, as datetimes on PostgreSQL."""
    ordered = sorted(spans, key=lambda each: (each[0], each[1] is None, each[1] or each[0]))
    for start, end in ordered:
        if end is not None and end < start:
            yield f"{name} ends at {end}, before it starts at {start}"
    for (start, end), (following, _) in pairwise(ordered):
        if end is None or end > following:
            yield f"{name} from {start} to {end} overlaps the one from {following}"


def _of_intervals(there: set[tuple[Any, ...]], told: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    spans: defaultdict[tuple[Any, ...], list[Span]] = defaultdict(list)
    for *key, started, ended in told:
        spans[tuple(key)].append((started, ended))
    is_open = {key for key, each in spans.items() if any(end is None for _, end in each)}
    yield from (f"{' '.join(key)} is there, but no interval is open" for key in there - is_open)
    yield from (f"{' '.join(key)} is open, but not there" for key in is_open - there)
    for named, each in spans.items():
        yield from faults_in_time(" ".join(named), each)


def _of_events(states: dict[str, str], events: Iterable[tuple[str, str]]) -> Iterator[str]:
    lives: defaultdict[str, list[str]] = defaultdict(list)
    for uid, kind in events:
        lives[uid].append(kind)
    for uid, life in lives.items():
        if any(after not in _AFTER[before] for before, after in pairwise(["", *life])):
            yield f"claim {uid} has an impossible life: {' '.join(life)}"
        if (uid in states) == (life[-1] == "deleted"):
            yield f"claim {uid} is {states.get(uid, 'gone')}, and its life ends with {life[-1]}"
        for once, count in Counter(life).items():
            if count > 1 and once in ("created", "deleted"):
                yield f"claim {uid} was {once} {count} times"
