from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from inventory.models import Cluster
from inventory.sync.poll import poll_cluster


class Command(BaseCommand):
    help = "Read clusters once, now, without Celery."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("cluster", nargs="*", help="names of clusters; none: every enabled one")

    def handle(self, *args: Any, **options: Any) -> None:
        names = options["cluster"]
        clusters = Cluster.objects.filter(name__in=names) if names else Cluster.objects.filter(enabled=True)
        if unknown := set(names) - set(clusters.values_list("name", flat=True)):
            raise CommandError(f"no such cluster: {', '.join(sorted(unknown))}")
        failed = [cluster.name for cluster in clusters if not self._poll(cluster)]
        if failed:
            raise CommandError(f"not read: {', '.join(failed)}")

    def _poll(self, cluster: Cluster) -> bool:
        outcome = poll_cluster(cluster.pk)
        cluster.refresh_from_db()
        why = f": {cluster.error_message}" if outcome.ended == "failed" else ""
        self.stdout.write(
            f"{cluster.name}: {outcome.ended}, {outcome.changes} rows changed, {outcome.seconds:.2f} s{why}"
        )
        return outcome.ended == "applied"
