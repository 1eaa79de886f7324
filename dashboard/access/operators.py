"""The group of operators, and the first of them."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Group, Permission, User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Model

OPERATORS = "operators"


def _offered() -> Iterator[type[Model]]:
    """What has a page in the administration, or is written on the page of something else."""
    for model, its in admin.site._registry.items():
        yield model
        yield from (inline.model for inline in its.inlines)


def follow(users: Iterable[User]) -> None:
    """The administration of Django lets in whoever is staff: that is what operators are, and nobody else."""
    for user in users:
        staff = user.is_superuser or user.groups.filter(name=OPERATORS).exists()
        if user.is_staff != staff:
            user.is_staff = staff
            user.save(update_fields=["is_staff"])


class OperatorError(ValueError):
    """Nobody can be made an operator like that; the message says why."""


def permit(app: AppConfig, using: str, known: Any) -> None:
    """The group exists, and may do with this app what the administration offers, also what is new there.

    After each migration, and not in one: permissions exist only when all have run, and a release that brings
    another screen needs no migration for it. Written without signals: that is nobody's change.
    """
    try:
        known.get_model("auth", "Permission")
    except LookupError:
        # Somebody migrates to a point before there were any.
        return
    models = [model for model in _offered() if model._meta.app_label == app.label]
    if not models:
        return
    group = Group.objects.using(using).filter(name=OPERATORS).first()
    if group is None:
        (group,) = Group.objects.using(using).bulk_create([Group(name=OPERATORS)])
    create_permissions(app, verbosity=0, using=using, apps=known)
    permissions = Permission.objects.using(using).filter(
        content_type__app_label=app.label,
        content_type__model__in=[model._meta.model_name for model in models],
    )
    through = Group.permissions.through
    through._default_manager.using(using).bulk_create(
        (through(group_id=group.pk, permission_id=one) for one in permissions.values_list("pk", flat=True)),
        ignore_conflicts=True,
    )


def create(name: str, password: str) -> User:
    """Raises OperatorError, also where there is such a user: his password is not ours to change."""
    if User.objects.filter(username=name).exists():
        raise OperatorError(f"There is a user {name!r} already; nothing of him was changed.")
    user = User(username=name)
    try:
        user.full_clean(exclude=["password"])
        validate_password(password, user)
    except ValidationError as error:
        raise OperatorError(" ".join(error.messages)) from None
    user.set_password(password)
    with transaction.atomic():
        user.save()
        user.groups.add(Group.objects.get(name=OPERATORS))
    return user


def from_environment() -> User | None:
    """The one that the environment names, unless he is there already. Raises OperatorError."""
    name, password = settings.SLICEBOARD_OPERATOR_NAME, settings.SLICEBOARD_OPERATOR_PASSWORD
    if not name or User.objects.filter(username=name).exists():
        return None
    try:
        return create(name, password)
    except OperatorError as error:
        raise OperatorError(f"SLICEBOARD_OPERATOR_NAME, SLICEBOARD_OPERATOR_PASSWORD: {error}") from None
