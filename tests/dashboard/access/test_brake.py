from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

pytestmark = pytest.mark.django_db

SignIn = Callable[..., Any]


@pytest.fixture
def sign_in(client: Client, settings: Settings) -> SignIn:
    """Tries a password, right or wrong. After three wrong ones one has to wait."""
    settings.AXES_FAILURE_LIMIT = 3
    User.objects.create_user("operator", password="a long one", is_staff=True)

    def tried(password: str, user: str = "operator", **sender: Any) -> Any:
        return client.post("/sign-in/", {"username": user, "password": password}, **sender)

    return tried


def test_whoever_guesses_has_to_wait_and_is_told_how_long(sign_in: SignIn) -> None:
    assert [sign_in("wrong").status_code for _ in range(2)] == [200, 200]
    answer = sign_in("wrong")
    assert (answer.status_code, answer["Retry-After"]) == (429, "900")
    text = answer.content.decode()
    assert "Too many sign-ins of this user have failed from here. Try again in 15 minutes." in text
    assert 'value="operator"' in text


def test_the_right_password_does_not_help_before_that(sign_in: SignIn) -> None:
    for _ in range(3):
        sign_in("wrong")
    assert sign_in("a long one").status_code == 429


def test_a_sign_in_that_succeeds_forgets_those_that_failed(sign_in: SignIn, client: Client) -> None:
    for _ in range(2):
        sign_in("wrong")
    assert sign_in("a long one").status_code == 302
    client.logout()
    assert [sign_in("wrong").status_code for _ in range(2)] == [200, 200]


def test_nobody_locks_out_another_user_or_the_same_user_elsewhere(sign_in: SignIn) -> None:
    for _ in range(3):
        sign_in("wrong", REMOTE_ADDR="192.0.2.1")
    assert sign_in("wrong", user="somebody", REMOTE_ADDR="192.0.2.1").status_code == 200
    assert sign_in("a long one", REMOTE_ADDR="192.0.2.2").status_code == 302


def test_an_address_that_the_client_made_up_does_not_help(sign_in: SignIn) -> None:
    answers = [sign_in("wrong", HTTP_X_FORWARDED_FOR=f"192.0.2.{number}") for number in range(3)]
    assert answers[-1].status_code == 429


def test_behind_a_proxy_the_address_that_it_added_counts(sign_in: SignIn, settings: Settings) -> None:
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}
    for number in range(3):
        sign_in("wrong", HTTP_X_FORWARDED_FOR=f"203.0.113.{number}, 192.0.2.1")
    assert sign_in("wrong", HTTP_X_FORWARDED_FOR="203.0.113.9, 192.0.2.1").status_code == 429
    assert sign_in("a long one", HTTP_X_FORWARDED_FOR="192.0.2.1, 192.0.2.2").status_code == 302


def test_whoever_tries_many_names_from_one_address_has_to_wait(sign_in: SignIn, settings: Settings) -> None:
    settings.SLICEBOARD_SIGN_IN_TRIES_OF_ADDRESS = 5
    answers = [sign_in("wrong", user=f"user-{number}") for number in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert "Too many sign-ins have failed from here. Try again in 15 minutes." in answers[-1].content.decode()
    assert sign_in("a long one").status_code == 429
    assert sign_in("a long one", REMOTE_ADDR="192.0.2.2").status_code == 302


def test_one_who_is_signed_in_goes_on_while_his_address_is_held_back(
    sign_in: SignIn, settings: Settings, client: Client
) -> None:
    settings.SLICEBOARD_SIGN_IN_TRIES_OF_ADDRESS = 2
    sign_in("a long one")
    guesser = Client()
    for number in range(3):
        guesser.post("/sign-in/", {"username": f"user-{number}", "password": "wrong"})
    assert client.get("/").status_code == 200
