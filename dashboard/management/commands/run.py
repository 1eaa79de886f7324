import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from dashboard.supervisor import address, environment
from dashboard.supervisor.errors import SupervisorError
from dashboard.supervisor.service import Service, serve

_GREETING = """
  Sliceboard     {url}
  Logs           {logs}

Ctrl-C stops everything."""


class Command(BaseCommand):
    help = (
        "Serve Sliceboard for the clusters of SLICEBOARD_CLUSTERS or KUBECONFIG: web, worker and beat in "
        "one foreground command, with a broker of its own where SLICEBOARD_BROKER_URL is empty. "
        "Honours HOST and PORT."
    )
    # The secret key is made here.
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            listening = address.from_environment()
        except SupervisorError as error:
            raise CommandError(str(error)) from None
        state = settings.SLICEBOARD_STATE
        service = Service(
            state,
            listening,
            environment.of_own(state, listening),
            embedded_broker=not settings.SLICEBOARD_BROKER_URL,
            prepare="prepare",
            demo_clusters={},
        )
        greeting = _GREETING.format(url=listening.url, logs=state / "logs")
        sys.exit(serve(service, greeting, self.say))

    def say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
