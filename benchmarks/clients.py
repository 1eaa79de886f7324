"""What others need to list the same claims: the official Python client, and kubectl.

    python -m benchmarks.clients --devices 10000 --claims 50000

Each lists all claims from the same demo API server in a fresh process and keeps none of them, except for
kubectl, which holds what it prints. The CPU time and memory are those of the whole process, imports and all;
`wall` leaves imports out, but for kubectl.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.measuring import machine_line, summary
from benchmarks.served import kubeconfig, served
from benchmarks.surroundings import end_in_order

_KUBECTL = "kubectl get -o json"


@dataclass
class Listed:
    """One listing; `objects` is None where nobody has counted."""

    wall: float
    cpu: float
    peak_mib: float
    objects: int | None = None


def measure(devices: int, claims: int, runs: int) -> dict[str, list[Listed]]:
    found: dict[str, list[Listed]] = {}
    with tempfile.TemporaryDirectory(prefix="sliceboard-benchmark-") as name:
        folder = Path(name)
        with served(devices, claims, folder):
            for _ in range(runs):
                for who, command in _commands(folder).items():
                    found.setdefault(who, []).append(_run(command, folder))
                    print(f"{who}: {found[who][-1].wall:.2f} s", file=sys.stderr)
    return found


def _commands(folder: Path) -> dict[str, Sequence[str]]:
    python = (sys.executable, "-m", "benchmarks.clients_once", str(kubeconfig(folder)))
    commands: dict[str, Sequence[str]] = {
        "Sliceboard, streaming list": (*python, "streamed"),
        "Sliceboard, pages": (*python, "paged"),
        "official client, typed, pages": (*python, "official"),
    }
    if kubectl := shutil.which("kubectl"):
        cache = f"--cache-dir={folder / 'kubectl'}"
        what = ("get", "resourceclaims", "--all-namespaces", "--output=json")
        commands[_KUBECTL] = (kubectl, f"--kubeconfig={kubeconfig(folder)}", cache, *what)
    return commands


def _run(command: Sequence[str], folder: Path) -> Listed:
    """The kernel's own account of the process, after its end; what it prints goes to a file."""
    output = folder / "printed"
    with output.open("wb") as printed:
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=printed, env={**os.environ, "HOME": str(folder)})
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
    if status:
        raise SystemExit(f"{' '.join(command)} ended with {status}")
    told: dict[str, Any] = {}
    if command[0] == sys.executable:
        told = json.loads(output.read_text())
    output.unlink()
    return Listed(
        **{"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "peak_mib": usage.ru_maxrss / 1024, **told}
    )


def table(found: dict[str, list[Listed]]) -> Iterator[str]:
    yield "| who | claims | wall | CPU | peak memory |"
    yield "|---|---|---|---|---|"
    for who, listed in found.items():
        wall, cpu, peak = (
            summary([getattr(one, name) for one in listed]) for name in ("wall", "cpu", "peak_mib")
        )
        count = "" if listed[0].objects is None else listed[0].objects
        yield f"| {who} | {count} | {_cell(wall, 's')} | {_cell(cpu, 's')} | {_cell(peak, 'MiB')} |"
    if _KUBECTL not in found:
        yield f"| {_KUBECTL} | | not measured: there is no kubectl here | | |"


def _cell(value: dict[str, float], unit: str) -> str:
    return f"{value['median']:.4g} {unit} ({value['least']:.4g}–{value['most']:.4g})"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--devices", type=int, default=10_000)
    parser.add_argument("--claims", type=int, default=50_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    arguments = parser.parse_args()
    end_in_order()
    found = measure(arguments.devices, arguments.claims, arguments.runs)
    if arguments.json:
        print(json.dumps({who: [asdict(one) for one in listed] for who, listed in found.items()}))
        return
    print(f"{arguments.devices} devices, {arguments.claims} claims, runs: {arguments.runs}")
    print(machine_line(), end="\n\n")
    print("\n".join(table(found)))


if __name__ == "__main__":
    main()
