from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from dashboard.access.models import AuditEntry
from tests.dashboard.access.conftest import PASSWORD

pytestmark = pytest.mark.django_db


def sign_in(browser: Client, name: str, password: str) -> Any:
    return browser.post("/sign-in/", {"username": name, "password": password}, REMOTE_ADDR="192.0.2.3")


def told() -> list[tuple[str, str, str]]:
    found = AuditEntry.objects.exclude(action="created").order_by("pk")
    return [(one.action, one.username, one.object_name) for one in found]


def test_coming_and_going(client: Client, ada: User) -> None:
    sign_in(client, "ada", PASSWORD)
    client.post("/sign-out/")
    assert told() == [("signed in", "ada", "ada"), ("signed out", "ada", "ada")]
    entry = AuditEntry.objects.get(action="signed in")
    assert (entry.address, entry.after) == ("192.0.2.3", {"by": "password"})


def test_a_wrong_password(client: Client, ada: User) -> None:
    sign_in(client, "ada", "wrong")
    assert told() == [("refused", "", "ada")]


def test_a_name_that_nobody_has_is_not_kept_for_it_may_be_a_password(client: Client) -> None:
    sign_in(client, "my secret", "wrong")
    (entry,) = AuditEntry.objects.all()
    assert (entry.action, entry.after) == ("refused", {"by": "password", "user": "unknown"})
    assert "my secret" not in str(vars(entry))


def test_guessing_is_told_once_when_it_is_held_back(client: Client, ada: User, settings: Settings) -> None:
    settings.AXES_FAILURE_LIMIT = 2
    for _ in range(5):
        sign_in(client, "ada", "wrong")
    assert [action for action, *_ in told()] == ["refused", "held back"]


def test_an_address_that_is_held_back_is_told_once(client: Client, settings: Settings) -> None:
    settings.SLICEBOARD_SIGN_IN_TRIES_OF_ADDRESS = 2
    for number in range(5):
        sign_in(client, f"user-{number}", "wrong")
    found = AuditEntry.objects.order_by("pk").values_list("action", "address", "after__by")
    assert list(found) == [("refused", "192.0.2.3", "password")] * 2 + [("held back", "192.0.2.3", "address")]
