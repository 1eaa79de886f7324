from io import StringIO

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from dashboard.access import operators
from dashboard.access.models import Identity
from dashboard.access.roles import is_operator
from inventory.models import Cluster, Team
from tests.dashboard.access.conftest import PASSWORD as OF_OPERATOR

pytestmark = pytest.mark.django_db

PASSWORD = "a long one for tests"


def test_a_superuser_and_a_member_of_the_group_are_operators(operator: User, ada: User) -> None:
    root = User.objects.create_superuser("root")
    assert [is_operator(user) for user in (root, operator, ada)] == [True, True, False]


def test_one_who_is_switched_off_is_none(operator: User) -> None:
    operator.is_active = False
    assert not is_operator(operator)


def test_the_administration_is_open_to_operators_and_to_nobody_else(
    administration: Client, ada: User
) -> None:
    for path in ("inventory/cluster/", "inventory/team/add/", "auth/user/", "access/auditentry/"):
        assert administration.get(f"/admin/{path}").status_code == 200
    browser = Client()
    browser.force_login(ada)
    answer = browser.get("/admin/", follow=True)
    assert (answer.status_code, answer.redirect_chain) == (403, [("/admin/login/?next=/admin/", 302)])


def test_the_way_into_the_administration_is_the_one_sign_in_page(operator: User) -> None:
    browser = Client()
    page = "/admin/inventory/cluster/"
    for path in (page, f"/admin/login/?next={page}"):
        asked = browser.get(path, follow=True)
        assert asked.redirect_chain[-1] == (f"/sign-in/?next={page}", 302)
    assert browser.post("/admin/login/")["Location"] == "/sign-in/?next=/admin/"
    form = {"username": "operator", "password": OF_OPERATOR, "next": page}
    assert browser.post("/sign-in/", form)["Location"] == page
    assert browser.get("/admin/login/")["Location"] == "/admin/"


def test_an_operator_writes_what_the_administration_shows(administration: Client, ada: User) -> None:
    team = {
        "name": "Vision",
        "slug": "vision",
        "colour": "1",
        "assignments-TOTAL_FORMS": "1",
        "assignments-INITIAL_FORMS": "0",
        "assignments-0-namespace": "team-vision",
        "memberships-TOTAL_FORMS": "1",
        "memberships-INITIAL_FORMS": "0",
        "memberships-0-user": str(ada.pk),
        "memberships-0-role": "lead",
    }
    assert administration.post("/admin/inventory/team/add/", team).status_code == 302
    cluster = {"name": "lab", "enabled": "on", "kubeconfig": "/etc/lab.yaml"}
    assert administration.post("/admin/inventory/cluster/add/", cluster).status_code == 302
    assert Cluster.objects.get().name == "lab"
    made = Team.objects.get()
    assert [one.namespace for one in made.assignments.all()] == ["team-vision"]
    assert [(one.user, one.role) for one in made.memberships.all()] == [(ada, "lead")]


def test_an_operator_says_who_somebody_is_at_a_provider(administration: Client, ada: User) -> None:
    form = {
        "username": "ada",
        "is_active": "on",
        "date_joined_0": "2026-01-01",
        "date_joined_1": "00:00:00",
        "identities-TOTAL_FORMS": "1",
        "identities-INITIAL_FORMS": "0",
        "identities-0-issuer": "https://login.example.org",
        "identities-0-subject": "1234",
    }
    assert administration.post(f"/admin/auth/user/{ada.pk}/change/", form).status_code == 302
    assert Identity.objects.get().user == ada
    bob = User.objects.create_user("bob")
    answer = administration.post(f"/admin/auth/user/{bob.pk}/change/", {**form, "username": "bob"})
    assert "Another user is this subject of this issuer already." in answer.content.decode()
    assert Identity.objects.get().user == ada


def test_staff_follows_the_group(operator: User, ada: User) -> None:
    group = Group.objects.get(name="operators")
    group.user_set.add(ada)
    ada.refresh_from_db()
    assert ada.is_staff
    group.user_set.clear()
    for user in (ada, operator):
        user.refresh_from_db()
        assert not user.is_staff
    ada.is_staff = True
    ada.save()
    ada.refresh_from_db()
    assert not ada.is_staff


def test_an_operator_cannot_make_himself_a_superuser(administration: Client, operator: User) -> None:
    page = f"/admin/auth/user/{operator.pk}/change/"
    form = {
        "username": "operator",
        "is_active": "on",
        "is_superuser": "on",
        "date_joined_0": "2026-01-01",
        "date_joined_1": "00:00:00",
        "groups": [Group.objects.get(name="operators").pk],
        "identities-TOTAL_FORMS": "0",
        "identities-INITIAL_FORMS": "0",
    }
    assert administration.post(page, form).status_code == 302
    operator.refresh_from_db()
    assert (operator.is_superuser, operator.is_staff) == (False, True)


def test_an_operator_cannot_take_over_a_superuser(administration: Client) -> None:
    root = User.objects.create_superuser("root", password=PASSWORD)
    form = {"password1": "taken over by me", "password2": "taken over by me", "usable_password": "true"}
    assert administration.post(f"/admin/auth/user/{root.pk}/password/", form).status_code == 403
    assert administration.post(f"/admin/auth/user/{root.pk}/delete/", {"post": "yes"}).status_code == 403
    root.refresh_from_db()
    assert root.check_password(PASSWORD)


def test_an_operator_cannot_change_what_groups_may(administration: Client) -> None:
    group = Group.objects.get(name="operators")
    assert administration.post(f"/admin/auth/group/{group.pk}/change/", {"name": "x"}).status_code == 403


def test_the_group_of_operators_keeps_its_name_and_stays() -> None:
    browser = Client()
    browser.force_login(User.objects.create_superuser("root"))
    group = Group.objects.get(name="operators")
    browser.post(f"/admin/auth/group/{group.pk}/change/", {"name": "cooks"})
    browser.post(f"/admin/auth/group/{group.pk}/delete/", {"post": "yes"})
    form = {"action": "delete_selected", "_selected_action": [group.pk], "post": "yes"}
    browser.post("/admin/auth/group/", form)
    group.refresh_from_db()
    assert group.name == "operators"


def test_the_first_one_is_made_by_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", StringIO(f"{PASSWORD}\n"))
    call_command("create_operator", "first", stdout=StringIO())
    user = User.objects.get()
    assert (is_operator(user), user.is_superuser, user.check_password(PASSWORD)) == (True, False, True)


@pytest.mark.parametrize(
    ("name", "password", "told"),
    [
        ("first", "short", "at least 12 characters"),
        ("first", "password12345", "too common"),
        ("first", "3141592653589", "entirely numeric"),
        ("operator-one", "operator-one", "too similar to the username"),
        ("a b", PASSWORD, "valid username"),
    ],
)
def test_a_weak_password_or_a_bad_name_is_refused(
    name: str, password: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", StringIO(f"{password}\n"))
    with pytest.raises(CommandError, match=told):
        call_command("create_operator", name)
    assert not User.objects.exists()


def test_the_first_one_may_come_from_the_environment(settings: Settings) -> None:
    settings.SLICEBOARD_OPERATOR_NAME, settings.SLICEBOARD_OPERATOR_PASSWORD = "first", PASSWORD
    assert operators.from_environment() is not None
    assert User.objects.get().check_password(PASSWORD)


def test_the_password_of_one_who_is_there_is_never_touched(
    ada: User, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ada.password
    settings.SLICEBOARD_OPERATOR_NAME, settings.SLICEBOARD_OPERATOR_PASSWORD = "ada", PASSWORD
    assert operators.from_environment() is None
    monkeypatch.setattr("sys.stdin", StringIO(f"{PASSWORD}\n"))
    with pytest.raises(CommandError, match="There is a user 'ada' already"):
        call_command("create_operator", "ada")
    ada.refresh_from_db()
    assert (ada.password, is_operator(ada)) == (before, False)


def test_a_name_without_a_password_is_told(settings: Settings) -> None:
    settings.SLICEBOARD_OPERATOR_NAME = "first"
    with pytest.raises(operators.OperatorError, match="SLICEBOARD_OPERATOR_PASSWORD"):
        operators.from_environment()
