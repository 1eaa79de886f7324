"""Pages for whoever runs no script, has a narrow screen, no pointer, or paper."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from inventory.models import HamiPod
from tests.browser.every_page import CUT, PAGES, RECORDED, SIGNED_OUT, settle, visit
from tests.browser.signing_in import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(600)]

_NARROW = 320
# What is loaded later is a link without the script.
_HEADINGS = "[...document.querySelectorAll('main h1, main h2')].map((node) => node.innerText)"


@pytest.fixture
def plain(browser: Browser, site: str, classic: list[HamiPod]) -> Iterator[Page]:
    """A signed-in page that runs no script."""
    context = browser.new_context(base_url=site, java_script_enabled=False, locale="en")
    page = context.new_page()
    sign_in(page)
    yield page
    context.close()


def test_every_page_is_whole_without_a_script(page: Page, plain: Page) -> None:
    for one in PAGES:
        visit(page, one, RECORDED)
        _visit_plainly(plain, one.name, page.url)
        assert plain.evaluate(_HEADINGS) == page.evaluate(_HEADINGS), one.name
        for picture in plain.locator(".plot").all():
            expect(picture).to_contain_text("The picture needs JavaScript.")
        assert plain.locator("[aria-busy=true], .spin:visible").count() == 0, one.name


def test_every_page_is_the_same_after_a_refresh(page: Page, classic: list[HamiPod]) -> None:
    for one in PAGES:
        visit(page, one, RECORDED)
        address, headings = page.url, page.evaluate(_HEADINGS)
        page.reload()
        settle(page)
        assert page.url == address, one.name
        assert page.evaluate(_HEADINGS) == headings, one.name


def _visit_plainly(plain: Page, name: str, address: str) -> None:
    answer = plain.goto(address)
    assert answer, name
    assert answer.ok, name


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_no_page_is_wider_than_a_narrow_screen(page: Page, classic: list[HamiPod], language: str) -> None:
    page.context.add_cookies([{"name": "django_language", "value": language, "url": page.url}])
    page.set_viewport_size({"width": _NARROW, "height": 700})
    wide, cut = {}, {}
    for one in PAGES:
        visit(page, one, RECORDED)
        if found := page.evaluate(CUT):
            cut[one.name] = found
        if (width := page.evaluate("document.documentElement.scrollWidth")) > _NARROW:
            wide[one.name] = (width, page.evaluate(_SPILLS))
    assert wide == {}
    assert cut == {}


# The innermost elements that lie outside of the screen and in no box that scrolls.
_SPILLS = """
[...document.querySelectorAll("body *")].filter((node) =>
  node.getBoundingClientRect().right > innerWidth + 1 && !node.closest(".scroll, pre, .vh, svg")
).map((node) => node.outerHTML.slice(0, 120)).slice(-3)
"""


def test_the_page_to_sign_in_fits_a_narrow_screen(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site, viewport={"width": _NARROW, "height": 700})
    page = context.new_page()
    visit(page, SIGNED_OUT, RECORDED)
    assert page.evaluate("document.documentElement.scrollWidth") <= _NARROW
    context.close()


# Of what has the focus: how it is called, whether it is seen, and whether it is marked.
_FOCUSED = """
() => {
  const node = document.activeElement, box = node.getBoundingClientRect(), style = getComputedStyle(node);
  const x = Math.min(Math.max(box.left + box.width / 2, 0), innerWidth - 1);
  const y = Math.min(Math.max(box.top + box.height / 2, 0), innerHeight - 1);
  const there = document.elementFromPoint(x, y);
  return {
    what: node.outerHTML.slice(0, 120),
    end: node === document.body,
    inside: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
    covered: !(node.contains(there) || there?.contains(node)),
    marked: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
  };
}
"""
_MOST_STOPS = 120


@pytest.mark.parametrize(
    "name", ["overview", "cards-wall", "cards-table", "device", "pod-waiting", "team", "convert"]
)
def test_every_stop_of_the_keyboard_is_seen(page: Page, name: str) -> None:
    visit(page, next(one for one in PAGES if one.name == name), RECORDED)
    page.locator("body").evaluate("node => { node.tabIndex = -1; node.focus(); }")
    stops = 0
    for _stop in range(_MOST_STOPS):
        page.keyboard.press("Tab")
        stop = page.evaluate(_FOCUSED)
        if stop["end"]:
            break
        stops += 1
        assert stop["inside"], stop
        assert not stop["covered"], stop
        assert stop["marked"], stop
    assert stops > 20


def test_the_skip_link_leads_past_everything_that_is_on_all_pages(page: Page) -> None:
    page.goto("/pods/")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_on_paper_there_is_the_page_and_nothing_around_it(page: Page) -> None:
    page.emulate_media(media="print", color_scheme="dark")
    page.goto("/devices/?view=bars")
    for hidden in (".top", ".side", ".filters", ".head .btn"):
        expect(page.locator(hidden).first).to_be_hidden()
    # Ink on white, whatever the screen has; and the table, though it is folded on the screen.
    assert page.locator("body").evaluate("node => getComputedStyle(node).color") == "rgb(20, 24, 29)"
    folded = page.locator("details.as-table:not([open]) table").first
    assert folded.evaluate("node => node.checkVisibility() && node.getBoundingClientRect().height") > 100
