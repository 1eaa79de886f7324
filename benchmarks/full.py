"""The first poll of a cluster, into an empty database."""

from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

from benchmarks.following import poll
from benchmarks.measuring import Stopwatch, peak_mib
from benchmarks.observed import costed, timed
from benchmarks.served import kubeconfig
from inventory.kube.connection import Source, connect
from inventory.models import Cluster
from inventory.sync import balances, claims, devices, following, links, pods, slices
from inventory.sync.read import Reader

_PARTS: dict[str, tuple[Any, str]] = {
    "read": (Reader, "read"),
    "apply": (following, "apply"),
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
    watch = Stopwatch()
    with ExitStack() as stack:
        for part, (owner, name) in _PARTS.items():
            stack.enter_context(timed(watch, part, owner, name))
        with costed() as cost:
            rows = poll(cluster)
    parts = watch.seconds
    within = sum(value for part, value in parts.items() if part.startswith("apply: "))
    parts["apply: all else"] = parts["apply"] - within
    return {**asdict(cost), "parts": parts, "rows": rows, "peak_mib": peak_mib()}
