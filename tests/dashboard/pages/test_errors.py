"""Pages of errors: plain, in the reader's language and theme, and each says what to do."""

import re

import pytest
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from tests.dashboard.pages.conftest import Get

LANGUAGES = ("en", "zh-hans")


def _is_a_page(text: str, language: str) -> bool:
    """With a title, one heading, its language, the look of all pages, and a way on."""
    written = {"en": "en", "zh-hans": "zh-Hans"}[language]
    return (
        f'<html lang="{written}"' in text
        and text.count("<h1>") == 1
        and '<main id="main"' in text
        and "sliceboard.css" in text
        and bool(re.search(r"<(a|button|form)[ >]", text))
    )


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.django_db
def test_an_unknown_address_is_told_plainly(signed_in: Client, language: str) -> None:
    signed_in.cookies["django_language"] = language
    answer = signed_in.get("/nowhere/")
    assert answer.status_code == 404
    text = answer.content.decode()
    assert _is_a_page(text, language)
    assert 'role="search"' in text


@pytest.mark.django_db
def test_what_an_address_cannot_mean_is_named(signed_in: Client, language: str) -> None:
    signed_in.cookies["django_language"] = language
    answer = signed_in.get("/pods/?page=none&state=asleep")
    assert answer.status_code == 400
    text = answer.content.decode()
    assert _is_a_page(text, language)
    assert "<code>state</code>" in text
    assert 'href="/pods/"' in text


@pytest.mark.django_db
def test_what_is_not_allowed_is_told_plainly(client: Client, language: str) -> None:
    client.force_login(User.objects.create_user("member"))
    client.cookies["django_language"] = language
    answer = client.get("/admin/login/")
    assert answer.status_code == 403
    assert _is_a_page(answer.content.decode(), language)


@pytest.mark.django_db
def test_a_form_without_its_token_is_told_what_to_do(language: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.cookies["django_language"] = language
    answer = client.post("/sign-in/", {"username": "operator"})
    assert answer.status_code == 403
    text = answer.content.decode()
    assert _is_a_page(text, language)
    assert language != "en" or "This form has expired" in text


@pytest.mark.django_db
def test_who_is_held_back_is_told_for_how_long(client: Client, language: str) -> None:
    failed = settings.AXES_FAILURE_LIMIT
    AccessAttempt.objects.create(
        username="operator", ip_address="127.0.0.1", failures_since_start=failed, attempt_time=timezone.now()
    )
    client.cookies["django_language"] = language
    answer = client.post("/sign-in/", {"username": "operator", "password": "a guess"})
    assert answer.status_code == 429
    text = answer.content.decode()
    assert _is_a_page(text, language)
    assert "15 " in re.sub(r"<[^>]+>", " ", text)


def test_a_fault_is_told_without_any_database(language: str) -> None:
    """This test may not ask one: whoever does fails, and that is the fault."""
    client = Client(raise_request_exception=False)
    client.cookies["sessionid"] = "whoseitisnobodycantell"
    client.cookies["django_language"] = language
    client.cookies["theme"] = "dark"
    answer = client.get("/", headers={"X-Request-ID": "seven"})
    assert answer.status_code == 500
    text = answer.content.decode()
    assert _is_a_page(text, language)
    assert 'data-theme="dark"' in text
    assert '<code class="wrap">seven</code>' in text
    assert language != "en" or "Something went wrong here" in text


@pytest.mark.django_db
def test_no_page_of_an_error_shows_markup_of_the_address(get: Get) -> None:
    assert "<b>x</b>" not in get("/pods/?page=%3Cb%3Ex%3C/b%3E", 400)
    assert "<b>x</b>" not in get("/devices/?view=%3Cb%3Ex%3C/b%3E", 400)
