"""An independent reader: every difference between what an API server holds and what the database says.

It shares no code with what it checks: it reads JSON and plain SQL, and does its own sums. `history_faults`
says what is wrong with the intervals in which shares were held, `untold` which shares none of them tells of.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from demo.store import Change, Store
from tests.drills.amounts import of_row
from tests.drills.expected import Expected, Key, Table, Values
from tests.drills.objects import device_of, results_of, uid_of
from tests.drills.past import faults_in_time
from tests.drills.served import Served

Rows = Callable[[str], list[tuple[Any, ...]]]
_NAMED_AT_MOST = 20

_CLAIMS = """
SELECT claim.uid, namespace.name, claim.name, claim.state, claim.resource_version
FROM inventory_claim claim JOIN inventory_namespace namespace ON namespace.id = claim.namespace_id
WHERE claim.cluster_id = {cluster}
"""
_SHARES = """
SELECT claim.uid, share.position, pool.driver, pool.name, device.name, share.request, share.share_id,
       share.dedicated, share.admin_access
FROM inventory_share share JOIN inventory_claim claim ON claim.id = share.claim_id
JOIN inventory_device device ON device.id = share.device_id
JOIN inventory_pool pool ON pool.id = device.pool_id
WHERE share.cluster_id = {cluster}
"""
_CONSUMED = """
SELECT claim.uid, share.position, consumed.dimension, consumed.amount, consumed.exponent
FROM inventory_consumedcapacity consumed JOIN inventory_share share ON share.id = consumed.share_id
JOIN inventory_claim claim ON claim.id = share.claim_id WHERE share.cluster_id = {cluster}
"""
_CONSUMERS = """
SELECT claim.uid, consumer.position, consumer.api_group, consumer.resource, consumer.name, consumer.uid,
       consumer.gone
FROM inventory_consumer consumer JOIN inventory_claim claim ON claim.id = consumer.claim_id
WHERE claim.cluster_id = {cluster}
"""
_PODS = """
SELECT pod.uid, namespace.name, pod.name, pod.phase, coalesce(node.name, '')
FROM inventory_pod pod JOIN inventory_namespace namespace ON namespace.id = pod.namespace_id
LEFT JOIN inventory_node node ON node.id = pod.node_id WHERE pod.cluster_id = {cluster}
"""
_POD_CLAIMS = """
SELECT pod.uid, used.name, used.claim_name, coalesce(claim.uid, ''), used.reserved
FROM inventory_podclaim used JOIN inventory_pod pod ON pod.id = used.pod_id
LEFT JOIN inventory_claim claim ON claim.id = used.claim_id WHERE pod.cluster_id = {cluster}
"""
_POOLS = """
SELECT driver, name, generation, slices_seen, state FROM inventory_pool WHERE cluster_id = {cluster}
"""
_DEVICES = """
SELECT pool.driver, pool.name, device.name, device.listed, device.published, device.shares
FROM inventory_device device JOIN inventory_pool pool ON pool.id = device.pool_id
WHERE device.cluster_id = {cluster}
"""
_BALANCES = """
SELECT pool.driver, pool.name, device.name, balance.dimension, balance.exponent, balance.total,
       balance.allocated, balance.remaining
FROM inventory_balance balance JOIN inventory_device device ON device.id = balance.device_id
JOIN inventory_pool pool ON pool.id = device.pool_id WHERE balance.cluster_id = {cluster}
"""
_NODES = "SELECT name, uid, unschedulable FROM inventory_node WHERE cluster_id = {cluster} AND listed"
_NAMESPACES = "SELECT name, uid, labels FROM inventory_namespace WHERE cluster_id = {cluster} AND listed"
_CLASSES = "SELECT name, uid FROM inventory_deviceclass WHERE cluster_id = {cluster}"
_QUOTAS = """
SELECT quota.uid, namespace.name, quota.name, quota.hard, quota.used
FROM inventory_quota quota JOIN inventory_namespace namespace ON namespace.id = quota.namespace_id
WHERE quota.cluster_id = {cluster}
"""
_KINDS = "SELECT kind, state, resource_version FROM inventory_kindstate WHERE cluster_id = {cluster}"
_HELD = """
SELECT claim.uid, share.request, pool.driver, pool.name, device.name, share.share_id
FROM inventory_share share JOIN inventory_claim claim ON claim.id = share.claim_id
JOIN inventory_device device ON device.id = share.device_id
JOIN inventory_pool pool ON pool.id = device.pool_id
WHERE share.cluster_id = {cluster}
"""
_INTERVALS = """
SELECT claim_uid, request, driver, pool, device, share_id, started_at, ended_at
FROM inventory_shareinterval WHERE cluster_id = {cluster}
"""


def differences(held: Store | Served, rows: Rows, *, cluster: int = 1) -> list[str]:
    """Empty when all is well."""
    served = Served.of_store(held) if isinstance(held, Store) else held
    found = _Tables(rows, cluster)
    compared = [
        line
        for name, expected in Expected(served).tables().items()
        for line in _compared(name, expected, found.tables[name]())
    ]
    return [*compared, *found.unreached(served.revision)]


def history_faults(rows: Rows, *, cluster: int = 1) -> list[str]:
    """What is wrong with the intervals in which shares were, or are, held. Empty when all is well."""
    intervals = _intervals(rows, cluster)
    is_open = {key: sum(end is None for _, end in each) for key, each in intervals.items()}
    held = {tuple(row) for row in rows(_HELD.format(cluster=cluster))}
    return [
        *(f"{_named(key)} is open {count} times" for key, count in is_open.items() if count > 1),
        *(f"{_named(key)} is held, but no interval is open" for key in held if not is_open.get(key)),
        *(
            f"{_named(key)} is open, but held by nobody"
            for key in is_open
            if is_open[key] and key not in held
        ),
        *(fault for key, each in intervals.items() for fault in _faults_in_time(key, each)),
    ]


def untold(changes: Iterable[Change], rows: Rows, *, cluster: int = 1) -> list[str]:
    """The shares that were given in these changes, and of which no interval tells."""
    told = _intervals(rows, cluster).keys()
    given = {
        (uid_of(claim), result["request"], *device_of(result), result.get("shareID") or "")
        for change in changes
        if change.resource.plural == "resourceclaims"
        for claim in [json.loads(change.record.body)]
        for result in results_of(claim)
    }
    return [f"no interval tells of {_named(key)}" for key in sorted(given - told)]


def _intervals(rows: Rows, cluster: int) -> dict[Key, list[tuple[Any, Any]]]:
    """Start and end of each; the end is None while the share is held."""
    found: defaultdict[Key, list[tuple[Any, Any]]] = defaultdict(list)
    for *key, started, ended in rows(_INTERVALS.format(cluster=cluster)):
        found[tuple(key)].append((started, ended))
    return found


def _faults_in_time(key: Key, intervals: list[tuple[Any, Any]]) -> Iterator[str]:
    if key[-1] and len(intervals) > 1:
        yield f"{_named(key)} has {len(intervals)} intervals, but a share ID is given once"
    yield from faults_in_time(_named(key), intervals)


class _Tables:
    """The rows of one cluster, in the shape of what is expected."""

    def __init__(self, rows: Rows, cluster: int) -> None:
        self._rows = rows
        self._cluster = cluster
        self.tables: dict[str, Callable[[], list[tuple[Key, Values]]]] = {
            "claim": lambda: self._read(_CLAIMS, 1, _as_they_are),
            "share": lambda: self._read(_SHARES, 2, lambda row: (*row[:-2], bool(row[-2]), bool(row[-1]))),
            "consumed capacity": lambda: self._read(_CONSUMED, 3, lambda row: (of_row(*row),)),
            "consumer": lambda: self._read(_CONSUMERS, 2, lambda row: (*row[:-1], _truth(row[-1]))),
            "Pod": lambda: self._read(_PODS, 1, _as_they_are),
            "claim of Pod": lambda: self._read(_POD_CLAIMS, 3, lambda row: (row[0], bool(row[1]))),
            "pool": lambda: self._read(_POOLS, 2, lambda row: (*row[:2], row[2] == "complete")),
            "device": lambda: self._read(_DEVICES, 3, lambda row: (bool(row[0]), bool(row[1]), row[2])),
            "balance": lambda: self._read(
                _BALANCES, 4, lambda row: tuple(of_row(number, row[0]) for number in row[1:])
            ),
            "node": lambda: self._read(_NODES, 1, lambda row: (row[0], bool(row[1]))),
            "namespace": lambda: self._read(_NAMESPACES, 1, lambda row: (row[0], _decoded(row[1]))),
            "device class": lambda: self._read(_CLASSES, 1, _as_they_are),
            "quota": lambda: self._read(
                _QUOTAS, 1, lambda row: (*row[:2], _decoded(row[2]), _decoded(row[3]))
            ),
        }

    def unreached(self, revision: int) -> Iterator[str]:
        """Kinds that say to be read up to where the API server has never been."""
        for kind, state, version in self._rows(_KINDS.format(cluster=self._cluster)):
            # An empty one says that the kind is to be read in full.
            if state == "read" and version and not (version.isdecimal() and int(version) <= revision):
                yield f"kind {kind} is read up to {version!r}, but the API server is at {revision}"

    def _read(self, sql: str, width: int, shape: Callable[[Values], Values]) -> list[tuple[Key, Values]]:
        rows = self._rows(sql.format(cluster=self._cluster))
        return [(tuple(row[:width]), shape(tuple(row[width:]))) for row in rows]


def _compared(name: str, expected: Table, found: list[tuple[Key, Values]]) -> Iterator[str]:
    rows = dict(found)
    faults = [
        *(
            f"{_named(key)} has {count} rows"
            for key, count in Counter(key for key, _ in found).items()
            if count > 1
        ),
        *(f"{_named(key)} is missing" for key in expected.keys() - rows.keys()),
        *(f"{_named(key)} is nowhere in the cluster" for key in rows.keys() - expected.keys()),
        *(
            f"{_named(key)} is {_named(rows[key])}, not {_named(values)}"
            for key, values in expected.items()
            if key in rows and rows[key] != values
        ),
    ]
    yield from (f"{name} {fault}" for fault in sorted(faults)[:_NAMED_AT_MOST])
    if len(faults) > _NAMED_AT_MOST:
        yield f"{name}: {len(faults) - _NAMED_AT_MOST} more differences"


def _as_they_are(row: Values) -> Values:
    return row


def _truth(value: Any) -> bool | None:
    return None if value is None else bool(value)


def _decoded(value: Any) -> Any:
    """JSON is text to SQLite and to Django's cursors, and decoded by psycopg's own."""
    return json.loads(value) if isinstance(value, str) else value


def _named(values: Iterable[Any]) -> str:
    return "/".join(str(value) for value in values)
