"""What follows from a sign-in, from a change, and from a migration."""

from typing import Any

from django.apps import AppConfig
from django.apps import apps as installed
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.db.models.signals import post_migrate
from django.dispatch import receiver
from django.http import HttpRequest

from dashboard.access import operators, sessions
from dashboard.access.audit import changes, sign_ins  # noqa: F401 (connects its receivers)

changes.connect()


@receiver(post_migrate)
def operators_may(sender: AppConfig, using: str, apps: Any = installed, **kwargs: Any) -> None:
    operators.permit(sender, using, apps)


@receiver(user_logged_in)
def session_begins(sender: Any, request: HttpRequest, user: User, **kwargs: Any) -> None:
    sessions.begin(request)
