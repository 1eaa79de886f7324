"""What one event of a watch costs: decoded alone, and written in batches of several sizes."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from django.utils import timezone

from benchmarks.following import CHANGES, poll
from benchmarks.served import Control, kubeconfig
from inventory.kube import kinds
from inventory.kube.client import Client
from inventory.kube.connection import Source, connect
from inventory.kube.discovery import Served, discover
from inventory.kube.events import Change, EventDecoder, Events
from inventory.kube.kinds import Kind
from inventory.models import Cluster, KindState
from inventory.sync import lease
from inventory.sync.apply import apply
from inventory.sync.changes import Batch
from inventory.sync.owners import Lookup
from inventory.sync.parts import PARTS
from inventory.sync.pending import Pending

BATCHES = (1, 20, 500)
_KINDS: tuple[Kind[Any], ...] = (kinds.RESOURCE_CLAIMS, kinds.PODS)
_PASSES = 20
_LEASE_SECONDS = 600


@dataclass
class _Arrived:
    """The events of one kind after what is written, as they came."""

    kind: Kind[Any]
    lines: bytes
    since: str


def events(folder: Path) -> dict[str, Any]:
    """Microseconds of CPU time of this process per event."""
    cluster, control = Cluster.objects.get(), Control(folder)
    found: dict[str, Any] = {}
    with connect(Source(str(kubeconfig(folder)))) as client:
        served = discover(client)
        for size in BATCHES:
            poll(cluster)
            control.change(CHANGES)
            arrived = [_arrived(client, served, cluster, kind) for kind in _KINDS]
            if not found:
                found = _decoding(client, served, arrived)
            found[f"decode and write, {size} at once"] = _written(client, served, cluster, arrived, size)
    return {"microseconds": found}


def _arrived(client: Client, served: Served, cluster: Cluster, kind: Kind[Any]) -> _Arrived:
    since = KindState.objects.get(cluster=cluster, kind=kind.resource).resource_version
    params = {"watch": "1", "resourceVersion": since, "timeoutSeconds": "1"}
    with client.stream(kind.path(served), params, seconds=60) as stream:
        return _Arrived(kind, b"".join(stream.lines()), since)


def _decoding(client: Client, served: Served, arrived: list[_Arrived]) -> dict[str, float]:
    count = sum(one.lines.count(b"\n") for one in arrived) * _PASSES
    began = time.process_time()
    for one in arrived * _PASSES:
        for line in one.lines.splitlines():
            orjson.loads(line)
    bare = time.process_time() - began
    began = time.process_time()
    for one in arrived * _PASSES:
        list(_decoder(client, served, one.kind).decode(one.lines))
    typed = time.process_time() - began
    return {"orjson, bare": bare / count * 1e6, "decode": typed / count * 1e6}


def _decoder(client: Client, served: Served, kind: Kind[Any]) -> EventDecoder[Any]:
    path = kind.path(served)
    return EventDecoder(kind, kind.lift(served), client.url(path), path)


def _written(client: Client, served: Served, cluster: Cluster, arrived: list[_Arrived], size: int) -> float:
    held = lease.take(cluster.pk, PARTS, timezone.now(), _LEASE_SECONDS)
    if held is None:
        raise SystemExit("somebody else follows the cluster")
    lookup, count = Lookup(client, served, cluster), 0
    pending = {one.kind.resource: Pending[Any](one.since) for one in arrived}
    began = time.process_time()
    for resource, change in _decoded(client, served, arrived):
        pending[resource].add(Events([change], [], resource_version=change.object.metadata.resource_version))
        count += 1
        if count % size == 0:
            apply(held, _batch(served, lookup, pending), timezone.now())
    apply(held, _batch(served, lookup, pending), timezone.now())
    cpu = time.process_time() - began
    lease.release(held)
    return cpu / count * 1e6


def _decoded(client: Client, served: Served, arrived: list[_Arrived]) -> Iterator[tuple[str, Change[Any]]]:
    """Claims and Pods by turns, as they happened."""
    found = [
        [change for group in _decoder(client, served, one.kind).decode(one.lines) for change in group.changes]
        for one in arrived
    ]
    for changes in zip(*found, strict=True):
        for one, change in zip(arrived, changes, strict=True):
            yield one.kind.resource, change


def _batch(served: Served, lookup: Lookup, pending: dict[str, Pending[Any]]) -> Batch:
    changes = {resource: one.taken() for resource, one in pending.items() if one.anything}
    found = lookup.of(changes.get(kinds.PODS.resource))
    return Batch(served, changes, confirmed=dict.fromkeys(changes, timezone.now()), owners=found.owners)
