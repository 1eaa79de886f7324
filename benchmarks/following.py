"""What it costs to stay up to date, once everything was read."""

import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings

from benchmarks.measuring import Stopwatch, peak_mib, quantiles
from benchmarks.observed import costed, wrapped
from benchmarks.served import Control
from demo.churn import WRITTEN_AT
from inventory.kube import kinds
from inventory.models import Cluster, KindState
from inventory.sync import writing
from inventory.sync.changes import Batch
from inventory.sync.poll import poll_cluster

CHANGES = 500
_REPEATS = 3
# For the watches to open; and for all that is written to arrive.
_OPENING_SECONDS, _CHANGED_SECONDS = 2.0, 8.0
# The first of a follower's time goes into catching up with what was before it.
_SETTLE_SECONDS = 3.0


def poll(cluster: Cluster, seconds: float | None = None) -> int:
    """How many rows it changed; anything but success ends the benchmark."""
    outcome = poll_cluster(cluster.pk, seconds=seconds)
    if outcome.ended != "applied":
        cluster.refresh_from_db()
        raise SystemExit(f"the poll {outcome.ended}: {cluster.error_message}")
    return outcome.changes


def unchanged(folder: Path) -> dict[str, Any]:
    """Polls of a cluster in which nothing has happened: until up to date, for a while, and by full lists."""
    cluster = Cluster.objects.get()
    # Imports and the first connections belong to no poll.
    poll(cluster)
    watched = [_cost(cluster, None) for _ in range(_REPEATS)]
    stayed = _cost(cluster, settings.SLICEBOARD_POLL_SECONDS)
    listed = []
    for _ in range(_REPEATS):
        KindState.objects.filter(cluster=cluster).update(resource_version="")
        listed.append(_cost(cluster, None))
    return {"watched": watched, "stayed": stayed, "listed": listed, "peak_mib": peak_mib()}


def _cost(cluster: Cluster, seconds: float | None) -> dict[str, float]:
    with costed() as cost:
        poll(cluster, seconds)
    return asdict(cost)


def changed(folder: Path) -> dict[str, Any]:
    """So many changes, made at once while the cluster is followed."""
    cluster, control = Cluster.objects.get(), Control(folder)
    poll(cluster)
    found = [_changed_at_once(cluster, control) for _ in range(_REPEATS)]
    return {"polls": found, "peak_mib": peak_mib()}


def _changed_at_once(cluster: Cluster, control: Control) -> dict[str, float]:
    """`wall`: from before the first write to the commit of the last row."""
    watch, begun, commits = Stopwatch(), list[float](), list[tuple[float, int]]()

    def around(apply: Callable[..., int], lease: Any, batch: Batch, *rest: Any) -> int:
        with watch.part("apply"):
            rows = apply(lease, batch, *rest)
        if count := _events(batch):
            commits.append((time.time(), count))
        return rows

    change = threading.Timer(_OPENING_SECONDS, lambda: begun.append(control.change(CHANGES)))
    change.start()
    with costed() as cost, wrapped(writing, "apply", around):
        rows = poll(cluster, _CHANGED_SECONDS)
    change.join()
    if sum(count for _, count in commits) != CHANGES:
        raise SystemExit(f"not all of {CHANGES} changes were written within {_CHANGED_SECONDS:.0f} s")
    wall = commits[-1][0] - begun[0]
    return {**asdict(cost), "wall": wall, "rows": rows, "apply": watch.seconds["apply"]}


def latency(folder: Path, seconds: float) -> dict[str, Any]:
    """From the instant of each write to a claim, by its own stamp, to the commit of its row.

    Polls follow each other as they do in a worker, so that the time between two of them counts too.
    """
    cluster = Cluster.objects.get()
    poll(cluster)
    begun = time.time_ns() + int(_SETTLE_SECONDS * 1e9)
    late: list[float] = []
    batches: list[int] = []

    def around(apply: Callable[..., int], lease: Any, batch: Batch, *rest: Any) -> int:
        rows = apply(lease, batch, *rest)
        now = time.time_ns()
        instants = [int(stamp) for stamp in _stamps(batch)]
        late.extend((now - instant) / 1e6 for instant in instants if instant >= begun)
        batches.append(_events(batch))
        return rows

    with costed() as cost, wrapped(writing, "apply", around):
        until = time.monotonic() + _SETTLE_SECONDS + seconds
        while (left := until - time.monotonic()) > 1:
            poll(cluster, min(left, settings.SLICEBOARD_POLL_SECONDS))
    events = sum(batches)
    return {
        **asdict(cost),
        "milliseconds": quantiles(late) if late else None,
        "events": events,
        "commits": len(batches),
        "peak_mib": peak_mib(),
    }


def _events(batch: Batch) -> int:
    return sum(one.events for one in batch.changes.values())


def _stamps(batch: Batch) -> list[str]:
    changes = batch.of(kinds.RESOURCE_CLAIMS)
    if changes is None:
        return []
    labels = [one.metadata.labels or {} for chunk in changes.chunks() for one in chunk]
    return [one[WRITTEN_AT] for one in labels if WRITTEN_AT in one]
