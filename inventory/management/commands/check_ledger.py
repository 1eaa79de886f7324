from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from inventory.models import Cluster
from inventory.snapshot import snapshot
from inventory.sync import check, check_history, check_teams


class Command(BaseCommand):
    help = (
        "Derive every balance anew from devices and shares, every team from the rules, and what of history "
        "is open from all of them, and compare with what is stored."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("cluster", nargs="*", help="names of clusters; none: all of them")

    def handle(self, *args: Any, **options: Any) -> None:
        clusters = Cluster.objects.all()
        if names := options["cluster"]:
            clusters = clusters.filter(name__in=names)
            if unknown := set(names) - set(clusters.values_list("name", flat=True)):
                raise CommandError(f"no such cluster: {', '.join(sorted(unknown))}")
        found = 0
        for cluster in clusters:
            # Or a poll between two queries would look like a fault.
            with snapshot():
                checks = (check, check_teams, check_history)
                told = [what for one in checks for what in one.differences(cluster)]
            found += len(told)
            for difference in told:
                self.stderr.write(f"{cluster.name}: {difference}")
        if found:
            raise CommandError(
                f"{found} stored values differ from what is derived; this is a fault of Sliceboard"
            )
        self.stdout.write(f"{clusters.count()} clusters checked, every stored value agrees")
