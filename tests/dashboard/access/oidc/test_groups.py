from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from pytest_django import Settings

from dashboard.access.models import AuditEntry, Identity
from dashboard.access.roles import is_operator
from inventory.models import Membership, Team
from tests.dashboard.access.oidc.conftest import SignIn
from tests.services.identity_provider import IdentityProvider

pytestmark = pytest.mark.django_db

Role, Source = Membership.Role, Membership.Source


@pytest.fixture(autouse=True)
def mapped(settings: Settings) -> None:
    settings.SLICEBOARD_OIDC_OPERATOR_GROUPS = ["/cards/operators"]
    settings.SLICEBOARD_OIDC_TEAMS = [
        "/vision=vision",
        "/vision/leads=vision:lead",
        "cn=nlp,ou=teams=nlp",
        "/gone=no-such-team",
    ]
    for slug in ("vision", "nlp"):
        Team.objects.create(slug=slug, name=slug)


def ada() -> User:
    return User.objects.get(username="ada")


def roles() -> dict[str, str]:
    return dict(Membership.objects.filter(user=ada()).values_list("team__slug", "role"))


def comes_with(provider: IdentityProvider, *groups: str) -> None:
    """As most providers do it: in the ID token."""
    provider.add("ada", preferred_username="ada")
    provider.in_token = {"groups": list(groups)}


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        (["/vision"], {"vision": "member"}),
        (["/vision", "/vision/leads", "/cooks"], {"vision": "lead"}),
        (["/vision/leads", "/vision"], {"vision": "lead"}),
        (["cn=nlp,ou=teams"], {"nlp": "member"}),
    ],
)
def test_groups_give_teams(
    sign_in: SignIn, provider: IdentityProvider, groups: list[str], expected: dict[str, str]
) -> None:
    comes_with(provider, *groups)
    assert sign_in().status_code == 302
    assert roles() == expected


def test_groups_may_come_from_the_userinfo_endpoint_instead(
    sign_in: SignIn, provider: IdentityProvider
) -> None:
    provider.add("ada", preferred_username="ada", groups=["/vision"])
    sign_in()
    assert roles() == {"vision": "member"}


def test_the_claim_may_be_called_otherwise(
    sign_in: SignIn, provider: IdentityProvider, settings: Settings
) -> None:
    settings.SLICEBOARD_OIDC_GROUPS_CLAIM = "roles"
    comes_with(provider)
    provider.in_token = {"roles": ["/vision"]}
    sign_in()
    assert roles() == {"vision": "member"}


def test_what_groups_gave_they_take_away_at_the_next_sign_in(
    sign_in: SignIn, provider: IdentityProvider
) -> None:
    comes_with(provider, "/vision/leads", "cn=nlp,ou=teams")
    sign_in()
    comes_with(provider, "/vision")
    sign_in(Client())
    assert roles() == {"vision": "member"}


def test_what_was_given_by_hand_stays(sign_in: SignIn, provider: IdentityProvider) -> None:
    comes_with(provider, "/vision")
    sign_in()
    Membership.objects.create(user=ada(), team=Team.objects.get(slug="nlp"), role=Role.LEAD)
    comes_with(provider, "cn=nlp,ou=teams")
    sign_in(Client())
    assert roles() == {"nlp": "lead"}
    comes_with(provider)
    assert sign_in(Client()).status_code == 302
    assert roles() == {"nlp": "lead"}


def test_a_group_makes_an_operator_and_no_longer_does(sign_in: SignIn, provider: IdentityProvider) -> None:
    comes_with(provider, "/cards/operators", "/vision")
    sign_in()
    assert (is_operator(ada()), ada().is_staff) == (True, True)
    comes_with(provider, "/vision")
    sign_in(Client())
    assert (is_operator(ada()), ada().is_staff) == (False, False)


def test_an_operator_who_was_made_by_hand_stays_one(sign_in: SignIn, provider: IdentityProvider) -> None:
    comes_with(provider, "/vision")
    sign_in()
    ada().groups.add(Group.objects.get(name="operators"))
    sign_in(Client())
    assert is_operator(ada())
    comes_with(provider, "/cards/operators")
    sign_in(Client())
    comes_with(provider)
    sign_in(Client())
    assert is_operator(ada())


def test_one_without_any_group_that_counts_is_not_let_in_and_told_so(
    sign_in: SignIn, client: Client, provider: IdentityProvider
) -> None:
    comes_with(provider, "/vision")
    sign_in(Client())
    comes_with(provider, "/cooks")
    answer = sign_in()
    assert (answer.status_code, "_auth_user_id" in client.session) == (403, False)
    assert "None of your groups is one that Sliceboard knows." in answer.content.decode()
    assert roles() == {}


def test_of_a_stranger_nothing_is_kept(sign_in: SignIn, provider: IdentityProvider) -> None:
    comes_with(provider, "/cooks", "/gone")
    assert sign_in().status_code == 403
    assert not User.objects.exists()
    assert not Identity.objects.exists()


def test_without_any_mapping_everybody_of_the_provider_may_come_in(
    sign_in: SignIn, provider: IdentityProvider, settings: Settings
) -> None:
    settings.SLICEBOARD_OIDC_OPERATOR_GROUPS = settings.SLICEBOARD_OIDC_TEAMS = []
    comes_with(provider)
    assert sign_in().status_code == 302
    assert roles() == {}


def test_too_many_groups_to_be_named_change_nothing(sign_in: SignIn, provider: IdentityProvider) -> None:
    comes_with(provider, "/vision")
    sign_in()
    provider.in_token = {"_claim_names": {"groups": "src1"}}
    answer = sign_in(Client())
    assert answer.status_code == 403
    assert "You are in too many groups for your provider to name them." in answer.content.decode()
    assert roles() == {"vision": "member"}


@pytest.mark.parametrize("groups", [{"a": 1}, 7, True])
def test_groups_that_are_no_list_change_nothing(
    sign_in: SignIn, provider: IdentityProvider, groups: Any
) -> None:
    comes_with(provider, "/vision")
    sign_in()
    provider.in_token = {"groups": groups}
    assert sign_in(Client()).status_code == 502
    assert roles() == {"vision": "member"}


@pytest.mark.parametrize("groups", [None, [], [None, 7, ["/vision"], {"/vision": 1}]])
def test_what_names_no_group_is_none(sign_in: SignIn, provider: IdentityProvider, groups: Any) -> None:
    comes_with(provider, "/vision")
    sign_in()
    provider.in_token = {"groups": groups, "_claim_names": None}
    assert sign_in(Client()).status_code == 403
    assert roles() == {}


@pytest.mark.parametrize("subject", ["x" * 256, "a\x00b"])
def test_a_subject_that_is_none_is_refused(sign_in: SignIn, provider: IdentityProvider, subject: str) -> None:
    comes_with(provider)
    provider.in_token = {"sub": subject, "groups": ["/vision"]}
    assert sign_in().status_code == 502
    assert not User.objects.exists()


def test_what_a_provider_says_of_somebody_is_taken_as_far_as_it_is_text(
    sign_in: SignIn, provider: IdentityProvider
) -> None:
    comes_with(provider)
    said = {"preferred_username": "ada\x00 lovelace", "email": 7, "given_name": "A\x00da" + "x" * 300}
    provider.in_token = {"groups": ["/vision"], "family_name": None, **said}
    assert sign_in().status_code == 302
    user = User.objects.get()
    assert (user.username, user.email, user.last_name) == ("ada-lovelace", "", "")
    assert user.first_name == "Ada" + "x" * 147


def test_a_name_that_only_looks_like_another_one_is_not_free(
    sign_in: SignIn, provider: IdentityProvider
) -> None:
    User.objects.create_user("root")
    comes_with(provider)
    provider.in_token = {"groups": ["/vision"], "preferred_username": "\uff32OOT"}
    sign_in()
    assert set(User.objects.values_list("username", flat=True)) == {"root", "ROOT-2"}


def test_what_groups_change_is_in_the_audit_log(sign_in: SignIn, provider: IdentityProvider) -> None:
    comes_with(provider, "/vision")
    sign_in()
    comes_with(provider, "/vision/leads")
    sign_in(Client())
    entries: list[Any] = list(AuditEntry.objects.filter(kind="inventory.membership").order_by("pk"))
    assert [(one.action, one.before, one.after) for one in entries] == [
        ("created", None, {"team": "vision", "user": "ada", "role": "member", "source": "sign-in"}),
        ("changed", {"role": "member"}, {"role": "lead"}),
    ]
