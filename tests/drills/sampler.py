"""A reader that looks at the books all the time, and prints whatever does not fit together.

Each look is one snapshot, as a page or an API client has it: half a poll would show in it.
"""

import os
import signal
import sqlite3
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from fractions import Fraction
from types import FrameType
from typing import Any

import psycopg

from tests.drills.amounts import of_row
from tests.drills.reader import Rows, history_faults

_PAUSE = 0.02
_CONSUMED = """
SELECT share.device_id, consumed.dimension, consumed.amount, consumed.exponent
FROM inventory_consumedcapacity consumed JOIN inventory_share share ON share.id = consumed.share_id
WHERE NOT share.admin_access AND NOT share.dedicated
"""
_DEDICATED = "SELECT device_id FROM inventory_share WHERE dedicated AND NOT admin_access"
_BALANCES = (
    "SELECT device_id, dimension, allocated, exponent FROM inventory_balance WHERE device_id IS NOT NULL"
)
_DEVICES = """
SELECT device.id, device.shares, count(share.id) FROM inventory_device device
LEFT JOIN inventory_share share ON share.device_id = device.id AND NOT share.admin_access
GROUP BY device.id, device.shares
"""
_CLAIMS = """
SELECT claim.uid, claim.state, count(share.id) FROM inventory_claim claim
LEFT JOIN inventory_share share ON share.claim_id = claim.id GROUP BY claim.uid, claim.state
"""
_REVISION = "SELECT revision FROM inventory_cluster WHERE id = 1"
_CURSORS = "SELECT kind, resource_version FROM inventory_kindstate WHERE cluster_id = 1"


def main(url: str) -> None:
    signal.signal(signal.SIGTERM, _end)
    print("looking", flush=True)  # noqa: T201
    last: dict[str, int] = {}
    while True:
        for fault in _look(url, last):
            print(f"FAULT {fault}", flush=True)  # noqa: T201
        time.sleep(_PAUSE)


def _end(signum: int, frame: FrameType | None) -> None:
    # In the middle of a look too: nothing is written, and all faults are told.
    os._exit(0)


def _look(url: str, last: dict[str, int]) -> Iterator[str]:
    if url.startswith("postgresql"):
        with psycopg.connect(url) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            yield from _faults(lambda sql: connection.execute(sql).fetchall(), last)
        return
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), timeout=30, isolation_level=None)) as file:
        file.execute("BEGIN")
        yield from _faults(lambda sql: file.execute(sql).fetchall(), last)


def _faults(rows: Callable[[str], list[tuple[Any, ...]]], last: dict[str, int]) -> Iterator[str]:
    yield from _unbalanced(rows)
    for device, told, found in rows(_DEVICES):
        if told != found:
            yield f"device {device} tells of {told} shares and has {found}"
    for uid, state, shares in rows(_CLAIMS):
        if ("allocated" in state) != bool(shares):
            yield f"claim {uid} is {state!r} with {shares} shares"
    yield from history_faults(rows)
    yield from _gone_back(rows, last)


def _unbalanced(rows: Rows) -> Iterator[str]:
    consumed: defaultdict[tuple[int, str], Fraction] = defaultdict(Fraction)
    for device, dimension, number, exponent in rows(_CONSUMED):
        consumed[device, dimension] += of_row(number, exponent) or 0
    dedicated = {device for (device,) in rows(_DEDICATED)}
    for device, dimension, number, exponent in rows(_BALANCES):
        allocated = of_row(number, exponent)
        if device not in dedicated and allocated is not None and allocated != consumed[device, dimension]:
            yield f"{dimension} of device {device}: {allocated} is stored, {consumed[device, dimension]} held"


def _gone_back(rows: Rows, last: dict[str, int]) -> Iterator[str]:
    """What only ever grows, but for a cursor that was given up."""
    seen = {"revision": rows(_REVISION)[0][0]}
    seen |= {kind: int(version) for kind, version in rows(_CURSORS) if version}
    for name, value in seen.items():
        if value < last.get(name, value):
            yield f"{name} went from {last[name]} back to {value}"
    last.update(seen)


if __name__ == "__main__":
    main(sys.argv[1])
