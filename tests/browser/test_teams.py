"""A team's page in Chromium: picture, limits, and what is loaded later."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, expect

from inventory.models import Team, TeamQuota
from tests.browser.every_page import CUT
from tests.browser.signing_in import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def team(site: str) -> Team:
    """With a hard limit that is kept and a soft one that is not; the reader is an operator."""
    User.objects.filter(username="operator").update(is_superuser=True)
    team = Team.objects.get(slug="nlp")
    for dimension, quantity, hard in (("memory", "320Gi", True), ("cores", "600", False)):
        TeamQuota.objects.create(team=team, dimension=dimension, quantity=quantity, hard=hard)
    return team


def test_teams_are_drawn_and_lead_to_their_pages(team: Team, page: Page) -> None:
    page.goto("/teams/")
    picture = page.locator(".plot")
    expect(picture.locator("text.bartext", has_text="nlp · 226.7 GiB")).to_be_visible()
    page.get_by_text("As a table").click()
    expect(page.get_by_role("cell", name="226.7 GiB").first).to_be_visible()
    page.locator("th a", has_text="nlp").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("nlp")


def test_limits_are_bars_with_their_words_and_the_largest_request_comes_after(team: Team, page: Page) -> None:
    page.goto("/teams/nlp/")
    expect(page.get_by_role("img", name="memory: 226.7 GiB held, limit 320 GiB")).to_be_visible()
    expect(page.locator(".badge.warn", has_text="over the soft limit")).to_be_visible()
    expect(page.locator("#quota")).to_be_visible()
    answer = page.locator("#largest caption[data-answer]")
    expect(answer).to_contain_text("the limits of the team and one card both allow")


@pytest.mark.parametrize("width", [360, 390, 1440])
def test_no_page_of_a_team_is_wider_than_the_screen(team: Team, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for language in ("en", "zh-hans"):
        page.context.add_cookies([{"name": "django_language", "value": language, "url": page.url}])
        for path in ("/teams/", "/teams/nlp/?largest=now", "/teams/quota/?largest=now"):
            page.goto(path)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, language)
            assert page.evaluate(CUT) == [], (path, language)


def test_all_of_it_is_there_without_a_script(team: Team, browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site, java_script_enabled=False, locale="en")
    page = context.new_page()
    sign_in(page)
    page.goto("/teams/")
    page.get_by_text("As a table").click()
    expect(page.get_by_role("cell", name="226.7 GiB").first).to_be_visible()
    page.goto("/teams/nlp/")
    page.get_by_role("link", name="Ask for the largest that fits").click()
    expect(page.locator("#largest caption").first).to_be_visible()
    context.close()
