"""How long a large cluster's history takes to be asked, and how far that is from the bare SQL.

    python -m benchmarks.history --devices 10000 --days 365 --database postgresql
    python -m benchmarks.history --devices 1000 --days 60 --database sqlite --json

Makes a year of history (`benchmarks.year`), adds up hours and days of its end as a worker does, and asks:
reports of a month, a month day by day, the hours of a month, who held one device in the year, and pages that
show such things. Beside each, in turn, the statement that reads the same rows, by nothing but the database's
driver. `first` is the first time; the others are of those after it. The month from intervals alone tells what
the sums spare: its statement adds up how long shares lasted, and knows nothing of cards, amounts, or times
that were not read.
PostgreSQL runs as in tests, without waiting for the disk, with 64 MB of shared buffers.
"""

import argparse
import json
import os
import secrets
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import django

from benchmarks.measuring import machine_line, peak_mib
from benchmarks.surroundings import DATABASES, database, end_in_order


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    with (
        tempfile.TemporaryDirectory(prefix="sliceboard-benchmark-") as folder,
        database(arguments.database, Path(folder)) as url,
    ):
        settings = {
            "DATABASE_URL": url,
            "SLICEBOARD_LOG_LEVEL": "WARNING",
            "SLICEBOARD_SECRET_KEY": secrets.token_hex(32),
        }
        os.environ.update(settings, SLICEBOARD_STATE=folder, DJANGO_SETTINGS_MODULE="dashboard.settings")
        django.setup()
        from django.core.management import call_command
        from django.db import connection

        from benchmarks import history_questions as asking
        from benchmarks.year import Year, write

        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        year = Year(arguments.devices, arguments.days, arguments.each_day)
        written = write(year)
        print(f"{written.shares:,} shares written in {written.seconds:.0f} s", file=sys.stderr)
        intervals = asking.size_mib()
        added_up = asking.added_up(written.cluster, year, arguments.added_up)
        print(f"added up in {added_up['seconds']:.0f} s", file=sys.stderr)
        asked = [*asking.questions(written, year), *asking.pages(written, year)]
        asked.append(asking.from_intervals(written, year))
        found = {one.name: asking.timed(one, arguments.runs) for one in asked}
        size = asking.size_mib()
        connection.close()
    return {
        "database": arguments.database,
        "devices": arguments.devices,
        "days": arguments.days,
        "added_days": arguments.added_up,
        "shares": written.shares,
        "written_seconds": written.seconds,
        "intervals_mib": intervals,
        "mib": size,
        "added_up": added_up,
        "questions": found,
        "peak_mib": peak_mib(),
    }


def table(found: Mapping[str, Any]) -> Iterator[str]:
    sizes = "{database}, {devices:,} devices, {days} days, {shares:,} shares, {added_days} days added up"
    yield sizes.format(**found)
    yield machine_line()
    yield ""
    yield "| question | first | again: median | least | most | bare SQL: median | times the bare SQL |"
    yield "|" + "---|" * 7
    for name, one in found["questions"].items():
        ours = " | ".join(_seconds(one["ours"][key]) for key in ("median", "least", "most"))
        bare = _seconds(one["bare"]["median"])
        yield f"| {name} | {_seconds(one['first'])} | {ours} | {bare} | {one['ratio']:.1f} |"
    yield ""
    yield "| | |"
    yield "|---|---|"
    yield from (f"| {name} | {value} |" for name, value in _around(found))


def _around(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    added_up = found["added_up"]
    yield "written in", f"{found['written_seconds']:.0f} s"
    yield "database with intervals", f"{found['intervals_mib']:,.0f} MiB"
    yield "database with sums", f"{found['mib']:,.0f} MiB"
    yield "added up in", f"{added_up['seconds']:.0f} s"
    for level, chunk in added_up["chunks"].items():
        least, median, most = (_seconds(chunk[key]) for key in ("least", "median", "most"))
        yield f"a chunk of the level {level}", f"{median} ({least} to {most}), {chunk['count']} of them"
    for level, rows in added_up["rows"].items():
        yield f"sums of the level {level}", f"{rows:,} rows"
    yield "peak memory", f"{found['peak_mib']:.0f} MiB"


def _seconds(value: float) -> str:
    return f"{value * 1000:.1f} ms" if value < 1 else f"{value:.2f} s"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--devices", type=int, default=10_000)
    parser.add_argument("--days", type=int, default=365, help="31 at least")
    parser.add_argument("--each-day", type=float, default=5.5, help="shares that begin on a device in a day")
    parser.add_argument("--added-up", type=int, default=40, help="so many of the last days are added up")
    parser.add_argument("--database", choices=DATABASES, default="sqlite")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    end_in_order()
    found = measure(arguments)
    print(json.dumps(found, indent=2) if arguments.json else "\n".join(table(found)))


if __name__ == "__main__":
    main()
