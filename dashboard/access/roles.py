"""What somebody may do beside what membership in teams allows."""

from django.contrib.auth.models import AbstractUser, AnonymousUser, Group
from django.db.models import Exists, OuterRef, Q

_GROUP = "operators"


def is_operator(user: AbstractUser | AnonymousUser) -> bool:
    """Whether somebody sees everything, and may change what people decide."""
    return user.is_active and (user.is_superuser or user.groups.filter(name=_GROUP).exists())


def operates() -> Q:
    """Of which active users that is so."""
    return Q(Exists(Group.objects.filter(name=_GROUP, user=OuterRef("pk")))) | Q(is_superuser=True)
