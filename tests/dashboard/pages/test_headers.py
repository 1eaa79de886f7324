"""What every answer tells a browser that it may do: read from the answers themselves."""

from typing import Any

import pytest
from csp.constants import UNSAFE_INLINE
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

pytestmark = pytest.mark.django_db

# Plotly gives each part of a picture its place in an attribute.
_LOOSE = {("style-src-attr", UNSAFE_INLINE)}


def _policy(answer: Any) -> dict[str, list[str]]:
    directives = (one.split() for one in answer["Content-Security-Policy"].split(";"))
    return {name: sources for name, *sources in filter(None, directives)}


@pytest.mark.parametrize(
    ("path", "status"), [("/", 200), ("/sign-in/", 302), ("/nowhere/", 404), ("/api/docs/", 200)]
)
def test_answers_allow_nothing_that_pages_do_not_need(signed_in: Client, path: str, status: int) -> None:
    answer = signed_in.get(path)
    assert answer.status_code == status
    _allows_no_more_than_needed(answer)


def test_so_do_those_to_whom_nobody_has_signed_in(client: Client) -> None:
    for path, status in (("/sign-in/", 200), ("/", 302), ("/nowhere/", 404), ("/api/v1/", 401)):
        answer = client.get(path)
        assert answer.status_code == status, path
        _allows_no_more_than_needed(answer)


def _allows_no_more_than_needed(answer: Any) -> None:
    policy = _policy(answer)
    loose = {
        (directive, source)
        for directive, sources in policy.items()
        for source in sources
        if source.startswith("'unsafe-") or source in ("*", "https:", "http:")
    }
    assert loose <= _LOOSE
    # Scripts have no rule of their own and follow this one.
    assert policy["default-src"] == ["'self'"]
    assert not {"script-src", "script-src-elem", "script-src-attr"} & policy.keys()
    for directive in ("object-src", "base-uri", "frame-ancestors"):
        assert policy[directive] == ["'none'"], directive
    assert policy["form-action"] == ["'self'"]
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == "same-origin"


@pytest.mark.parametrize("secure", [True, False])
def test_every_cookie_goes_over_https_only_where_cookies_are_to(
    settings: Settings, client: Client, secure: bool
) -> None:
    for name in ("SESSION", "CSRF", "LANGUAGE"):
        setattr(settings, f"{name}_COOKIE_SECURE", secure)
    User.objects.create_user("member", password="for this test")
    client.get("/sign-in/")
    client.post("/sign-in/", {"username": "member", "password": "for this test"})
    client.post("/theme/", {"theme": "dark"})
    client.post("/language/", {"language": "zh-hans"})
    assert client.cookies.keys() == {"sessionid", "csrftoken", "theme", "django_language"}
    for name, cookie in client.cookies.items():
        assert (bool(cookie["secure"]), cookie["samesite"]) == (secure, "Lax"), name
