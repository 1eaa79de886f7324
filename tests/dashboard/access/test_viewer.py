"""Whose eyes an answer is for."""

import pytest
from django.contrib.auth.models import AnonymousUser, Group, User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dashboard.access.roles import is_operator
from dashboard.access.viewer import viewer_of, viewers_of
from inventory.models import Membership
from inventory.viewer import EVERYTHING, Viewer
from tests.factories import make_team

pytestmark = pytest.mark.django_db

NOBODY = Viewer(frozenset())


@pytest.fixture
def user() -> User:
    return User.objects.create_user("somebody")


def _operators() -> Group:
    return Group.objects.get_or_create(name="operators")[0]


def test_members_of_the_group_and_superusers_are_operators(user: User) -> None:
    assert not is_operator(user)
    user.groups.add(_operators())
    assert is_operator(user)
    assert is_operator(User.objects.create_superuser("admin"))
    assert not is_operator(AnonymousUser())


def test_whoever_may_enter_the_administration_is_no_operator_by_that(user: User) -> None:
    user.is_staff = True
    assert not is_operator(user)
    assert viewer_of(user) == NOBODY


def test_a_member_sees_the_names_of_each_of_his_teams(user: User) -> None:
    teams = [make_team("vision"), make_team("nlp")]
    make_team("batch")
    for team in teams:
        Membership.objects.create(team=team, user=user)
    assert viewer_of(user) == Viewer(frozenset(team.pk for team in teams))


def test_an_operator_sees_everything_whatever_his_teams(user: User) -> None:
    user.groups.add(_operators())
    Membership.objects.create(team=make_team(), user=user)
    assert viewer_of(user) == EVERYTHING


def test_a_deactivated_user_sees_nothing(user: User) -> None:
    user.is_active, user.is_superuser = False, True
    Membership.objects.create(team=make_team(), user=user)
    assert viewer_of(user) == NOBODY
    assert viewer_of(AnonymousUser()) == NOBODY


def test_it_is_found_out_once(user: User) -> None:
    with CaptureQueriesContext(connection) as asked:
        viewer_of(user)
    assert len(asked) == 1
    with CaptureQueriesContext(connection) as asked:
        viewer_of(user)
    assert not asked.captured_queries


def test_what_many_may_see_is_one_query(user: User) -> None:
    team, admin = make_team(), User.objects.create_superuser("admin")
    Membership.objects.create(team=team, user=user)
    gone, nobody = User.objects.create_user("gone", is_active=False), User.objects.create_user("nobody")
    with CaptureQueriesContext(connection) as asked:
        found = viewers_of([user.pk, admin.pk, gone.pk, nobody.pk])
    assert found == {user.pk: Viewer(frozenset([team.pk])), admin.pk: EVERYTHING, nobody.pk: NOBODY}
    assert len(asked) == 1
