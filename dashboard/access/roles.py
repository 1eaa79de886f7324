"""Who is an operator."""

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, User

OPERATORS = "operators"


def is_operator(user: AbstractBaseUser | AnonymousUser) -> bool:
    """A superuser, or a member of the group `operators`."""
    if not isinstance(user, User) or not user.is_active:
        return False
    return user.is_superuser or user.groups.filter(name=OPERATORS).exists()
