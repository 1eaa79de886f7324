"""The user of somebody whom the provider vouches for, and the rights that his groups give."""

import re
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from dashboard.access.models import Identity
from dashboard.access.oidc.mapping import Role, parse, teams
from dashboard.access.oidc.refusal import SignInError, unusable
from dashboard.access.operators import OPERATORS
from dashboard.access.roles import is_operator
from inventory.models import Membership, Team

Claims = Mapping[str, Any]

_NOT_IN_NAMES = re.compile(r"[^\w.@+-]+")
_LONGEST_NAME = 150
_LONGEST_SUBJECT = 255
_CALLED = ("preferred_username", "email", "name", "sub")
_OF_USER = {"given_name": "first_name", "family_name": "last_name", "email": "email"}


def user_of(claims: Claims) -> User:
    """Known by issuer and subject alone: a user of the same name or address is somebody else.

    Rights are brought up to date even of one who is then refused, and of a stranger nothing is kept.
    Raises SignInError.
    """
    groups = _groups(claims)
    with transaction.atomic():
        identity, is_new = _identity(claims)
        user = User.objects.select_for_update().get(pk=identity.user_id)
        _describe(user, claims)
        _give_teams(user, teams([parse(one) for one in settings.SLICEBOARD_OIDC_TEAMS], groups))
        _give_operator(user, identity, _are_of_operators(groups))
        if is_new:
            _refuse_stranger(user)
    _refuse_stranger(user)
    return user


def _groups(claims: Claims) -> frozenset[str]:
    name = settings.SLICEBOARD_OIDC_GROUPS_CLAIM
    # Entra ID leaves out what is too long, and says so: not knowing is not the same as no groups.
    elsewhere = claims.get("_claim_names")
    if name not in claims and isinstance(elsewhere, Mapping) and name in elsewhere:
        raise SignInError(
            _("You are in too many groups for your provider to name them. Tell an operator."),
            cause=f"the claim {name!r} is left out for its length: have the provider send fewer groups",
        )
    found = claims.get(name)
    if isinstance(found, str):
        return frozenset([found])
    if not isinstance(found, list | None):
        raise unusable(f"the claim {name!r} is no list of groups: {found!r}")
    return frozenset(one for one in found or () if isinstance(one, str))


def _identity(claims: Claims) -> tuple[Identity, bool]:
    """And whether he comes for the first time."""
    named = {"issuer": settings.SLICEBOARD_OIDC_ISSUER, "subject": _subject(claims)}
    known = Identity.objects.select_for_update()
    if (found := known.filter(**named).first()) is not None:
        return found, False
    try:
        with transaction.atomic():
            return Identity.objects.create(user=_new_user(claims), **named), True
    except IntegrityError:
        # He has just come by another window, too.
        return known.get(**named), False


def _subject(claims: Claims) -> str:
    found = str(claims["sub"])
    if len(found) > _LONGEST_SUBJECT or "\x00" in found:
        raise unusable(f"its subject is not of up to {_LONGEST_SUBJECT} characters: {found[:300]!r}")
    return found


def _said(claims: Claims, name: str) -> str:
    """What is no text is not said."""
    found = claims.get(name)
    return found.replace("\x00", "") if isinstance(found, str) else ""


def _new_user(claims: Claims) -> User:
    """Under the first name that is free, without a password."""
    said = User.normalize_username(next(filter(None, (_said(claims, name) for name in _CALLED)), ""))
    name = _NOT_IN_NAMES.sub("-", said).strip("-") or "user"
    for number in range(1, 1000):
        suffix = f"-{number}" if number > 1 else ""
        free = f"{name[: _LONGEST_NAME - len(suffix)]}{suffix}"
        if User.objects.filter(username__iexact=free).exists():
            continue
        try:
            with transaction.atomic():
                return User.objects.create_user(free)
        except IntegrityError:
            # Somebody else has just taken it.
            continue
    raise SignInError(
        _("No user name is left for you. Tell an operator."), cause=f"{name!r} is taken 999 times"
    )


def _describe(user: User, claims: Claims) -> None:
    said = {ours: _said(claims, theirs)[: _length(ours)] for theirs, ours in _OF_USER.items()}
    changed = [name for name, value in said.items() if value and getattr(user, name) != value]
    for name in changed:
        setattr(user, name, said[name])
    if changed:
        user.save(update_fields=changed)


def _length(name: str) -> int | None:
    length: int | None = User._meta.get_field(name).max_length  # type: ignore[union-attr]
    return length


def _give_teams(user: User, wanted: Mapping[str, Role]) -> None:
    """What groups gave follows them; what was given by hand stays as it is. A team must exist."""
    held = {one.team.slug: one for one in user.memberships.select_related("team", "user")}
    for slug, membership in held.items():
        if membership.source == Membership.Source.HAND:
            continue
        if slug not in wanted:
            membership.delete()
        elif membership.role != wanted[slug]:
            membership.role = wanted[slug]
            membership.save(update_fields=["role"])
    for team in Team.objects.filter(slug__in=wanted.keys() - held.keys()):
        Membership.objects.create(
            team=team, user=user, role=wanted[team.slug], source=Membership.Source.SIGN_IN
        )


def _are_of_operators(groups: frozenset[str]) -> bool:
    return not groups.isdisjoint(settings.SLICEBOARD_OIDC_OPERATOR_GROUPS)


def _give_operator(user: User, identity: Identity, wanted: bool) -> None:  # noqa: FBT001
    """One who was made an operator by hand stays one."""
    group, _made = Group.objects.get_or_create(name=OPERATORS)
    if wanted and not user.groups.filter(pk=group.pk).exists():
        user.groups.add(group)
        _note(identity, made_operator=True)
    elif not wanted and identity.made_operator:
        user.groups.remove(group)
        _note(identity, made_operator=False)


def _note(identity: Identity, *, made_operator: bool) -> None:
    identity.made_operator = made_operator
    identity.save(update_fields=["made_operator"])


def _refuse_stranger(user: User) -> None:
    """Where groups decide who comes in, one without any that counts does not."""
    if not user.is_active:
        raise SignInError(_("Your account is switched off here."), cause=f"{user} is not active")
    by_groups = settings.SLICEBOARD_OIDC_TEAMS or settings.SLICEBOARD_OIDC_OPERATOR_GROUPS
    if by_groups and not is_operator(user) and not user.memberships.exists():
        claim = settings.SLICEBOARD_OIDC_GROUPS_CLAIM
        raise SignInError(
            _("None of your groups is one that Sliceboard knows. Ask whoever runs it."),
            cause=f"no group in the claim {claim!r} of {user} is one of the settings",
        )
