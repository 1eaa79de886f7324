"""How cost grows with the size of a cluster, and with the number of clusters.

    python -m benchmarks.growth
    python -m benchmarks.growth --sizes 1000 10000 --clusters 1 10 --workers 1 2

First the measurements of `benchmarks.poll` on both databases, for clusters of several sizes with a device for
every five claims, and for one with many devices and few claims. Then many clusters of one size on several
Celery workers, each started as `run` starts its own, with PostgreSQL and Valkey: how long until all are read,
and how far behind they are afterwards, at rest and while each of them changes. Behind: the age of the oldest
change to a claim that is not written yet. Last confirmed: how long ago the API server was heard of, for the
kind where that is longest.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from benchmarks import poll
from benchmarks.fleet import Fleet
from benchmarks.fleet import measure as measure_fleet
from benchmarks.measuring import machine_line, summary
from benchmarks.surroundings import DATABASES, end_in_order

_STEPS = ("full", "floor", "unchanged", "changed")
_CLAIMS_OF_A_DEVICE = 5
_CHANGES_PER_SECOND = 5.0
_QUANTILES = ("p50", "p95", "max")


def sizes(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for database in arguments.databases:
        for devices, claims in _shapes(arguments):
            found = poll.measure(devices, claims, database, arguments.runs, _STEPS)
            lines = {name: summary(values) for name, values, _ in poll.rows(found)}
            size = {"database": database, "devices": devices, "claims": claims}
            yield {**size, "lines": lines, "ratios": poll.ratios(found)}
            print(f"{database}, {devices} devices, {claims} claims", file=sys.stderr)


def _shapes(arguments: argparse.Namespace) -> Iterator[tuple[int, int]]:
    """Sizes of one shape, and one with many devices for few claims, which tells what a device costs."""
    for claims in arguments.sizes:
        yield claims // _CLAIMS_OF_A_DEVICE, claims
    if arguments.sizes and arguments.many_devices:
        yield arguments.many_devices, min(arguments.sizes)


def fleets(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for count in arguments.clusters:
        for workers in arguments.workers:
            fleet = Fleet(
                count, workers, arguments.fleet_claims // _CLAIMS_OF_A_DEVICE, arguments.fleet_claims
            )
            yield {**asdict(fleet), **measure_fleet(fleet, _CHANGES_PER_SECOND, arguments.seconds)}
            print(f"{count} clusters on {workers} workers", file=sys.stderr)


def table_of_sizes(found: list[dict[str, Any]]) -> Iterator[str]:
    yield (
        "| database | devices | claims | floor | full sync | ratio | CPU | PostgreSQL's CPU | received "
        "| peak memory | database | CPU unchanged, by watch | by full list | 500 changes | rows a second |"
    )
    yield "|" + "---|" * 15
    columns = {
        "**floor**": "s",
        "**full sync**": "s",
        "**full sync, ratio to the floor**": "×",
        "full: CPU": "s",
        "full: CPU of PostgreSQL": "s",
        "full: received": "MB",
        "full: peak memory": "MiB",
        "full: the database afterwards": "MiB",
        "unchanged, by watch: CPU": "s",
        "unchanged, by full list: CPU": "s",
        "500 changes: until all are written": "s",
        "500 changes: rows a second": "/s",
    }
    for one in found:
        cells = " | ".join(_cell(one["lines"][name], unit) for name, unit in columns.items())
        yield f"| {one['database']} | {one['devices']:,} | {one['claims']:,} | {cells} |"


def table_of_fleets(found: list[dict[str, Any]]) -> Iterator[str]:
    yield (
        "| clusters | workers | all read after | state | writes a second, each | behind, p50 | p95 | most "
        "| last confirmed, p50 | p95 | most | workers' CPU | PostgreSQL's CPU | requests a second "
        "| largest worker | all workers | database | connections |"
    )
    yield "|" + "---|" * 18
    for one in found:
        for state in ("rest", "changing"):
            yield _fleet_row(one, state, one[state])


def _fleet_row(one: Mapping[str, Any], state: str, lags: Mapping[str, Any]) -> str:
    cells = (
        one["clusters"],
        one["workers"],
        f"{one['all_read_seconds']:.1f} s",
        state,
        f"{lags.get('writes_per_second', 0):.1f}",
        *(f"{lags['behind_seconds'][name]:.2f} s" for name in _QUANTILES),
        *(f"{lags['confirmed_seconds'][name]:.1f} s" for name in _QUANTILES),
        *(f"{lags[name]:.2f} cores" for name in ("workers_cores", "postgresql_cores")),
        f"{lags['requests_per_second']:.1f}",
        *(f"{one[name]:.0f} MiB" for name in ("largest_worker_mib", "workers_mib", "database_mib")),
        one["connections"],
    )
    return f"| {' | '.join(map(str, cells))} |"


def _cell(value: Mapping[str, float], unit: str) -> str:
    return f"{value['median']:.3g} {unit} ({value['least']:.3g}–{value['most']:.3g})"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="*", default=(1_000, 10_000, 100_000), help="in claims")
    parser.add_argument("--many-devices", type=int, default=8_000, help="with the fewest claims; 0: not")
    parser.add_argument("--databases", choices=DATABASES, nargs="+", default=DATABASES)
    parser.add_argument("--runs", type=int, default=3, help="of each size")
    parser.add_argument("--clusters", type=int, nargs="*", default=(1, 10, 50))
    parser.add_argument("--workers", type=int, nargs="*", default=(1, 2, 4))
    parser.add_argument("--fleet-claims", type=int, default=1_000, help="of each of many clusters")
    parser.add_argument("--seconds", type=float, default=30, help="how long the lag is measured")
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    arguments = parser.parse_args()
    end_in_order()
    by_size, by_count = list(sizes(arguments)), list(fleets(arguments))
    if arguments.json:
        print(json.dumps({"sizes": by_size, "fleets": by_count}))
        return
    print(f"{machine_line()}, runs of each size: {arguments.runs}")
    print("", *table_of_sizes(by_size), "", sep="\n")
    print(f"Clusters of {arguments.fleet_claims} claims each, {arguments.seconds:.0f} s in each state.")
    print("", *table_of_fleets(by_count), sep="\n")


if __name__ == "__main__":
    main()
