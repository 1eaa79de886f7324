"""How long one full poll of a large cluster takes, its parts apart, and how far that is from the floor.

    python -m benchmarks.poll --devices 10000 --claims 50000 --database sqlite
    python -m benchmarks.poll --devices 10000 --claims 50000 --database postgresql --json

Generates the cluster, serves it from the demo API server in a process of its own, and runs every measurement
in a fresh process: `first` polls into an empty database, `again` polls the unchanged cluster, `floor`
downloads the same lists, parses them bare and loads as many plain rows. One after the other, `--runs` times.
"""

import argparse
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.measuring import machine, summary

PARTS = ("whole", "read", "fetch", "decode", "apply", "reconcile", "balances", "commit")


@contextmanager
def served(devices: int, claims: int, folder: Path) -> Iterator[Path]:
    kubeconfig = folder / "kubeconfig"
    command = [sys.executable, "-m", "demo", "--scenario", "generated", "--kubeconfig-out", str(kubeconfig)]
    process = subprocess.Popen(
        [*command, "--devices", str(devices), "--claims", str(claims)], stdout=sys.stderr
    )
    try:
        while not kubeconfig.exists():
            if process.poll() is not None:
                raise SystemExit("the demo API server ended")
            time.sleep(0.1)
        yield kubeconfig
    finally:
        process.terminate()
        process.wait()


@contextmanager
def database(kind: str, folder: Path) -> Iterator[str]:
    """The URL of an empty database."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / f'{secrets.token_hex(4)}.sqlite3'}"
        return
    from tests.services.postgresql import running_postgresql

    with running_postgresql() as url:
        yield url


def run(what: str, kubeconfig: Path, environment: dict[str, str]) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.poll_once", what, "--kubeconfig", str(kubeconfig)]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def measure(arguments: argparse.Namespace) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {"floor": [], "first": [], "again": []}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sliceboard-benchmark-")))
        kubeconfig = stack.enter_context(served(arguments.devices, arguments.claims, folder))
        for number in range(arguments.runs):
            with database(arguments.database, folder) as url:
                environment = {
                    **os.environ,
                    "DATABASE_URL": url,
                    "SLICEBOARD_SECRET_KEY": secrets.token_hex(32),
                    "SLICEBOARD_STATE": str(folder),
                    "SLICEBOARD_LOG_LEVEL": "WARNING",
                }
                subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], env=environment, check=True)
                for name, what in (("first", "poll"), ("again", "poll"), ("floor", "floor")):
                    found[name].append(run(what, kubeconfig, environment))
                    print(f"run {number + 1}: {name} {found[name][-1]['wall']:.2f} s", file=sys.stderr)
    return found


def report(arguments: argparse.Namespace, found: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    floors = [sum(one["seconds"].values()) for one in found["floor"]]
    result: dict[str, Any] = {
        "devices": arguments.devices,
        "claims": arguments.claims,
        "database": arguments.database,
        "runs": arguments.runs,
        "machine": machine(),
        "objects": found["floor"][0]["objects"],
        "rows": found["floor"][0]["rows"],
        "megabytes": round(found["floor"][0]["bytes"] / 1e6, 1),
        "floor": {
            "whole": summary(floors),
            **{
                part: summary([one["seconds"][part] for one in found["floor"]])
                for part in found["floor"][0]["seconds"]
            },
        },
    }
    for name in ("first", "again"):
        ratios = [one["seconds"]["whole"] / least for one, least in zip(found[name], floors, strict=True)]
        result[name] = {
            **{part: summary([one["seconds"][part] for one in found[name]]) for part in PARTS},
            "peak_mib": summary([one["peak_mib"] for one in found[name]]),
            "rows_changed": found[name][0]["rows_changed"],
            "ratio_to_floor": summary(ratios),
        }
    return result


def table(result: dict[str, Any]) -> Iterator[str]:
    size = result["machine"]
    yield "{devices} devices, {claims} claims, {database}, runs: {runs}".format(**result)
    yield f"{size['cores']} cores ({size['cpu']}), {size['memory_gib']} GiB, Python {size['python']}"
    yield f"{result['objects']} objects, {result['megabytes']} MB of JSON, {result['rows']} rows"
    yield ""
    yield "| part | median | least | most |"
    yield "|---|---|---|---|"
    for name in ("floor", "first", "again"):
        for part, value in result[name].items():
            if not isinstance(value, dict):
                continue
            unit = {"peak_mib": "MiB", "ratio_to_floor": "×"}.get(part, "s")
            cells = " | ".join(f"{value[key]:.2f} {unit}" for key in ("median", "least", "most"))
            yield f"| {name}: {part.replace('_', ' ')} | {cells} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--devices", type=int, default=10_000)
    parser.add_argument("--claims", type=int, default=50_000)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    result = report(arguments, measure(arguments))
    print(json.dumps(result, indent=2) if arguments.json else "\n".join(table(result)))


if __name__ == "__main__":
    main()
