import io
import logging
import os
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from dashboard import demo_people
from dashboard.demo_past.writing import give_a_past
from inventory.models import Cluster, Lease

# Of its clusters, the one in which something happens.
_LIVING = "story"


class Command(BaseCommand):
    help = (
        "What `prepare` does, the users and teams of the demo, with DEMO_PASSWORD and DEMO_TOKEN, and a past "
        "that is made up for a cluster that has none. The demo clusters must be served."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        password, token = os.environ.get("DEMO_PASSWORD"), os.environ.get("DEMO_TOKEN")
        if not password or not token:
            raise CommandError(
                "DEMO_PASSWORD and DEMO_TOKEN must be set; `demo` makes them up and does all of this."
            )
        if len(token.split()) != 1 or not token.isascii():
            raise CommandError("DEMO_TOKEN: write one word of ASCII letters, digits and signs.")
        # It says who is missing, and they come only now.
        call_command("prepare", stdout=io.StringIO())
        demo_people.settle(password, token)
        # The state folder is ours alone: who held a lease is gone.
        Lease.objects.update(holder="", until=None)
        # Whoever starts the demo sees what this command writes.
        logging.disable(logging.INFO)
        for cluster in Cluster.objects.filter(name=_LIVING):
            give_a_past(cluster)
        logging.disable(logging.NOTSET)
