"""Whose eyes an answer is for."""

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AbstractUser, AnonymousUser, User
from django.db.models import Exists

from dashboard.access.roles import operators_groups
from inventory.viewer import EVERYTHING, Viewer

_KEPT = "_viewer"
_NOBODY = Viewer(frozenset())


def viewer_of(user: AbstractBaseUser | AnonymousUser) -> Viewer:
    """Asked for once in a request, whose user it is kept with."""
    found: Viewer | None = getattr(user, _KEPT, None)
    if found is None:
        found = _looked_up(user)
        setattr(user, _KEPT, found)
    return found


def _looked_up(user: AbstractBaseUser | AnonymousUser) -> Viewer:
    if not isinstance(user, AbstractUser) or not user.is_active:
        return _NOBODY
    if user.is_superuser:
        return EVERYTHING
    asked = User.objects.filter(pk=user.pk).annotate(operates=Exists(operators_groups(user)))
    found = list(asked.values_list("operates", "memberships__team"))
    if any(operates for operates, _team in found):
        return EVERYTHING
    return Viewer(frozenset(team for _operates, team in found if team))
