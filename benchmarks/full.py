"""The first poll of a cluster, into an empty database.

It ends with the commit; that nothing has happened since is what the poll waits for afterwards.
"""

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from benchmarks.following import poll
from benchmarks.measuring import Stopwatch, peak_mib
from benchmarks.observed import costed, timed, wrapped
from benchmarks.served import kubeconfig
from inventory.kube.connection import Source, connect
from inventory.models import Cluster
from inventory.sync import balances, claims, devices, links, pods, slices, writing
from inventory.sync.read import Reader

_PARTS: dict[str, tuple[Any, str]] = {
    "read": (Reader, "read"),
    "apply: slices": (slices, "write"),
    "apply: devices": (devices, "write"),
    "apply: claims": (claims, "write"),
    "apply: pods": (pods, "write"),
    "apply: balances": (balances, "write"),
    "apply: links": (links, "link"),
    "apply: commit": (BaseDatabaseWrapper, "commit"),
}


def full(folder: Path) -> dict[str, Any]:
    path = str(kubeconfig(folder))
    cluster = Cluster.objects.create(name="generated", kubeconfig=path)
    # A worker has long imported what the first connection imports.
    connect(Source(path)).close()
    watch, written = Stopwatch(), list[float]()

    def around(apply: Callable[..., int], *args: Any) -> int:
        with watch.part("apply"):
            rows = apply(*args)
        written.append(time.perf_counter())
        return rows

    with ExitStack() as stack:
        for part, (owner, name) in _PARTS.items():
            stack.enter_context(timed(watch, part, owner, name))
        stack.enter_context(wrapped(writing, "apply", around))
        began = time.perf_counter()
        with costed() as cost:
            rows = poll(cluster)
    return {
        **asdict(cost),
        "wall": written[0] - began,
        "parts": _with_the_rest(watch.seconds),
        "rows": rows,
        "peak_mib": peak_mib(),
        "database_mib": _database_bytes() / 2**20,
    }


def _database_bytes() -> int:
    sizes = {
        "postgresql": "SELECT pg_database_size(current_database())",
        "sqlite": "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    }
    with connection.cursor() as cursor:
        cursor.execute(sizes[connection.vendor])
        return int(cursor.fetchone()[0])


def _with_the_rest(parts: dict[str, float]) -> dict[str, float]:
    named = sum(seconds for part, seconds in parts.items() if part.startswith("apply: "))
    return {**parts, "apply: all else": parts["apply"] - named}
