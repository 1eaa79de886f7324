"""How long pages of a large cluster take, beside the statements that they send, alone.

    python -m benchmarks.pages --devices 50000 --claims 200000 --database sqlite
    python -m benchmarks.pages --devices 50000 --claims 200000 --database postgresql --json

One cluster, forty namespaces, of which each belongs to a team with two limits, as in `benchmarks.teams`. Each
page is asked for from the request to the last byte, without a web server in between. Then its statements are
sent again by nothing but the database's driver, and all rows are fetched. `first` is the first time in a
process; the other figures are medians of those after it. `drawn` is from the last byte of the page to its
pictures, in Chromium, where there is one.
"""

import argparse
import json
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import django

from benchmarks.answers import signed_in
from benchmarks.drawn import browser_path, drawn
from benchmarks.measuring import clock, machine_line, peak_mib, summary
from benchmarks.surroundings import DATABASES, measured

OPERATOR, MEMBER = "operator", "member"
_REPEATED = 3
_PLACE = re.compile(rb'data-figure="([^"]*)"')
_ISLAND = re.compile(rb'<script id="([^"]*)" type="application/json">(.*?)</script>', re.DOTALL)


class Page(NamedTuple):
    name: str
    path: str
    user: str = OPERATOR


def pages() -> list[Page]:
    """Every kind of page, on things in the middle of the cluster."""
    from inventory.models import Claim, Cluster, Device, Node, Pod

    def middle(model: Any, **which: Any) -> int:
        rows = model.objects.filter(**which).order_by("pk")
        return int(rows.values_list("pk", flat=True)[rows.count() // 2])

    cluster = Cluster.objects.get()
    waiting, holding = Claim.State.PENDING, Claim.State.RESERVED
    return [
        Page("overview", "/"),
        Page("overview of a member", "/", MEMBER),
        Page("changes", "/changes/"),
        Page("devices", "/devices/"),
        Page("devices of a team", "/devices/?team=00"),
        Page("devices, table", "/devices/?view=table"),
        Page("devices, bars", "/devices/?view=bars"),
        Page("devices of a member", "/devices/", MEMBER),
        Page("device", f"/devices/{middle(Device)}/"),
        Page("nodes", "/nodes/"),
        Page("node", f"/nodes/{middle(Node)}/"),
        Page("node of a member", f"/nodes/{middle(Node)}/", MEMBER),
        Page("pods", "/pods/"),
        Page("pods of a member", "/pods/", MEMBER),
        Page("pod", f"/pods/{middle(Pod, node__isnull=False)}/"),
        Page("pod that waits", f"/pods/{middle(Pod, node=None)}/"),
        Page("claims", "/claims/"),
        Page("claims of a member", "/claims/", MEMBER),
        Page("claim", f"/claims/{middle(Claim, state=holding)}/"),
        Page("claim that waits", f"/claims/{middle(Claim, state=waiting)}/"),
        Page("waiting", "/claims/waiting/"),
        Page("convert", "/convert/"),
        Page("teams", "/teams/"),
        Page("teams of a member", "/teams/", MEMBER),
        Page("team", "/teams/00/"),
        Page("usage", "/usage/"),
        Page("report of a month", f"/usage/{cluster.observed_at:%Y-%m}/"),
        Page("clusters", "/clusters/"),
        Page("cluster", f"/clusters/{cluster.name}/"),
        Page("search", "/search?q=serving-01"),
    ]


def once(names: Sequence[str]) -> dict[str, Any]:
    """In a process with a database that holds the cluster and its teams."""
    django.setup()
    asked = [one for one in pages() if not names or one.name in names]
    found = {one.name: _measured(one) for one in asked}
    peak = peak_mib()
    if (chromium := browser_path()) is not None:
        drawn_by = [one for one in asked if found[one.name]["figures"] and one.user == OPERATOR]
        times = drawn({one.name: one.path for one in drawn_by}, signed_in(OPERATOR), chromium)
        for name, seconds in times.items():
            found[name]["drawn"] = seconds
    return {"pages": found, "peak_mib": peak}


def _measured(page: Page) -> dict[str, Any]:
    from benchmarks.statements import alone, noted

    client = signed_in(page.user)

    def ask() -> bytes:
        response = client.get(page.path)
        if response.status_code != 200:
            raise SystemExit(f"{page.path}: {response.status_code}")
        return response.content

    first, _ = clock(ask)
    ours, bare = [], []
    for _ in range(_REPEATED):
        with noted() as asked:
            seconds, content = clock(ask)
        ours.append(seconds)
        bare.append(alone(asked))
    return {
        "first": first,
        "server": statistics.median(ours),
        "sql": statistics.median(bare),
        "queries": len(asked),
        "html": len(content),
        "figures": _of_figures(content),
        "drawn": 0.0,
    }


def _of_figures(content: bytes) -> int:
    """Bytes of what its pictures are drawn from."""
    drawn_from = {*_PLACE.findall(content), b"wall-data"}
    return sum(len(text) for name, text in _ISLAND.findall(content) if name in drawn_from)


def _fill(devices: int, claims: int, folder: Path) -> None:
    from benchmarks.teams import fill

    fill(devices, claims, folder)


def rows(found: list[dict[str, Any]]) -> Iterator[str]:
    yield "| page | first | server | its SQL alone | times its SQL | queries | HTML | figures | drawn |"
    yield "|" + "---|" * 9
    for name in found[0]["pages"]:
        one = {key: _median(found, name, key) for key in found[0]["pages"][name]}
        times = summary([run["pages"][name]["server"] / run["pages"][name]["sql"] for run in found])["median"]
        yield (
            f"| {name} | {_seconds(one['first'])} | {_seconds(one['server'])} | {_seconds(one['sql'])} "
            f"| {times:.1f} | {one['queries']:.0f} | {one['html'] / 1000:.0f} kB | {_size(one['figures'])} "
            f"| {_seconds(one['drawn']) if one['drawn'] else ''} |"
        )


def _median(found: Sequence[Mapping[str, Any]], name: str, key: str) -> float:
    return summary([run["pages"][name][key] for run in found])["median"]


def _seconds(value: float) -> str:
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.2f} s"


def _size(value: float) -> str:
    return f"{value / 1000:.0f} kB" if value else ""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--devices", type=int, default=50_000)
    parser.add_argument("--claims", type=int, default=200_000)
    parser.add_argument("--database", choices=DATABASES, default="sqlite")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--page", action="append", default=[], help="only this page; may be given again")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--fill", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.fill is not None:
        _fill(arguments.devices, arguments.claims, arguments.fill)
        return
    if arguments.once:
        print(json.dumps(once(arguments.page)))
        return
    given = {"devices": arguments.devices, "claims": arguments.claims}
    quietly = {"SLICEBOARD_LOG_LEVEL": "ERROR"}
    found = measured("benchmarks.pages", given, arguments.database, arguments.runs, **quietly)
    if arguments.json:
        print(json.dumps(found))
        return
    sizes = f"{arguments.devices:,} devices, {arguments.claims:,} claims, {arguments.database}"
    print(f"{machine_line()}, {sizes}, runs: {arguments.runs}")
    print("", *rows(found), "", sep="\n")
    print(f"peak MiB: {summary([run['peak_mib'] for run in found])['median']:.0f}")


if __name__ == "__main__":
    main()
