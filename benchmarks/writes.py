"""How long many rows take to write, and how far that is from the least that the database needs for them.

    python -m benchmarks.writes --rows 50000 --database sqlite
    python -m benchmarks.writes --rows 50000 --database postgresql --json

Makes claims, and a share of each, what is desired: all new, none changed, 500 changed, all changed, all gone.
Beside it all new and all changed by Django's bulk_create. The floor of each is the same rows, ready to be
written, into temporary tables without an index. PostgreSQL runs as in tests, without waiting for the disk.
"""

import argparse
import json
import os
import secrets
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import django

from benchmarks.measuring import machine, summary
from benchmarks.surroundings import database


def measure(arguments: argparse.Namespace) -> list[dict[str, float]]:
    with (
        tempfile.TemporaryDirectory(prefix="sliceboard-benchmark-") as folder,
        database(arguments.database, Path(folder)) as url,
    ):
        settings = {"DATABASE_URL": url, "SLICEBOARD_SECRET_KEY": secrets.token_hex(32)}
        os.environ.update(settings, SLICEBOARD_STATE=folder, DJANGO_SETTINGS_MODULE="dashboard.settings")
        django.setup()
        from django.core.management import call_command
        from django.db import connection

        from benchmarks.writes_once import Writes, surroundings

        call_command("migrate", verbosity=0)
        around = surroundings(devices=10_000)
        found = []
        for number in range(arguments.runs):
            found.append(Writes(arguments.rows, *around).run())
            print(f"run {number + 1}: {sum(found[-1].values()):.2f} s", file=sys.stderr)
        connection.close()
        return found


def report(arguments: argparse.Namespace, found: list[dict[str, float]]) -> dict[str, Any]:
    return {
        "rows": arguments.rows,
        "database": arguments.database,
        "runs": arguments.runs,
        "machine": machine(),
        "seconds": {part: summary([run[part] for run in found]) for part in found[0]},
        "ratio_to_floor": {part: summary([run[part] / run["floor"] for run in found]) for part in found[0]},
    }


def table(result: dict[str, Any]) -> Iterator[str]:
    size = result["machine"]
    yield "{rows} claims and as many shares, {database}, runs: {runs}".format(**result)
    yield f"{size['cores']} cores ({size['cpu']}), {size['memory_gib']} GiB, Python {size['python']}"
    yield ""
    yield "| part | median | least | most | times the floor |"
    yield "|---|---|---|---|---|"
    for part, value in result["seconds"].items():
        cells = " | ".join(f"{value[key]:.2f} s" for key in ("median", "least", "most"))
        yield f"| {part} | {cells} | {result['ratio_to_floor'][part]['median']:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    result = report(arguments, measure(arguments))
    print(json.dumps(result, indent=2) if arguments.json else "\n".join(table(result)))


if __name__ == "__main__":
    main()
