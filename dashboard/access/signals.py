"""What follows from a sign-in, from a change, and from a migration."""

from typing import Any

from django.apps import AppConfig
from django.apps import apps as installed
from django.contrib.auth.models import Group, User
from django.contrib.auth.signals import user_logged_in
from django.db.models import QuerySet
from django.db.models.signals import m2m_changed, post_delete, post_migrate, post_save
from django.dispatch import receiver
from django.http import HttpRequest

from dashboard.access import operators, sessions
from dashboard.access.audit import changes, sign_ins  # noqa: F401 (connects its receivers)

changes.connect()


@receiver(post_migrate)
def operators_may(sender: AppConfig, using: str, apps: Any = installed, **kwargs: Any) -> None:
    operators.permit(sender, using, apps)


@receiver(post_save, sender=User)
def user_saved(sender: Any, *, instance: User, created: bool, raw: bool, **kwargs: Any) -> None:
    if raw:
        return
    operators.follow([instance])
    # What Django keeps of a new password until all who want to know have been told of it.
    has_new_password = getattr(instance, "_password", None) is not None
    if not created and (has_new_password or not instance.is_active):
        sessions.end(sessions.of_user(instance.pk))


@receiver(m2m_changed, sender=User.groups.through)
def groups_changed(sender: Any, *, instance: User | Group, action: str, pk_set: Any, **kwargs: Any) -> None:
    if action not in ("post_add", "post_remove", "post_clear"):
        return
    if isinstance(instance, User):
        operators.follow([instance])
    else:
        operators.follow(User.objects.filter(pk__in=pk_set) if pk_set else _staff())


@receiver(post_delete, sender=Group)
def group_deleted(sender: Any, **kwargs: Any) -> None:
    operators.follow(_staff())


def _staff() -> QuerySet[User]:
    return User.objects.filter(is_staff=True)


@receiver(user_logged_in)
def session_begins(sender: Any, request: HttpRequest, user: User, **kwargs: Any) -> None:
    sessions.begin(request)
