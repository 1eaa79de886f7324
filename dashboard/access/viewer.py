"""Whose eyes an answer is for."""

from collections import defaultdict
from collections.abc import Iterable

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AbstractUser, AnonymousUser, User

from dashboard.access.roles import operates
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


def viewers_of(users: Iterable[int]) -> dict[int, Viewer]:
    """By user, in one query; without those who may not come in."""
    asked = User.objects.filter(pk__in=users, is_active=True).annotate(sees_all=operates())
    everything: set[int] = set()
    teams: defaultdict[int, set[int]] = defaultdict(set)
    for user, sees_all, team in asked.values_list("pk", "sees_all", "memberships__team"):
        if sees_all:
            everything.add(user)
        teams[user].update([team] if team else [])
    return {pk: EVERYTHING if pk in everything else Viewer(frozenset(of)) for pk, of in teams.items()}


def _looked_up(user: AbstractBaseUser | AnonymousUser) -> Viewer:
    if not isinstance(user, AbstractUser) or not user.is_active:
        return _NOBODY
    return EVERYTHING if user.is_superuser else viewers_of([user.pk]).get(user.pk, _NOBODY)
