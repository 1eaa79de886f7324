"""What somebody may do beside what membership in teams allows."""

from django.contrib.auth.models import AbstractUser, AnonymousUser, User
from django.db.models import Q, QuerySet

_GROUP = "operators"


def is_operator(user: AbstractUser | AnonymousUser) -> bool:
    """Whether somebody sees everything, and may change what people decide."""
    return user.is_active and (user.is_superuser or user.groups.filter(name=_GROUP).exists())


def operators() -> QuerySet[User]:
    """All of whom that is so."""
    return User.objects.filter(Q(is_superuser=True) | Q(groups__name=_GROUP), is_active=True).distinct()
