"""What it costs to say why a claim is pending, beside the evaluation of its selectors alone.

    python -m benchmarks.explain --devices 10000
    python -m benchmarks.explain --devices 10000 --json

One claim that asks for more than any card has left, with a selector in its class and one of its own, both
true of every device, so that each device is evaluated twice and then compared in every dimension. Every run
begins with slices that were just read. Measured in a process that has nothing else.

    read       slices from their JSON, as they lie in the database, into devices that can be compared
    selectors  both expressions on every device for the first time, and nothing else
    explain    the whole question, from the claim to the grouped reasons
    rest       explain without selectors: pools, capacity, counters, taints, search and grouping
    again      the same question when the answers of the selectors are known
    prepared   both expressions on every device once more
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.measuring import clock, machine_line, peak_mib, summary
from demo import generated
from demo.resources import RESOURCE_CLAIMS, RESOURCE_SLICES
from inventory.dra.cel.selectors import compiled
from inventory.dra.simulator.allocated import Allocated, allocated
from inventory.dra.simulator.claims import Claim, claim
from inventory.dra.simulator.explanation import Explanation, Verdict, explain
from inventory.dra.simulator.node_pools import Slices, published
from inventory.dra.simulator.nodes import Node
from inventory.dra.simulator.rules import Rules
from inventory.dra.simulator.selection import Matches
from inventory.dra.simulator.simulate import Cluster
from inventory.kube.objects import AllocationResult, ResourceClaim, ResourceSlice

_DRIVER = "hami-core-gpu.project-hami.io"
OF_CLASS = f'device.driver == "{_DRIVER}"'
OF_CLAIM = f'device.attributes["{_DRIVER}"].type == "hami-gpu"'
_CLAIMS_OF_A_DEVICE = 5
_SLICES, _RESULTS = "slices.jsonl", "results.json"
_PARTS = ("read", "selectors", "explain", "rest", "again", "prepared")


class Measured:
    """One cluster, and a question about it that has to look at everything."""

    def __init__(self, folder: Path) -> None:
        self._bodies = (folder / _SLICES).read_bytes().splitlines()
        results = msgspec.json.decode((folder / _RESULTS).read_bytes(), type=list[AllocationResult])
        self._allocated: Allocated = allocated(results)
        capacity = {"requests": {"memory": "1Ti", "cores": "1"}}
        selectors = [{"cel": {"expression": OF_CLAIM}}]
        exactly = {"deviceClassName": "gpu", "selectors": selectors, "capacity": capacity}
        spec = {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}}
        self._claim: Claim = claim("team", "waiting", spec)
        self.slices = self.read()

    def read(self) -> Slices:
        decoder = msgspec.json.Decoder(ResourceSlice)
        return Slices(published(decoder.decode(body)) for body in self._bodies)

    def cluster(self) -> Cluster:
        nodes = {name: Node(name, {}) for name in self.slices.node_names}
        return Cluster(self.slices, self._allocated, {"gpu": (OF_CLASS,)}, nodes, Rules(), Matches())

    def explain(self, cluster: Cluster) -> Explanation:
        return explain(cluster, [self._claim])

    def selectors(self) -> int:
        """How many devices both of them want."""
        first, second = compiled(OF_CLASS), compiled(OF_CLAIM)
        wanted = 0
        for one in self.slices.candidates:
            subject = one.subject
            wanted += first.matches(subject) and second.matches(subject)
        return wanted


def once(folder: Path, runs: int) -> dict[str, Any]:
    found = Measured(folder)
    devices = sum(1 for _ in found.slices.candidates)
    seconds: dict[str, list[float]] = {name: [] for name in _PARTS}
    for _ in range(runs):
        for name, value in _timed(found, devices).items():
            seconds[name].append(value)
    return {"seconds": seconds, "peak_mib": peak_mib()}


def _timed(found: Measured, devices: int) -> dict[str, float]:
    read, found.slices = clock(found.read)
    selectors, wanted = clock(found.selectors)
    prepared, _ = clock(found.selectors)
    # Anew, so that the question does not profit from what was prepared.
    found.slices = found.read()
    cluster = found.cluster()
    whole, told = clock(lambda: found.explain(cluster))
    again, same = clock(lambda: found.explain(cluster))
    groups = told.requests[0].groups
    if told.verdict is not Verdict.NO_ROOM or wanted != devices or told != same:
        raise SystemExit(f"not the question that was meant: {told.verdict}, {wanted} devices")
    if sum(group.devices for group in groups) != devices:
        raise SystemExit(f"some of the {devices} devices are in no group")
    rest = whole - selectors
    return dict(zip(_PARTS, (read, selectors, whole, rest, again, prepared), strict=True))


def _generate(devices: int, folder: Path) -> None:
    store = generated.cluster(devices, devices * _CLAIMS_OF_A_DEVICE, managed_fields=False)
    (folder / _SLICES).write_bytes(b"\n".join(map(msgspec.json.encode, store.objects(RESOURCE_SLICES))))
    claims = msgspec.convert(store.objects(RESOURCE_CLAIMS), list[ResourceClaim])
    held = [one.status.allocation for one in claims if one.status and one.status.allocation]
    results = [result for allocation in held for result in allocation.results()]
    (folder / _RESULTS).write_bytes(msgspec.json.encode(results))


def rows(seconds: dict[str, list[float]]) -> Iterator[str]:
    yield "| part | median | least | most |"
    yield "|---|---|---|---|"
    for name, values in seconds.items():
        one = summary(values)
        yield f"| {name} | {one['median']:.4g} s | {one['least']:.4g} s | {one['most']:.4g} s |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--devices", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print the ratios as one line")
    parser.add_argument("--once", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.once is not None:
        print(json.dumps(once(arguments.once, arguments.runs)))
        return
    with tempfile.TemporaryDirectory(prefix="sliceboard-benchmark-") as name:
        _generate(arguments.devices, Path(name))
        again = [sys.executable, "-m", "benchmarks.explain", "--runs", str(arguments.runs), "--once", name]
        done = subprocess.run(again, check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(done.stdout)
    medians = {part: summary(values)["median"] for part, values in found["seconds"].items()}
    ratios = {
        "rest to selectors": medians["rest"] / medians["selectors"],
        "again to prepared selectors": medians["again"] / medians["prepared"],
        "peak MiB": found["peak_mib"],
    }
    if arguments.json:
        print(json.dumps({part: round(value, 4) for part, value in ratios.items()}))
        return
    print(f"{machine_line()}, {arguments.devices} devices, runs: {arguments.runs}")
    print("", *rows(found["seconds"]), "", sep="\n")
    for part, value in ratios.items():
        print(f"{part}: {value:.4g}")


if __name__ == "__main__":
    main()
