"""Whose eyes an answer is for."""

from collections import defaultdict
from collections.abc import Iterable

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AbstractUser, AnonymousUser, User

from dashboard.access.roles import is_operator, operators
from inventory.models import Membership
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
    if is_operator(user):
        return EVERYTHING
    teams = Membership.objects.filter(user=user.pk).values_list("team_id", flat=True)
    return Viewer(frozenset(teams))


def viewers_of(users: Iterable[User]) -> dict[int, Viewer]:
    """By user, in two queries; without those who may not come in."""
    known = [user.pk for user in users if user.is_active]
    everything = set(operators().filter(pk__in=known).values_list("pk", flat=True))
    teams: defaultdict[int, set[int]] = defaultdict(set)
    for user, team in Membership.objects.filter(user__in=known).values_list("user_id", "team_id"):
        teams[user].add(team)
    return {pk: EVERYTHING if pk in everything else Viewer(frozenset(teams[pk])) for pk in known}
