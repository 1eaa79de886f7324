from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from knox.models import AuthToken
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from dashboard.access.models import ApiToken, Identity
from tests.dashboard.access.conftest import MakeToken

pytestmark = pytest.mark.django_db

LIST = "/api/v1/shares/"


class Writes(APIView):
    """As a resource that may be written is."""

    def post(self, request: Any) -> Response:
        return Response({})

    put = patch = delete = post


def test_a_token_is_stored_as_a_hash_only(make_token: MakeToken, ada: User) -> None:
    _, text = ApiToken.issue(ada, "of a program", "read", timedelta(days=1))
    stored = AuthToken.objects.get()
    assert len(stored.digest) == 128
    assert text not in (stored.digest, stored.token_key)


def test_it_opens_the_api_as_its_user(make_token: MakeToken) -> None:
    _, program = make_token()
    assert program.get(LIST).status_code == 200


def test_an_expired_one_is_401_and_stays_in_the_list(make_token: MakeToken) -> None:
    _, program = make_token(life=timedelta(seconds=-1))
    answer = program.get(LIST)
    assert (answer.status_code, answer["Content-Type"]) == (401, "application/problem+json")
    assert ApiToken.objects.get().is_expired


def test_a_revoked_one_is_401(make_token: MakeToken) -> None:
    token, program = make_token()
    token.revoke()
    assert program.get(LIST).status_code == 401
    assert not AuthToken.objects.exists()


def test_one_of_a_user_who_was_switched_off_is_401(make_token: MakeToken, ada: User) -> None:
    _, program = make_token()
    ada.is_active = False
    ada.save()
    assert program.get(LIST).status_code == 401


@pytest.mark.parametrize(
    "text", ["", "x", "x" * 15, "x" * 14 + "\x00" * 6, "é" * 20, "x" * 5000, "two words"]
)
def test_what_is_no_token_is_401_whatever_it_looks_like(text: str) -> None:
    answer = Client(headers={"Authorization": f"Bearer {text}"}).get(LIST)
    assert (answer.status_code, answer["Content-Type"]) == (401, "application/problem+json")
    assert answer["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
@pytest.mark.parametrize(("scope", "status"), [("read", 403), ("read-write", 200)])
def test_writing_takes_a_token_that_may_write(ada: User, method: str, scope: str, status: int) -> None:
    _, text = ApiToken.issue(ada, "of a program", scope, timedelta(days=1))
    request = getattr(APIRequestFactory(), method)("/", HTTP_AUTHORIZATION=f"Bearer {text}")
    answer = Writes.as_view()(request)
    assert answer.status_code == status
    if status == 403:
        assert answer["Content-Type"] == "application/problem+json"
        assert b"its scope is not read-write" in answer.content


def test_a_token_from_before_there_were_scopes_may_read(ada: User) -> None:
    _, text = AuthToken.objects.create(ada)
    assert Client(headers={"Authorization": f"Bearer {text}"}).get(LIST).status_code == 200
    request = APIRequestFactory().post("/", HTTP_AUTHORIZATION=f"Bearer {text}")
    assert Writes.as_view()(request).status_code == 403


@pytest.mark.parametrize("path", ["fit/", "conversions/"])
def test_a_question_that_is_sent_by_post_is_no_writing(make_token: MakeToken, path: str) -> None:
    _, program = make_token()
    assert program.post(f"/api/v1/{path}", "{}", content_type="application/json").status_code == 400


def test_its_last_use_is_noted_once_a_minute(make_token: MakeToken) -> None:
    token, program = make_token()
    program.get(LIST)
    token.refresh_from_db()
    assert token.last_used_at is not None
    just_now = timezone.now() - timedelta(seconds=20)
    ApiToken.objects.update(last_used_at=just_now)
    program.get(LIST)
    token.refresh_from_db()
    assert token.last_used_at == just_now


def test_a_service_account_has_no_password_and_a_token(administration: Client, make_token: MakeToken) -> None:
    robot = User.objects.create_user("robot")
    assert not robot.has_usable_password()
    form = {"user": robot.pk, "name": "of a robot", "scope": "read", "days": "30"}
    page = administration.post("/admin/access/apitoken/add/", form, follow=True).content.decode()
    (token,) = ApiToken.objects.all()
    assert (token.user, token.name) == (robot, "of a robot")
    text = page.partition("<code>")[2].partition("</code>")[0]
    assert Client(headers={"Authorization": f"Bearer {text}"}).get(LIST).status_code == 200
    assert text not in administration.get("/admin/access/apitoken/").content.decode()


@pytest.mark.parametrize("who", ["with a password", "at a provider", "a superuser", "switched off"])
def test_an_operator_makes_no_token_that_acts_in_the_name_of_somebody(
    administration: Client, who: str
) -> None:
    user = User.objects.create_user("somebody", password="a long one" if who == "with a password" else None)
    user.is_superuser, user.is_active = who == "a superuser", who != "switched off"
    user.save()
    if who == "at a provider":
        Identity.objects.create(user=user, issuer="https://login.example.org", subject="1")
    form = {"user": user.pk, "name": "of a robot", "scope": "read", "days": "30"}
    assert administration.post("/admin/access/apitoken/add/", form).status_code == 200
    assert not ApiToken.objects.exists()


def test_an_operator_revokes_tokens_of_others(administration: Client, make_token: MakeToken) -> None:
    token, program = make_token()
    administration.post(f"/admin/access/apitoken/{token.pk}/delete/", {"post": "yes"})
    assert program.get(LIST).status_code == 401
