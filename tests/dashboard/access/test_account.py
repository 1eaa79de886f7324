import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from dashboard.access.models import ApiToken, AuditEntry, UserSession
from tests.dashboard.access.conftest import PASSWORD, MakeToken

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(ada: User) -> Client:
    return signed_in()


def signed_in(name: str = "ada", **sender: Any) -> Client:
    browser = Client(**sender)
    assert browser.post("/sign-in/", {"username": name, "password": PASSWORD}).status_code == 302
    return browser


def test_a_token_is_shown_once(browser: Client) -> None:
    form = {"name": "<b>nightly</b>", "scope": "read-write", "days": "30"}
    answer = browser.post("/account/tokens/", form)
    assert answer["Cache-Control"] == "max-age=0, no-cache, no-store, must-revalidate, private"
    page = answer.content.decode()
    shown = re.search(r'id="token">([0-9a-f]{64})<', page)
    assert shown
    assert page.count(shown[1]) == 1
    program = Client(headers={"Authorization": f"Bearer {shown[1]}"})
    assert program.get("/api/v1/shares/").status_code == 200
    again = browser.get("/account/tokens/").content.decode()
    assert shown[1] not in again
    assert "&lt;b&gt;nightly&lt;/b&gt;" in again


@pytest.mark.parametrize(
    "form",
    [
        {"name": "", "scope": "read", "days": "30"},
        {"name": "x", "scope": "everything", "days": "30"},
        {"name": "x", "scope": "read", "days": "100000"},
        {"name": "x\x00", "scope": "read", "days": "30"},
        {},
    ],
)
def test_a_form_that_makes_no_sense_makes_no_token(browser: Client, form: dict[str, str]) -> None:
    assert browser.post("/account/tokens/", form).status_code == 400
    assert not ApiToken.objects.exists()


def test_no_token_lives_longer_than_the_deployment_allows(browser: Client, settings: Settings) -> None:
    settings.SLICEBOARD_TOKEN_DAYS = 20
    text = browser.get("/account/tokens/").content.decode()
    assert re.findall(r'<option value="(\d+)"', text) == ["1", "7", "20"]


def test_one_revokes_ones_own_tokens(browser: Client, make_token: MakeToken) -> None:
    token, program = make_token()
    assert browser.post(f"/account/tokens/{token.pk}/revoke/").status_code == 302
    assert program.get("/api/v1/shares/").status_code == 401


def test_a_token_of_somebody_else_is_not_there(
    browser: Client, make_token: MakeToken, operator: User
) -> None:
    token, program = make_token(user=operator)
    assert token.name not in browser.get("/account/tokens/").content.decode()
    assert browser.post(f"/account/tokens/{token.pk}/revoke/").status_code == 404
    assert program.get("/api/v1/shares/").status_code == 200


def test_a_token_opens_no_page_and_makes_no_tokens(make_token: MakeToken) -> None:
    _, program = make_token(scope="read-write")
    for path in ("/", "/account/tokens/", "/account/sessions/", "/admin/"):
        assert program.get(path).status_code == 302


def test_sessions_are_listed_with_where_they_come_from(browser: Client) -> None:
    signed_in(REMOTE_ADDR="192.0.2.7", HTTP_USER_AGENT="<i>Other</i> browser")
    text = browser.get("/account/sessions/").content.decode()
    assert "192.0.2.7" in text
    assert "&lt;i&gt;Other&lt;/i&gt; browser" in text
    assert text.count("this one") == 1


def test_one_session_can_be_ended(browser: Client) -> None:
    other = signed_in(REMOTE_ADDR="192.0.2.7")
    of_other = UserSession.objects.get(address="192.0.2.7")
    assert browser.post("/account/sessions/end/", {"session": of_other.public_id}).status_code == 302
    assert other.get("/").status_code == 302
    assert browser.get("/").status_code == 200


def test_signing_out_everywhere_ends_them_all_and_this_one(browser: Client, operator: User) -> None:
    other, foreign = signed_in(), signed_in("operator")
    assert browser.post("/account/sessions/end/")["Location"] == "/sign-in/"
    assert [one.get("/").status_code for one in (browser, other, foreign)] == [302, 302, 200]


def test_a_session_of_somebody_else_cannot_be_ended(browser: Client, operator: User) -> None:
    foreign = signed_in("operator")
    name = UserSession.objects.get(user_id=operator.pk).public_id
    browser.post("/account/sessions/end/", {"session": name})
    assert foreign.get("/").status_code == 200


def test_a_session_ends_with_a_new_password_and_with_its_user(ada: User) -> None:
    first, second = signed_in(), signed_in()
    ada.set_password("another horse battery")
    ada.save()
    assert first.get("/").status_code == 302
    ada.set_password(PASSWORD)
    ada.save()
    ada.is_active = False
    ada.save()
    assert second.get("/").status_code == 302


def test_an_operator_ends_the_sessions_of_a_user(browser: Client, administration: Client, ada: User) -> None:
    form = {"action": "end_sessions", "_selected_action": [ada.pk]}
    administration.post("/admin/auth/user/", form)
    assert browser.get("/").status_code == 302
    entry = AuditEntry.objects.get(action="sessions ended")
    assert (entry.username, entry.object_name, entry.after) == ("operator", "ada", {"sessions": 1})


def test_what_changes_something_is_never_done_by_get(browser: Client, make_token: MakeToken) -> None:
    token, _ = make_token()
    for path in ("/account/sessions/end/", f"/account/tokens/{token.pk}/revoke/"):
        assert browser.get(path).status_code == 405


def test_forms_of_other_sites_do_nothing(ada: User) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(ada)
    for path in ("/account/tokens/", "/account/sessions/end/", "/sign-out/"):
        assert browser.post(path, {"name": "x", "scope": "read", "days": "30"}).status_code == 403
    assert not ApiToken.objects.exists()


def change(browser: Client, old: str, new: str) -> int:
    form = {"old_password": old, "new_password1": new, "new_password2": new}
    return browser.post("/account/password/", form).status_code


def test_a_new_password_ends_the_other_sessions_and_not_this_one(browser: Client, ada: User) -> None:
    other = signed_in()
    assert change(browser, PASSWORD, "another horse battery") == 302
    (left,) = UserSession.objects.filter(user_id=ada.pk)
    assert left.pk == browser.session.session_key
    assert [one.get("/").status_code for one in (browser, other)] == [200, 302]
    ada.refresh_from_db()
    assert ada.check_password("another horse battery")


def test_one_who_is_switched_on_again_has_to_sign_in(browser: Client, ada: User) -> None:
    for active in (False, True):
        ada.is_active = active
        ada.save()
    assert browser.get("/").status_code == 302


def test_that_somebody_comes_in_or_is_described_anew_ends_nothing(browser: Client, ada: User) -> None:
    ada.refresh_from_db()
    ada.first_name = "Ada"
    ada.save()
    signed_in()
    assert browser.get("/").status_code == 200


@pytest.mark.parametrize("cookie", ["a" * 20 + "\x00", "x", "é" * 20, "a" * 5000])
def test_a_cookie_that_is_none_of_ours_is_as_no_cookie(db: None, cookie: str) -> None:
    browser = Client()
    browser.cookies["sessionid"] = cookie
    assert browser.get("/").status_code == 302


@pytest.mark.parametrize(("old", "new"), [("wrong", "another horse battery"), (PASSWORD, "short")])
def test_a_password_is_changed_by_whoever_knows_the_old_one_to_a_good_one(
    browser: Client, ada: User, old: str, new: str
) -> None:
    assert change(browser, old, new) == 400
    ada.refresh_from_db()
    assert ada.check_password(PASSWORD)


def test_whoever_guesses_the_old_password_has_to_wait(browser: Client, ada: User, settings: Settings) -> None:
    settings.AXES_FAILURE_LIMIT = 3
    new = "another horse battery"
    assert [change(browser, "wrong", new) for _ in range(3)] == [400, 400, 429]
    assert change(browser, PASSWORD, new) == 429
    ada.refresh_from_db()
    assert ada.check_password(PASSWORD)
    assert browser.get("/").status_code == 200


def test_an_operator_changes_his_password_where_everybody_does(administration: Client) -> None:
    assert administration.get("/admin/password_change/")["Location"] == "/account/password/"


def test_whoever_signs_in_elsewhere_has_no_password_to_change() -> None:
    browser = Client()
    browser.force_login(User.objects.create_user("guest"))
    assert "You have none here" in browser.get("/account/password/").content.decode()
    assert change(browser, "", "another horse battery") == 400
    assert not User.objects.get().has_usable_password()
