"""From a name to the card and on: what a reader comes for, step by step."""

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.signing_in import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def _heading(page: Page, text: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(text)


def _panel(page: Page, heading: str) -> Locator:
    return page.locator("section.panel").filter(has=page.get_by_role("heading", name=heading, exact=True))


def test_the_card_of_a_pod_is_found_in_three_steps(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("shared-0")
    page.keyboard.press("Enter")
    page.get_by_role("main").get_by_role("link", name="shared-0", exact=True).click()
    held = _panel(page, "What it holds")
    held.get_by_role("rowheader").get_by_role("link").first.click()
    expect(page).to_have_url(re.compile(r"/devices/\d+/$"))
    expect(_panel(page, "Shares").get_by_role("link", name="shared-0")).to_be_visible()


@pytest.mark.parametrize(
    ("text", "link", "heading"),
    [
        ("e0c18477", "hami-gpu-1", "hami-gpu-1"),
        ("gpu-node-2", "gpu-node-2", "gpu-node-2"),
        ("share-c", "share-c", "share-c"),
    ],
)
def test_a_uuid_a_node_and_a_pod_are_found(page: Page, text: str, link: str, heading: str) -> None:
    page.goto("/teams/")
    page.keyboard.press("/")
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    page.get_by_role("main").get_by_role("link", name=link, exact=True).first.click()
    _heading(page, heading)


def test_a_slash_that_is_typed_into_a_field_stays_there(page: Page) -> None:
    page.goto("/pods/")
    field = page.locator(".filters input:not([type=hidden])").first
    field.focus()
    page.keyboard.type("a/b")
    expect(field).to_have_value("a/b")
    expect(field).to_be_focused()


def test_from_the_overview_to_a_claim_and_back(page: Page) -> None:
    page.goto("/")
    page.get_by_role("main").get_by_role("link", name="gpu-node-2", exact=True).click()
    _heading(page, "gpu-node-2")
    page.get_by_text("As a table").first.click()
    page.get_by_role("rowheader").get_by_role("link", name="hami-gpu-1", exact=True).click()
    _heading(page, "hami-gpu-1")
    _panel(page, "Shares").get_by_role("link", name="pod-first-available").click()
    _heading(page, "pod-first-available")
    _panel(page, "What it holds").locator("td a").first.click()
    expect(page).to_have_url(re.compile(r"/claims/\d+/$"))
    expect(page.get_by_role("main").get_by_role("link", name="pod-first-available")).to_be_visible()
    for heading in ("pod-first-available", "hami-gpu-1", "gpu-node-2", "Overview"):
        page.go_back()
        _heading(page, heading)


def test_crumbs_lead_up(page: Page) -> None:
    page.goto("/nodes/lab-1/gpu-node-2/")
    page.get_by_role("rowheader").get_by_role("link").first.click()
    crumbs = page.get_by_role("navigation", name="Where")
    crumbs.get_by_role("link", name="Pods").click()
    _heading(page, "Pods")


@pytest.mark.parametrize(
    ("path", "chosen"),
    [
        ("/devices/?view=table&product=Ascend310P3&ordering=-state", "tbody th[scope=rowgroup]"),
        ("/pods/?state=waiting&q=share", "tbody th[scope=row]"),
        ("/claims/?state=pending&ordering=created_at", "tbody th[scope=row]"),
        ("/usage/?group_by=product&step=day", ".seg-ctl [aria-current]"),
    ],
)
def test_what_is_looked_at_is_in_the_address(page: Page, path: str, chosen: str) -> None:
    page.goto(path)
    before = page.locator(chosen).all_inner_texts()
    page.reload()
    assert page.url.endswith(path)
    assert page.locator(chosen).all_inner_texts() == before


def test_language_and_theme_are_kept_from_page_to_page(page: Page) -> None:
    page.goto("/devices/?view=table")
    page.get_by_role("button", name="Theme: system; next: light").click()
    page.get_by_role("button", name="中文").click()
    expect(page).to_have_url(re.compile(r"/devices/\?view=table$"))
    _heading(page, "设备")
    page.get_by_role("navigation", name="页面", exact=True).get_by_role("link", name="申领").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")


def test_language_and_theme_are_chosen_before_signing_in(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site, locale="en")
    page = context.new_page()
    page.goto("/claims/")
    page.get_by_role("button", name="中文").click()
    _heading(page, "登录")
    page.locator("#theme button").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    sign_in(page)
    _heading(page, "总览")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    context.close()
