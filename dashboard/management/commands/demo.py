import os
import secrets
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from dashboard.supervisor import address, environment
from dashboard.supervisor.errors import SupervisorError
from dashboard.supervisor.service import Service, serve

_GREETING = """
  Sliceboard     {url}
  Sign in as     operator, vision-lead or nlp-member
  Password       {password}
  Token of REST  {token}
  Logs           {logs}

What the cluster "story" shows of the time before its first start is made up: 60 days.

curl -H "Authorization: Bearer {token}" {url}api/v1/shares/

Ctrl-C stops everything."""


class Command(BaseCommand):
    help = (
        "Serve Sliceboard with two demo clusters, in one foreground command and with a database of its own. "
        "Honours HOST, PORT, DEMO_PASSWORD and DEMO_TOKEN."
    )
    # The secret key is made here.
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            listening = address.from_environment()
        except SupervisorError as error:
            raise CommandError(str(error)) from None
        state = settings.SLICEBOARD_STATE / "demo"
        clusters = {name: state / f"{name}.kubeconfig" for name in ("recorded", "story")}
        credentials = {
            "DEMO_PASSWORD": os.environ.get("DEMO_PASSWORD") or secrets.token_urlsafe(9),
            "DEMO_TOKEN": os.environ.get("DEMO_TOKEN") or secrets.token_hex(32),
        }
        service = Service(
            state,
            listening,
            {**environment.of_demo(state, listening, clusters), **credentials},
            embedded_broker=True,
            prepare="prepare_demo",
            demo_clusters=clusters,
        )
        greeting = _GREETING.format(
            url=listening.url,
            password=credentials["DEMO_PASSWORD"],
            token=credentials["DEMO_TOKEN"],
            logs=state / "logs",
        )
        sys.exit(serve(service, greeting, self.say))

    def say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
