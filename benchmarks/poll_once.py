"""One measured process of the poll benchmark: a poll, or the floor.

Run by `benchmarks.poll`; prints one JSON object.
"""

import argparse
import gc
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import django
import msgspec

from benchmarks.measuring import Stopwatch, peak_mib

KINDS = ("resourceslices", "resourceclaims", "pods", "nodes", "namespaces")


@contextmanager
def timed_parts(watch: Stopwatch) -> Iterator[None]:
    """Time the product's own functions where they are called; nothing is replaced."""
    from django.db.backends.base.base import BaseDatabaseWrapper

    from inventory.kube.client import Client
    from inventory.kube.decoding import ChunkDecoder
    from inventory.sync import balances, poll

    with (
        _timed(watch, "fetch", Client, "get"),
        _timed(watch, "decode", ChunkDecoder, "decode"),
        _timed(watch, "read", poll, "read"),
        _timed(watch, "apply", poll, "apply"),
        _timed(watch, "balances", balances, "write"),
        _timed(watch, "commit", BaseDatabaseWrapper, "commit"),
    ):
        yield


@contextmanager
def _timed(watch: Stopwatch, part: str, owner: Any, name: str) -> Iterator[None]:
    original: Callable[..., Any] = getattr(owner, name)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        with watch.part(part):
            return original(*args, **kwargs)

    with mock.patch.object(owner, name, wrapped):
        yield


def poll(kubeconfig: str) -> dict[str, Any]:
    from inventory.models import Cluster
    from inventory.sync.poll import poll_cluster

    cluster, _ = Cluster.objects.get_or_create(name="generated", defaults={"kubeconfig": kubeconfig})
    watch = Stopwatch()
    with timed_parts(watch), watch.part("whole"):
        outcome = poll_cluster(cluster.pk)
    if outcome.ended != "applied":
        cluster.refresh_from_db()
        raise SystemExit(f"the poll {outcome.ended}: {cluster.error_message}")
    parts = watch.seconds
    parts["reconcile"] = parts["apply"] - parts["balances"] - parts["commit"]
    return {"seconds": parts, "peak_mib": peak_mib(), "rows_changed": outcome.changes}


def floor(kubeconfig: str) -> dict[str, Any]:
    """Download the same lists, parse them bare, and load as many plain rows as the poll has written."""
    from inventory.kube import kinds
    from inventory.kube.connection import Source, connect
    from inventory.kube.discovery import discover

    # A parse that keeps nothing needs no collector, which would only slow it down.
    gc.disable()
    watch = Stopwatch()
    objects = size = 0
    with connect(Source(kubeconfig, "", in_cluster=False)) as client:
        served = discover(client)
        for kind in kinds.KINDS:
            if kind.resource not in KINDS:
                continue
            token = ""
            while True:
                params = {"limit": "500", **({"continue": token} if token else {})}
                with watch.part("download"):
                    body = client.get(kind.path(served), params)
                with watch.part("bare_parse"):
                    parsed = msgspec.json.decode(body)
                objects, size = objects + len(parsed["items"]), size + len(body)
                token = parsed["metadata"].get("continue", "")
                if not token:
                    break
    rows = _rows_of_the_poll()
    with watch.part("bulk_load"):
        _load(rows)
    return {"seconds": watch.seconds, "peak_mib": peak_mib(), "objects": objects, "rows": rows, "bytes": size}


def _rows_of_the_poll() -> int:
    from django.apps import apps

    return sum(model._default_manager.count() for model in apps.get_app_config("inventory").get_models())


def _load(rows: int) -> None:
    from django.db import connection, transaction

    found = (
        (number, f"uid-{number:036d}", f"name-{number}", number * 7, "x" * 200) for number in range(rows)
    )
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "CREATE TEMPORARY TABLE floor (id bigint, uid text, name text, amount bigint, spec text)"
        )
        if connection.vendor == "postgresql":
            with cursor.copy("COPY floor FROM STDIN") as copy:
                for row in found:
                    copy.write_row(row)
        else:
            cursor.executemany("INSERT INTO floor VALUES (%s, %s, %s, %s, %s)", found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("poll", "floor"))
    parser.add_argument("--kubeconfig", required=True)
    arguments = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    django.setup()
    started = time.perf_counter()
    result = (poll if arguments.what == "poll" else floor)(arguments.kubeconfig)
    print(json.dumps({**result, "wall": time.perf_counter() - started}))


if __name__ == "__main__":
    main()
