"""What it costs to read a large cluster and to follow it, beside the least that it could cost.

    python -m benchmarks.poll --devices 10000 --claims 50000 --database sqlite
    python -m benchmarks.poll --devices 10000 --claims 50000 --database postgresql --json

Generates the cluster, serves it from a process of its own, and measures each of these in a fresh process,
`--runs` times from an empty database on:

    full       the first poll
    floor      its lists downloaded and parsed by orjson, its very rows loaded into tables without an index
    unchanged  polls in which nothing has happened, by watches and by full lists
    changed    500 changes at once, from before the first to the commit of the last row
    events     the CPU time of one event, decoded alone, and written in batches
    latency    at several rates of writes, from a write to the commit of its row; in the last run
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measuring import machine_line, summary
from benchmarks.served import Control, served
from benchmarks.surroundings import DATABASES, end_in_order, migrated, once

STEPS = ("full", "floor", "unchanged", "changed", "events")
_RATES = (1, 50, 200, 500)
_STATED_RATE = 200
Found = Mapping[str, list[dict[str, Any]]]


def measure(
    devices: int,
    claims: int,
    database: str,
    runs: int,
    steps: Sequence[str] = STEPS,
    rates: Sequence[float] = (),
    seconds: float = 0,
) -> dict[str, list[dict[str, Any]]]:
    """What each step has told, run by run; `latency`, rate by rate, comes from the last run."""
    found: dict[str, list[dict[str, Any]]] = {step: [] for step in (*steps, "latency")}
    for number in range(1, runs + 1):
        with (
            tempfile.TemporaryDirectory(prefix="sliceboard-benchmark-") as name,
            served(devices, claims, Path(name)) as control,
            migrated(database, Path(name)) as environment,
        ):
            folder = Path(name)
            for step in steps:
                found[step].append(once(step, folder, environment))
                print(f"run {number}: {step}", file=sys.stderr)
            if number == runs:
                found["latency"] += _latencies(control, folder, environment, rates, seconds)
    return found


def _latencies(
    control: Control, folder: Path, environment: Mapping[str, str], rates: Sequence[float], seconds: float
) -> Iterator[dict[str, Any]]:
    for rate in rates:
        control.churn(rate)
        told = once("latency", folder, environment, seconds)
        yield {"asked": rate, "written": control.rest(), **told}
        print(f"latency at {rate} writes a second", file=sys.stderr)


def ratios(found: Found) -> dict[str, Any]:
    """What the targets are about."""
    result = {
        "full_sync_to_floor": _medians(a["wall"] / b for a, b in _with_floors(found)),
        "full_sync_peak_mib": max(one["peak_mib"] for one in found["full"]),
        "following_peak_mib": max(one["peak_mib"] for one in (*found["changed"], *found["latency"])),
        **{f"unchanged_{name}_{of}": value for name, of, value in _unchanged(found)},
    }
    polls = [one for run in found["changed"] for one in run["polls"]]
    result["changes_500_seconds"] = summary([one["wall"] for one in polls])["median"]
    result["changes_500_rows_per_second"] = summary([one["rows"] / one["wall"] for one in polls])["median"]
    for one in found["latency"]:
        if one["asked"] == _STATED_RATE and one["milliseconds"]:
            result["latency_p95_ms"] = one["milliseconds"]["p95"]
    return {name: float(f"{value:.4g}") for name, value in result.items()}


def _medians(values: Iterator[float]) -> float:
    return summary(list(values))["median"]


def _with_floors(found: Found) -> Iterator[tuple[dict[str, Any], float]]:
    for full, floor in zip(found["full"], found["floor"], strict=True):
        yield full, sum(floor["seconds"].values())


def _unchanged(found: Found) -> Iterator[tuple[str, str, float]]:
    for of in ("cpu", "bytes"):
        listed = _medians(poll[of] for run in found["unchanged"] for poll in run["listed"])
        watched = _medians(poll[of] for run in found["unchanged"] for poll in run["watched"])
        yield "poll_to_list", of, watched / listed
        yield "followed_to_list", of, _medians(run["stayed"][of] for run in found["unchanged"]) / listed


def rows(found: Found) -> Iterator[tuple[str, Sequence[float], str]]:
    """Each line of the table: what, its values, and their unit."""
    floors = found["floor"]
    for part in floors[0]["seconds"]:
        yield f"floor: {part}", [one["seconds"][part] for one in floors], "s"
    yield "**floor**", [sum(one["seconds"].values()) for one in floors], "s"
    for part in floors[0]["compared"]:
        yield f"for comparison: {part.replace('_', ' ')}", [one["compared"][part] for one in floors], "s"
    for part in found["full"][0]["parts"]:
        yield f"full: {part}", [one["parts"][part] for one in found["full"]], "s"
    yield "**full sync**", [one["wall"] for one in found["full"]], "s"
    yield "full: CPU", [one["cpu"] for one in found["full"]], "s"
    yield "full: CPU of PostgreSQL", [one["database_cpu"] for one in found["full"]], "s"
    yield "full: received", [one["bytes"] / 1e6 for one in found["full"]], "MB"
    yield "full: peak memory", [one["peak_mib"] for one in found["full"]], "MiB"
    yield "full: the database afterwards", [one["database_mib"] for one in found["full"]], "MiB"
    yield "**full sync, ratio to the floor**", [a["wall"] / b for a, b in _with_floors(found)], "×"
    yield from _following_rows(found)


def _following_rows(found: Found) -> Iterator[tuple[str, Sequence[float], str]]:
    named = {"watched": "unchanged, by watch", "listed": "unchanged, by full list"}
    for key, name in named.items():
        polls = [one for run in found["unchanged"] for one in run[key]]
        yield f"{name}: CPU", [one["cpu"] for one in polls], "s"
        yield f"{name}: received", [one["bytes"] / 1e6 for one in polls], "MB"
    stayed = [run["stayed"] for run in found["unchanged"]]
    yield f"unchanged, followed for {stayed[0]['wall']:.0f} s: CPU", [one["cpu"] for one in stayed], "s"
    yield "unchanged, followed: received", [one["bytes"] / 1e6 for one in stayed], "MB"
    polls = [one for run in found["changed"] for one in run["polls"]]
    yield "500 changes: until all are written", [one["wall"] for one in polls], "s"
    yield "500 changes: of it writing", [one["apply"] for one in polls], "s"
    yield "500 changes: CPU", [one["cpu"] for one in polls], "s"
    yield "500 changes: rows a second", [one["rows"] / one["wall"] for one in polls], "/s"
    yield "following: peak memory", [one["peak_mib"] for one in found["changed"]], "MiB"
    for name in found["events"][0]["microseconds"] if found.get("events") else ():
        values = [one["microseconds"][name] for one in found["events"]]
        yield f"one event: {name}, CPU", values, "µs"


def table(arguments: argparse.Namespace, found: Found) -> Iterator[str]:
    floor = found["floor"][0]
    yield "{devices} devices, {claims} claims, {database}, runs: {runs}".format(**vars(arguments))
    yield machine_line()
    yield f"{floor['objects']} objects, {floor['bytes'] / 1e6:.1f} MB of JSON, {floor['rows']} rows"
    yield ""
    yield "| part | median | least | most |"
    yield "|---|---|---|---|"
    for name, values, unit in rows(found):
        cells = " | ".join(f"{value:.4g} {unit}" for value in summary(values).values())
        yield f"| {name} | {cells} |"
    yield ""
    yield "| writes a second | claims measured | p50 | p95 | most | events | commits | CPU | peak memory |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for one in found["latency"]:
        yield _latency_row(one)
    yield ""
    yield "| ratio | value |"
    yield "|---|---|"
    for name, value in ratios(found).items():
        yield f"| {name.replace('_', ' ')} | {value} |"


def _latency_row(one: Mapping[str, Any]) -> str:
    known = one["milliseconds"] or {}
    late = " | ".join(f"{known[name]:.0f} ms" if known else "none" for name in ("p50", "p95", "max"))
    share = one["cpu"] / one["wall"]
    return (
        f"| {one['written']:.3g} | {known.get('count', 0)} | {late} | {one['events']} | {one['commits']} "
        f"| {share:.0%} of a core | {one['peak_mib']:.0f} MiB |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--devices", type=int, default=10_000)
    parser.add_argument("--claims", type=int, default=50_000)
    parser.add_argument("--database", choices=DATABASES, default="sqlite")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--rates", type=float, nargs="*", default=_RATES, help="writes a second")
    parser.add_argument("--seconds", type=float, default=30, help="how long each rate is measured")
    parser.add_argument("--json", action="store_true", help="print the ratios as one line of JSON")
    arguments = parser.parse_args()
    end_in_order()
    sizes = arguments.devices, arguments.claims, arguments.database, arguments.runs
    found = measure(*sizes, rates=arguments.rates, seconds=arguments.seconds)
    if arguments.json:
        described = {name: getattr(arguments, name) for name in ("devices", "claims", "database", "runs")}
        print(json.dumps({**described, **ratios(found)}))
    else:
        print("\n".join(table(arguments, found)))


if __name__ == "__main__":
    main()
