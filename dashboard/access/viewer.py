"""Whose eyes an answer is for."""

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AbstractUser, AnonymousUser

from dashboard.access.roles import operators_groups
from inventory.models import Membership
from inventory.queries.at_once import Questions, number_of
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
    questions = Questions()
    groups = questions.ask(number_of(operators_groups(user)))
    teams = questions.ask(Membership.objects.filter(user=user.pk).order_by().values_list("team_id"))
    return EVERYTHING if groups.number else Viewer(frozenset(team for (team,) in teams.rows))
