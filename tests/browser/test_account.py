"""Signing in elsewhere, and what a user has of his own, in a real browser that runs no script."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from tests.browser.signing_in import PASSWORD, sign_in
from tests.dashboard.access.oidc.conftest import provider
from tests.services.identity_provider import IdentityProvider

__all__ = ["provider"]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def plain_page(browser: Browser, live_server: LiveServer) -> Iterator[Page]:
    context = browser.new_context(
        base_url=live_server.url, locale="en", java_script_enabled=False, ignore_https_errors=True
    )
    yield context.new_page()
    context.close()


def test_a_browser_goes_to_the_provider_and_comes_back(plain_page: Page, provider: IdentityProvider) -> None:
    provider.add("ada", preferred_username="ada")
    plain_page.goto("/clusters/")
    plain_page.get_by_role("link", name="Sign in with Example Login").click()
    plain_page.wait_for_url("**/clusters/")
    assert plain_page.get_by_role("heading", name="Clusters").is_visible()
    plain_page.get_by_role("button", name="Sign out").first.click()
    assert plain_page.get_by_role("link", name="Sign out of Example Login, too").is_visible()


def test_a_token_is_made_and_revoked_without_a_script(plain_page: Page, live_server: LiveServer) -> None:
    User.objects.create_user("operator", password=PASSWORD)
    sign_in(plain_page)
    plain_page.goto("/account/tokens/")
    plain_page.get_by_label("What it is for").fill("nightly")
    plain_page.get_by_label("How long it lives").select_option("7")
    plain_page.get_by_role("button", name="Make it").click()
    text = plain_page.locator("#token").inner_text()
    program = Client(headers={"Authorization": f"Bearer {text}"})
    assert program.get("/api/v1/clusters/").status_code == 200
    plain_page.get_by_role("button", name="Revoke nightly").click()
    assert plain_page.get_by_text("You have no token.").is_visible()
    assert program.get("/api/v1/clusters/").status_code == 401


def test_sessions_are_ended_without_a_script(plain_page: Page, live_server: LiveServer) -> None:
    User.objects.create_user("operator", password=PASSWORD)
    sign_in(plain_page)
    plain_page.goto("/account/sessions/")
    assert plain_page.get_by_text("this one").is_visible()
    plain_page.get_by_role("button", name="Sign out everywhere").click()
    plain_page.wait_for_url("**/sign-in/")
    plain_page.goto("/account/sessions/")
    assert plain_page.get_by_role("heading", name="Sign in").is_visible()
