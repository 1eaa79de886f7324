"""What somebody may do beside what membership in teams allows."""

from django.contrib.auth.models import AbstractUser, AnonymousUser


def is_operator(user: AbstractUser | AnonymousUser) -> bool:
    """Whether somebody sees everything, and may change what people decide."""
    return user.is_active and (user.is_superuser or user.groups.filter(name="operators").exists())
