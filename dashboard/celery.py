"""The Celery application: worker and beat start with `celery --app dashboard`."""

import os
import sys
from typing import Any

from celery import Celery, signals
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

app = Celery("sliceboard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@signals.celeryd_init.connect
@signals.beat_init.connect
def refuse_without_broker(**kwargs: Any) -> None:
    """Celery would try a RabbitMQ on this machine that nobody spoke of."""
    if not settings.SLICEBOARD_BROKER_URL:
        # Any other exception in a receiver is only logged.
        sys.exit(
            "SLICEBOARD_BROKER_URL is not set: give the URL of a Redis (redis://host:6379/0), "
            "or start everything with `python manage.py run`, which brings a broker of its own."
        )


@signals.setup_logging.connect
def keep_logging_of_django(**kwargs: Any) -> None:
    """A receiver of this signal keeps Celery from setting up its own handlers."""


@signals.worker_ready.connect
def poll_at_once(**kwargs: Any) -> None:
    """Beat would let the first period pass; the lease of a cluster keeps two polls apart."""
    app.send_task("inventory.tasks.poll_clusters", expires=settings.SLICEBOARD_POLL_SECONDS)
