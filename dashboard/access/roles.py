"""What somebody may do beside what membership in teams allows."""

from django.contrib.auth.models import AbstractUser, AnonymousUser, Group
from django.db.models import QuerySet


def is_operator(user: AbstractUser | AnonymousUser) -> bool:
    """Whether somebody sees everything, and may change what people decide."""
    return user.is_active and (user.is_superuser or operators_groups(user).exists())


def operators_groups(user: AbstractUser | AnonymousUser) -> QuerySet[Group]:
    """Those of somebody's groups whose members are operators."""
    return user.groups.filter(name="operators")
