"""What it costs to say what teams hold, beside plain SQL that adds up the same amounts.

    python -m benchmarks.teams --devices 50000 --claims 200000 --database sqlite
    python -m benchmarks.teams --devices 50000 --claims 200000 --database postgresql --json

One cluster, forty namespaces, of which each belongs to a team with a limit on memory and one on
card-equivalents. Every run is a process of its own, whose memory is told. Answers are whole: rows, JSON or
HTML, from the request to the last byte.

    floor       amounts by team and dimension in one statement, and nothing else
    by team     occupancy/ by team, as an operator sees it
    by node     occupancy/ by team and node
    withheld    occupancy/ by team, as a member of one team sees it
    teams       the page of all teams
    of member   the same page, as a member of one team sees it
    team        the page of one team
    quotas      quotas/, all of them
"""

import argparse
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import django
from django.db import connection

from benchmarks.answers import answer, signed_in
from benchmarks.measuring import clock, machine_line, peak_mib, ratio_to_floor, summary
from benchmarks.statements import noted
from benchmarks.surroundings import DATABASES, measured

_FLOOR = """
    SELECT claim.team_id, consumed.dimension, consumed.exponent, count(consumed.id), sum(consumed.amount)
    FROM inventory_share AS share
    JOIN inventory_claim AS claim ON claim.id = share.claim_id
    JOIN inventory_consumedcapacity AS consumed ON consumed.share_id = share.id
    WHERE NOT share.admin_access
    GROUP BY claim.team_id, consumed.dimension, consumed.exponent
"""
_OPERATOR, _MEMBER = "operator", "member"
_TEAM = "00"
_ASKED = {
    "by team": (_OPERATOR, "/api/v1/occupancy/"),
    "by node": (_OPERATOR, "/api/v1/occupancy/?group_by=team,node"),
    "withheld": (_MEMBER, "/api/v1/occupancy/"),
    "teams": (_OPERATOR, "/teams/"),
    "of member": (_MEMBER, "/teams/"),
    "team": (_OPERATOR, f"/teams/{_TEAM}/"),
    "quotas": (_OPERATOR, "/api/v1/quotas/?limit=1000"),
}


def once() -> dict[str, Any]:
    """In a process with a database that holds the cluster and its teams."""
    django.setup()
    seconds = {"floor": clock(_added_up)[0]}
    queries = {}
    for part, (user, path) in _ASKED.items():
        client = signed_in(user)
        # What is made once in a process, templates and patterns of addresses, is not what is measured.
        answer(client, "/teams/nobody/" if path.startswith("/teams") else "/api/v1/teams/nobody/", 404)
        with noted() as asked:
            seconds[part], _ = clock(partial(answer, client, path))
        queries[part] = len(asked)
    return {"seconds": seconds, "queries": queries, "peak_mib": peak_mib()}


def _added_up() -> None:
    with connection.cursor() as cursor:
        cursor.execute(_FLOOR)
        if len(cursor.fetchall()) < 2:
            raise SystemExit("nothing is held")


def fill(devices: int, claims: int, folder: Path) -> None:
    """A database with a cluster that was polled, with teams, limits, an operator and a member."""
    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command

    from demo import generated
    from demo.server import ApiServer
    from inventory.models import Cluster, Membership, Team, TeamNamespace, TeamQuota
    from inventory.sync.poll import poll_cluster

    call_command("collectstatic", interactive=False, verbosity=0)
    for number in range(40):
        slug = f"{number:02}"
        team = Team.objects.create(slug=slug, name=f"Team {slug}", colour=number % 8 + 1)
        TeamNamespace.objects.create(team=team, namespace=f"team-{slug}")
        for dimension, quantity in (("memory", "64Ti"), ("card_equivalents", "1000")):
            TeamQuota.objects.create(team=team, dimension=dimension, quantity=quantity)
    User.objects.create_superuser(_OPERATOR)
    member = User.objects.create_user(_MEMBER)
    Membership.objects.create(user=member, team=Team.objects.get(slug=_TEAM))
    with ApiServer(generated.cluster(devices, claims, managed_fields=False)) as server:
        kubeconfig = server.kubeconfig(folder / "kubeconfig")
        cluster = Cluster.objects.create(name="generated", kubeconfig=str(kubeconfig))
        outcome = poll_cluster(cluster.pk)
    if outcome.ended != "applied":
        raise SystemExit(f"the generated cluster was not read: {outcome}")
    _analysed()


def _analysed() -> None:
    """As a database does by itself that has run for a while."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def rows(found: list[dict[str, Any]]) -> Iterator[str]:
    yield "| part | median | least | most | times the floor | queries |"
    yield "|---|---|---|---|---|---|"
    for part in ("floor", *_ASKED):
        one = summary([run["seconds"][part] for run in found])
        queries = found[0]["queries"].get(part, 1)
        yield (
            f"| {part} | {one['median']:.3g} s | {one['least']:.3g} s | {one['most']:.3g} s "
            f"| {ratio_to_floor(found, part):.3g} | {queries} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--devices", type=int, default=50_000)
    parser.add_argument("--claims", type=int, default=200_000)
    parser.add_argument("--database", choices=DATABASES, default="sqlite")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print the ratios as one line")
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--fill", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.fill is not None:
        fill(arguments.devices, arguments.claims, arguments.fill)
        return
    if arguments.once:
        print(json.dumps(once()))
        return
    given = {"devices": arguments.devices, "claims": arguments.claims}
    quietly = {"SLICEBOARD_LOG_LEVEL": "ERROR"}
    found = measured("benchmarks.teams", given, arguments.database, arguments.runs, **quietly)
    ratios = {f"{part} to floor": round(ratio_to_floor(found, part), 2) for part in _ASKED}
    ratios |= {"peak MiB": round(summary([run["peak_mib"] for run in found])["median"])}
    if arguments.json:
        print(json.dumps(ratios))
        return
    sizes = f"{arguments.devices} devices, {arguments.claims} claims, {arguments.database}"
    print(f"{machine_line()}, {sizes}, runs: {arguments.runs}")
    print("", *rows(found), "", sep="\n")
    print(f"peak MiB: {ratios['peak MiB']}")


if __name__ == "__main__":
    main()
