"""Generated clusters, served from a process of their own, which change when they are told to.

`served` starts that process; its `Control` may be used from any other one, by the folder it was made with.
"""

import argparse
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from random import Random
from typing import Any

from demo import generated
from demo.churn import WRITTEN_AT, Churn, run
from demo.resources import PODS, RESOURCE_CLAIMS
from demo.server import ApiServer
from demo.store import Key, Store, timestamp
from demo.story import podstatus

_SOCKET = "control"


def kubeconfig(folder: Path, number: int = 0) -> Path:
    return folder / f"cluster-{number}.kubeconfig"


class Control:
    """Tells the served clusters to change; each method returns when it is done."""

    def __init__(self, folder: Path) -> None:
        self._address = str(folder / _SOCKET)

    def change(self, count: int) -> float:
        """That many writes to the first cluster, half of them to claims; when it began, as time.time()."""
        begun: float = self._ask("change", count)
        return begun

    def churn(self, per_second: float) -> None:
        """Let every cluster live from now on, its claims stamped with the instant of each write."""
        self._ask("churn", per_second)

    def rest(self) -> float:
        """Let no cluster change any more; how many writes a second each has had."""
        rate: float = self._ask("rest", 0)
        return rate

    def requests(self) -> int:
        """How many requests all clusters have answered so far, each watch counted as one."""
        count: int = self._ask("requests", 0)
        return count

    def behind(self, versions: Sequence[str]) -> list[float]:
        """For each cluster the age of the oldest change to a claim after this version; 0 if there is none."""
        ages: list[float] = self._ask("behind", versions)
        return ages

    def _ask(self, what: str, how: Any) -> Any:
        with Client(self._address, "AF_UNIX") as connection:
            connection.send((what, how))
            return connection.recv()


@contextmanager
def served(devices: int, claims: int, folder: Path, count: int = 1) -> Iterator[Control]:
    """So many clusters of one size; their kubeconfigs are in the folder."""
    size = ["--devices", str(devices), "--claims", str(claims), "--count", str(count)]
    command = [sys.executable, "-m", "benchmarks.served", *size, "--folder", str(folder)]
    process = subprocess.Popen(command)
    try:
        while not (folder / _SOCKET).exists():
            if process.poll() is not None:
                raise SystemExit("the demo API servers ended")
            time.sleep(0.1)
        yield Control(folder)
    finally:
        process.terminate()
        process.wait()
        (folder / _SOCKET).unlink(missing_ok=True)


class _Consumers:
    """Pods that end one after the other, and give back what their claims hold."""

    def __init__(self, store: Store) -> None:
        self._store = store
        held = [one for one in store.objects(RESOURCE_CLAIMS) if "allocation" in (one.get("status") or {})]
        self._left: list[Key] = [(one["metadata"]["namespace"], one["metadata"]["name"]) for one in held]
        Random(1).shuffle(self._left)

    def end(self, count: int) -> None:
        for _ in range(count):
            if not self._left:
                raise ValueError("every claim has been given back: take more claims, or fewer runs")
            claim = self._store.find(RESOURCE_CLAIMS, *self._left.pop())
            if claim is None:
                raise LookupError("a claim is gone that nobody has deleted")
            namespace, owner = claim["metadata"]["namespace"], claim["metadata"]["ownerReferences"][0]
            if pod := self._store.find(PODS, namespace, owner["name"]):
                now = timestamp(self._store.clock())
                self._store.put({**pod, "status": podstatus.succeeded(pod, now)})
            self._store.put({**claim, "status": {}})


class _Living:
    """All stores of this process while they change by themselves."""

    def __init__(self, stores: list[Store], per_second: float) -> None:
        self._stopped = threading.Event()
        self._written = Counter[int]()
        churns = [Churn(store, number, stamp=True) for number, store in enumerate(stores)]
        self._threads = [
            threading.Thread(target=self._run, args=(number, churn, per_second))
            for number, churn in enumerate(churns)
        ]
        # A churn takes a while to look around in a large cluster before its first write.
        self._began = time.monotonic()
        for thread in self._threads:
            thread.start()

    def _run(self, number: int, churn: Churn, per_second: float) -> None:
        self._written[number] = run(churn, per_second, self._stopped)

    def end(self) -> float:
        self._stopped.set()
        for thread in self._threads:
            thread.join()
        return self._written.total() / (time.monotonic() - self._began) / len(self._threads)


class _Commands:
    """What a Control may ask for."""

    def __init__(self, servers: list[ApiServer]) -> None:
        self._servers = servers
        self._stores = stores = [one.store for one in servers]
        self._consumers = _Consumers(stores[0])
        self._living: _Living | None = None

    def obey(self, connection: Connection) -> None:
        what, how = connection.recv()
        connection.send(getattr(self, what)(how))

    def change(self, count: int) -> float:
        begun = time.time()
        self._consumers.end(count // 2)
        return begun

    def churn(self, per_second: float) -> None:
        self._living = _Living(self._stores, per_second)

    def rest(self, _: int) -> float:
        return self._living.end() if self._living else 0.0

    def requests(self, _: int) -> int:
        return sum(one.requests.count("*") for one in self._servers)

    def behind(self, versions: Sequence[str]) -> list[float]:
        now = time.time()
        return [
            max(0.0, now - _first_change(store, int(version or 0), now))
            for store, version in zip(self._stores, versions, strict=True)
        ]


def _first_change(store: Store, revision: int, now: float) -> float:
    """When the first claim was written after this revision, by its own stamp; now if none was."""
    for change in store.changes_after(revision):
        if change.resource is RESOURCE_CLAIMS and not change.deleted:
            labels = change.record.object()["metadata"].get("labels", {})
            return float(labels.get(WRITTEN_AT, now * 1e9)) / 1e9
    return now


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--devices", "--claims", "--count"):
        parser.add_argument(name, type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    arguments = parser.parse_args()
    sizes = arguments.devices, arguments.claims
    servers = [ApiServer(generated.cluster(*sizes, seed)) for seed in range(1, arguments.count + 1)]
    commands = _Commands(servers)
    with ExitStack() as stack:
        for number, server in enumerate(servers):
            stack.enter_context(server).kubeconfig(kubeconfig(arguments.folder, number))
        listener = stack.enter_context(Listener(str(arguments.folder / _SOCKET), "AF_UNIX"))
        while True:
            with listener.accept() as connection:
                commands.obey(connection)


if __name__ == "__main__":
    main()
