from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from inventory.models import Cluster
from inventory.rollups import checking


class Command(BaseCommand):
    help = (
        "Add up every hour and day anew, from the intervals of shares and devices that are kept, "
        "and compare with what is stored."
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
            for difference in checking.differences(cluster):
                found += 1
                self.stderr.write(f"{cluster.name}: {difference}")
        if found:
            raise CommandError(
                f"{found} stored sums differ from what is derived; this is a fault of Sliceboard"
            )
        self.stdout.write(f"{clusters.count()} clusters checked, every stored sum agrees")
