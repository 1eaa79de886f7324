from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard import declared_clusters
from dashboard.access import operators
from inventory.models import Cluster


class Command(BaseCommand):
    help = (
        "Bring the database and the static files up to date, and register the clusters of "
        "SLICEBOARD_CLUSTERS. Do it once before a new version is started; doing it again changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--without-static", action="store_true", help="the static files are in place, as in the image"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        if not options["without_static"]:
            call_command("collectstatic", interactive=False, verbosity=0)
        self._register_clusters()
        self._make_first_operator()

    def _make_first_operator(self) -> None:
        try:
            made = operators.from_environment()
        except operators.OperatorError as error:
            raise CommandError(str(error)) from None
        if made is not None:
            self.stdout.write(f"{made.get_username()} is an operator and may sign in.")
        elif not settings.SLICEBOARD_OIDC_ISSUER and not User.objects.filter(is_active=True).exists():
            self.stdout.write(
                "Nobody can sign in yet: make an operator with `python manage.py create_operator NAME`."
            )

    def _register_clusters(self) -> None:
        declared = [declared_clusters.parse(text) for text in settings.SLICEBOARD_CLUSTERS]
        if not declared and not Cluster.objects.exists():
            declared = declared_clusters.of_this_machine()
        declared_clusters.register(declared)
        names = ", ".join(Cluster.objects.filter(enabled=True).values_list("name", flat=True))
        self.stdout.write(
            f"Clusters: {names}."
            if names
            else "No cluster is known yet: set SLICEBOARD_CLUSTERS or KUBECONFIG, or add one at /admin/."
        )
