"""The users and the teams of the demo."""

from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone
from knox.crypto import hash_token
from knox.models import AuthToken
from knox.settings import CONSTANTS

from dashboard.access.models import ApiToken
from inventory.models import Membership, Team, TeamNamespace, TeamQuota
from inventory.teams.assignment import changing_teams

OPERATOR = "operator"


class DemoTeam(NamedTuple):
    """A team and the namespace `team-<slug>` that is its own."""

    slug: str
    members: tuple[tuple[str, Membership.Role], ...] = ()


# In the order of their colours.
TEAMS = (
    DemoTeam("nlp", (("nlp-member", Membership.Role.MEMBER),)),
    DemoTeam("vision", (("vision-lead", Membership.Role.LEAD),)),
    DemoTeam("batch"),
    DemoTeam("infra"),
    DemoTeam("fabric"),
    DemoTeam("gang"),
    DemoTeam("quota"),
    DemoTeam("rec"),
)


class DemoQuota(NamedTuple):
    team: str
    dimension: str
    quantity: str
    hard: bool = False
    product: str = ""
    note: str = ""


A100 = "NVIDIA A100-SXM4-80GB"
QUOTAS = (
    DemoQuota("nlp", "memory", "400Gi", hard=True, product=A100),
    # More is held already: a soft limit only tells.
    DemoQuota("nlp", "cores", "600", product=A100, note="until the new cards come"),
    DemoQuota("nlp", "cards", "24"),
    DemoQuota("vision", "card_equivalents", "16", hard=True),
    DemoQuota("vision", "memory", "768Gi", hard=True),
    # A claim waits for a whole card, which is more than is left.
    DemoQuota("infra", "memory", "120Gi", hard=True),
    DemoQuota("batch", "card_equivalents", "6"),
    DemoQuota("quota", "cards", "1", hard=True),
    DemoQuota("rec", "memory", "512Gi"),
)


@changing_teams()
def settle(password: str, token: str) -> None:
    """All of them exist afterwards, with this password, and the operator with this token for REST."""
    operator = _user(OPERATOR, password, operator=True)
    _give_token(operator, token)
    for colour, each in enumerate(TEAMS, start=1):
        team, _ = Team.objects.update_or_create(
            slug=each.slug, defaults={"name": each.slug, "colour": colour}
        )
        TeamNamespace.objects.update_or_create(
            cluster=None, namespace=f"team-{each.slug}", defaults={"team": team}
        )
        for name, role in each.members:
            user = _user(name, password, operator=False)
            Membership.objects.update_or_create(team=team, user=user, defaults={"role": role})
    for quota in QUOTAS:
        _limit(quota)


def _limit(quota: DemoQuota) -> None:
    """Such a limit exists afterwards; one that an operator has changed stays as it is."""
    team = Team.objects.get(slug=quota.team)
    kind = {"dimension": quota.dimension, "product": quota.product, "hard": quota.hard}
    if not team.quotas.filter(**kind).exists():
        TeamQuota.objects.create(team=team, **kind, quantity=quota.quantity, note=quota.note)


def _user(name: str, password: str, *, operator: bool) -> User:
    user, _ = User.objects.get_or_create(username=name)
    user.is_active, user.is_staff, user.is_superuser = True, operator, operator
    user.set_password(password)
    user.save()
    return user


def _give_token(user: User, token: str) -> None:
    """One that is known beforehand, which knox itself would not make; it is stored as hash only."""
    AuthToken.objects.filter(user=user).delete()
    stored = AuthToken(
        digest=hash_token(token),
        token_key=token[: CONSTANTS.TOKEN_KEY_LENGTH],
        user=user,
        expiry=timezone.now() + timedelta(days=settings.SLICEBOARD_TOKEN_DAYS),
    )
    stored.save()
    ApiToken.objects.create(token=stored, name="demo", scope=ApiToken.Scope.READ_WRITE)
